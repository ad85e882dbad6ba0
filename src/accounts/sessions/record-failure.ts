import { inTransaction } from '../../db/index.ts'
import { hasAuditSince, recordChange, type Site } from '../../site/index.ts'
import { findUser } from '../users/users-table.ts'

/** The throttle stops one address and one account; this stops many addresses from filling the disk. */
const mostAnHour = 200

/** Tells a wrong password or code in the audit log. The name that was given is not told: it may be a password. */
export async function recordFailure(site: Site, account: string): Promise<void> {
  const since = new Date(site.clock.now().getTime() - 3_600_000)
  await inTransaction(site.db, async (db) => {
    if (await hasAuditSince(db, { verb: 'session.failed', since, count: mostAnHour })) return
    const user = await findUser(db, account)
    await recordChange({ ...site, db }, { verb: 'session.failed', target: user?.id ?? '' })
  })
}
