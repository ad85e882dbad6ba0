import { watchedDb } from '../db/index.ts'
import { judgeChangedQuotas } from './quotas/judge-quotas.ts'
import type { Site } from './site.ts'

const changing = Symbol('changing')

/**
 * A site whose rows may be changed. Only `changeSite` hands one out, and it syncs the site's stats and due time if they have
 * changed: a verb that takes a `ChangingSite` cannot be called without that sync.
 */
export interface ChangingSite extends Site {
  readonly [changing]: true
}

/** For `changeSite`, and for code that writes the stats itself in its own transaction: drafts of sites, and jobs. */
export const changingSite = (site: Site, onSyncRequested = () => {}): ChangingSite => ({
  ...site,
  db: watchedDb(site.db, {
    check: site.checkAuthor,
    beforeCommit: (db) => judgeChangedQuotas({ ...site, db }),
    onSyncRequested,
  }),
  [changing]: true,
})
