import { inTransaction, requestSync } from '../../db/index.ts'
import type { ChangingSite } from '../changing-site.ts'
import { raiseStatsVersion } from '../totals-table.ts'
import type { QuotaName } from './quota-names.ts'
import { quotaStatesOf, updateToMailed } from './quota-states-table.ts'

/** A threshold of which the administrators are to be notified by mail. */
export interface DueQuotaMail {
  limit: QuotaName
  percent: number
}

/** Hands over the mails that are due, once. */
export const takeQuotaMails = (site: ChangingSite): Promise<DueQuotaMail[]> =>
  inTransaction(site.db, async (db) => {
    // Locks, so that no other process takes them too.
    await raiseStatsVersion(db)
    const due = (await quotaStatesOf(db)).flatMap(({ name, mails }) =>
      mails === '' ? [] : mails.split(',').map((percent) => ({ limit: name, percent: Number(percent) })),
    )
    if (due.length > 0) await updateToMailed(db)
    if (due.length > 0) requestSync(db)
    return due
  })
