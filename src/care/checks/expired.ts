import { findDueAt } from '../../control/index.ts'
import { dayMs, type SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'
import { expiredBefore } from '../leftovers-table.ts'

const mostTold = 1_000

export async function checkExpired({ app, known, site }: SiteUnderCare, note: Note): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  const tenant = nameOfSite(known)
  const dueAt = await findDueAt(app.control.store.control, known.number)
  // After a restore much has expired at once, and jobs have had no time yet.
  const isFault = dueAt === undefined || dueAt < before.toISOString()
  const todo = `Let jobs run. By hand: tenants jobs:worker --id ${tenant} --once`
  for (const { id, expiresAt } of await expiredBefore(site.db, before, mostTold))
    await note({ isFault, tenant, key: id, says: `It expired at ${expiresAt} and is still there.`, todo })
}
