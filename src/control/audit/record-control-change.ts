import { beforeCommit, type ControlDb } from '../../db/index.ts'
import {
  type Changed,
  changedFields,
  installationLog,
  isEqual,
  isHidden,
  redacted,
  signedAfter,
} from '../../site/index.ts'
import type { Control } from '../control.ts'
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
    const changed = changedFields(differing(before, after), differing(after, before), unrecorded)
    return changed ? [{ verb, target, ...changed }] : []
  })
  if (recorded.length > 0) await beforeCommit(db, () => writeRows(control, db, recorded))
}

interface Recorded extends Changed {
  verb: ControlVerb
  target: string
}

/** What every row has. */
const unrecorded: ReadonlySet<string> = new Set(['id', 'version', 'createdAt', 'updatedAt', 'lastUsedAt'])

/** The fields, with only those entries of `limits` and `env` that the others do not have. */
function differing(fields: object | undefined, others: object | undefined): object | undefined {
  if (!fields) return undefined
  const entriesOf = (all: object | undefined, name: 'limits' | 'env') =>
    ((all as Record<string, unknown> | undefined)?.[name] ?? {}) as Record<string, unknown>
  const differingIn = (name: 'limits' | 'env') => {
    const known = entriesOf(others, name)
    return Object.entries(entriesOf(fields, name)).filter(([key, value]) => !isEqual(value, known[key]))
  }
  return {
    ...fields,
    ...('limits' in fields && { limits: Object.fromEntries(differingIn('limits').map(shown)) }),
    ...('env' in fields && { env: differingIn('env').map(([name]) => name) }),
  }
}

const shown = ([name, value]: readonly [string, unknown]) =>
  [name, isHidden(name) ? redacted : value] as const

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
