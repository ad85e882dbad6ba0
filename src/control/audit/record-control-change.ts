import { beforeCommit, type ControlDb } from '../../db/index.ts'
import { installationLog, signedAfter } from '../../site/index.ts'
import type { Control } from '../control.ts'
import { type ChangedInControl, changedInControl } from './changed-in-control.ts'
import {
  type ControlAuditRow,
  hashOfControlRow,
  insertControlAudit,
  reserveControlRows,
  updateControlHead,
} from './control-audit-table.ts'
import type { ControlVerb } from './control-verbs.ts'

export interface ControlChange {
  verb: ControlVerb
  /** The id of what was changed; empty if the verb says it all. */
  target: string
  /** Fields before the change; undefined for what was created. */
  before?: object | undefined
  /** Fields after the change; undefined for what was deleted. */
  after?: object | undefined
}

/** What a change is recorded with, besides its transaction. */
export type AuditedControl = Pick<Control, 'clock' | 'author' | 'sites'>

/**
 * Writes a change into the audit log of the installation, in the transaction of the change (`db` is that of `changeControl`).
 * A change of fields that all stay as they were is none. Of `limits` and `env` only the entries that differ are recorded, and
 * of `env` only their names.
 */
export const recordControlChange = (
  control: AuditedControl,
  db: ControlDb,
  change: ControlChange,
): Promise<void> => recordControlChanges(control, db, [change])

export async function recordControlChanges(
  control: AuditedControl,
  db: ControlDb,
  changes: readonly ControlChange[],
): Promise<void> {
  if (!db.isTransaction) throw new Error('A change is recorded in its own transaction.')
  const recorded = changes.flatMap(({ verb, target, before, after }) => {
    const changed = changedInControl(before, after)
    return changed ? [{ verb, target, ...changed }] : []
  })
  if (recorded.length > 0) await beforeCommit(db, () => writeRows(control, db, recorded))
}

interface Recorded extends ChangedInControl {
  verb: ControlVerb
  target: string
}

/** Under the lock of the log, so that the order of the rows is that of the commits. */
async function writeRows(
  { clock, author, sites }: AuditedControl,
  db: ControlDb,
  recorded: readonly Recorded[],
): Promise<void> {
  const log = sites.auditLogs.of(installationLog)
  const last = await reserveControlRows(db, recorded.length)
  const at = clock.now().toISOString()
  let { hash } = last
  const rows = recorded.map(({ verb, target, before, after }, index): ControlAuditRow => {
    const row = {
      sequence: last.sequence + index + 1,
      at,
      verb,
      actor: author.kind,
      actorId: author.id ?? null,
      actorName: author.name ?? null,
      address: author.address ?? null,
      userAgent: author.userAgent?.slice(0, longestUserAgent) ?? null,
      requestId: author.requestId ?? null,
      target,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    }
    hash = hashOfControlRow(hash, row)
    return { ...row, hash }
  })
  await insertControlAudit(db, rows)
  const sequence = last.sequence + rows.length
  await updateControlHead(db, await signedAfter(log, last, { ...last, sequence, hash }))
  log.copySoon(sequence)
}

const longestUserAgent = 256
