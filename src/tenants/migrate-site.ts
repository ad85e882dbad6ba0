import type { Control } from '../control/index.ts'
import { readPlace } from './site-places.ts'

/** Brings one site's tables up to date, wherever they are. */
export async function migrateSite(control: Control, site: number): Promise<void> {
  const { database, rowsAt } = await readPlace(control, site)
  await (await control.places.store(database)).migrateSite(site, rowsAt)
}
