import { isInFile, type SiteDb } from '../db/index.ts'
import { addToTotal } from '../site/index.ts'

/** From here to the end of the transaction no other of the site's does what waits here too. */
export async function waitInLine(db: SiteDb): Promise<void> {
  // In a file, the first statement of a transaction is the last to wait. Elsewhere, adding nothing takes the row's lock.
  if (!isInFile(db)) await addToTotal(db, 'files', 0)
}
