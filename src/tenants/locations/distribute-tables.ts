import type { Control } from '../../control/index.ts'
import { readTenant } from '../tenants.ts'
import { readLocation } from './site-locations.ts'

/** In the installation's own database, or in that of one tenant. Returns the tables that were not distributed yet. */
export async function distributeTables(control: Control, id: string | undefined): Promise<string[]> {
  if (id === undefined) return control.store.distribute()
  const { site } = await readTenant(control, id)
  const { database } = await readLocation(control, site)
  const store = await control.backends.store(database)
  return store.distribute()
}
