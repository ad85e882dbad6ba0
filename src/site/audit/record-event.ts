import { inTransaction } from '../../db/index.ts'
import type { Site } from '../site.ts'
import type { Count, CountedEvent } from './audit-logs.ts'
import { hasAuditSince } from './audit-table.ts'
import { authoredBy } from './author.ts'
import { recordChange } from './record-change.ts'

/** Rows of one verb. A flood of events must not fill the disk: beyond this they are only counted. */
const mostAnHour = 200

/** Records an event that strangers can cause, such as a failed log-in: as a row, or as part of a count. */
export async function recordEvent(
  site: Site,
  { verb, target, after }: Omit<CountedEvent, 'author'>,
): Promise<void> {
  const { address: _, ...author } = site.author
  const count = () => site.auditLog.count({ verb, target, author, ...(after && { after }) })
  if (site.auditLog.isCounting(verb)) return count()
  const since = new Date(site.clock.now().getTime() - 3_600_000)
  const isWritten = await inTransaction(site.db, async (db) => {
    if (await hasAuditSince(db, { verb, since, count: mostAnHour })) return false
    await recordChange({ ...site, db }, { verb, target, after })
    return true
  })
  if (!isWritten) count()
}

/** Writes counted events, one row for each kind. */
export async function writeCounts(site: Site, counts: readonly Count[]): Promise<void> {
  await inTransaction(site.db, async (db) => {
    for (const { event, count } of counts) {
      const { verb, target, author, after } = event
      await recordChange(authoredBy({ ...site, db }, author), { verb, target, after: { ...after, count } })
    }
  })
}
