import type { SiteDb } from '../db/index.ts'
import { addToTotal } from '../site/index.ts'

/** From here to the end of the transaction no other of the site's does what waits here too. */
export async function waitInLine(db: SiteDb): Promise<void> {
  // Adding nothing takes the row's lock.
  await addToTotal(db, 'files', 0)
}
