import type { SiteDb } from '../db/index.ts'
import { lockTotal } from '../site/index.ts'

/** From here to the end of the transaction no other of the site's does what waits here too. */
export const waitInLine = (db: SiteDb): Promise<void> => lockTotal(db, 'files')
