import { beforeCommit, requestSync } from '../../db/index.ts'
import type { Site } from '../site.ts'
import { insertAudit, reserveRows, updateHead } from './audit-table.ts'
import type { AuditVerb } from './audit-verbs.ts'
import type { Author } from './author.ts'
import { type AuditRow, hashOfRow } from './chain.ts'
import { type Changed, changedFields } from './changed-fields.ts'
import { signedAfter } from './sign-head.ts'

interface Change {
  verb: AuditVerb
  /** The id of what was changed. */
  target: string
  /** Fields before the change; undefined for what was created. */
  before?: object | undefined
  /** Fields after the change; undefined for what was deleted. */
  after?: object | undefined
}

/** What a change is recorded with: the transaction of the change, and in whose name it is made. */
export type AuditedSite = Pick<Site, 'db' | 'clock' | 'author' | 'auditLog'>

/**
 * Writes a change into the audit log, in the transaction of the change. `site.db` must be that transaction. A change of
 * fields that all stay as they were is none.
 */
export const recordChange = (site: AuditedSite, change: Change): Promise<void> =>
  recordChanges(site, [change])

export async function recordChanges(site: AuditedSite, changes: readonly Change[]): Promise<void> {
  if (!site.db.isTransaction) throw new Error('A change is recorded in its own transaction.')
  const recorded = changes.flatMap(({ verb, target, before, after }) => {
    const changed = changedFields(before, after)
    return changed ? [{ verb, target, author: site.author, ...changed }] : []
  })
  if (recorded.length === 0) return
  const known = pending.get(site.db)
  if (known) {
    known.push(...recorded)
    return
  }
  const rows = [...recorded]
  pending.set(site.db, rows)
  await beforeCommit(site.db, () => {
    pending.delete(site.db)
    return writeRows(site, rows)
  })
}

interface Recorded extends Changed {
  verb: AuditVerb
  target: string
  author: Author
}

/** The changes of a transaction that are written with its last step. */
const pending = new WeakMap<object, Recorded[]>()

/** Under the lock of the log, so that the order of the rows is that of the commits. */
async function writeRows({ db, clock, auditLog }: AuditedSite, recorded: readonly Recorded[]): Promise<void> {
  const last = await reserveRows(db, recorded.length)
  const at = clock.now().toISOString()
  let { hash } = last
  const rows = recorded.map(({ verb, target, author, before, after }, index): AuditRow => {
    const row = {
      sequence: last.sequence + index + 1,
      at,
      verb,
      actor: author.kind,
      target,
      userId: author.userId ?? null,
      keyId: author.keyId ?? null,
      address: author.address ?? null,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    }
    hash = hashOfRow(hash, row)
    return { ...row, hash }
  })
  // The first row decides when the log is pruned next.
  if (last.sequence === last.prunedSequence) requestSync(db)
  await insertAudit(db, rows)
  const sequence = last.sequence + rows.length
  await updateHead(db, await signedAfter(auditLog, last, { ...last, sequence, hash }))
  auditLog.copySoon(sequence)
}
