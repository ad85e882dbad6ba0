import { findDueAt } from '../../../../scheduling/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import { dayMs, type InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'
import { expiredBefore } from '../../leftovers-table.ts'

const maxReported = 1_000

export async function checkExpired({ app, record, site }: InspectedSite, note: Note): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  const tenant = nameOfSite(record)
  const dueAt = await findDueAt(app.control.store.control, record.number)
  // After a restore many files are expired at once, and the jobs may not have run yet.
  const isFault = dueAt === undefined || dueAt < before.toISOString()
  const todo = `Let jobs run. By hand: tenants jobs:worker --id ${tenant} --once`
  for (const { id, expiresAt } of await expiredBefore(site.db, before, maxReported))
    await note({ isFault, tenant, key: id, says: `It expired at ${expiresAt} and is not removed yet.`, todo })
}
