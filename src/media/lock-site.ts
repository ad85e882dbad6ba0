import type { SiteDb } from '../db/index.ts'
import { lockTotal } from '../site/index.ts'

/** Locks the site until the transaction ends; serialises uploads, deletions and rate-limit checks. */
export const lockSite = (db: SiteDb): Promise<void> => lockTotal(db, 'files')
