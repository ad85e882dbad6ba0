import { type ControlDb, type ControlTables, prepareControl } from '../../db/index.ts'
import { type AuditHead, firstHash, hashOfFields } from '../../site/index.ts'

export type ControlAuditRow = ControlTables['controlAudit']

const headColumns = ['sequence', 'hash', 'mac'] as const

/** Nothing prunes the log of the installation. */
const unpruned = { prunedSequence: 0, prunedHash: firstHash }

const emptyLog = { sequence: 0, hash: firstHash, mac: '' }

export const hashOfControlRow = (previous: string, row: Omit<ControlAuditRow, 'hash'>): string =>
  hashOfFields(previous, [
    row.sequence,
    row.at,
    row.verb,
    row.actor,
    row.actorId,
    row.actorName,
    row.address,
    row.userAgent,
    row.requestId,
    row.target,
    row.before,
    row.after,
  ])

const reservation = prepareControl((db, { count }: Record<'count', never>) =>
  db
    .insertInto('controlAuditHead')
    .values({ id: 1, ...emptyLog, sequence: count })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((row) => ({ sequence: row('controlAuditHead.sequence', '+', count) })),
    )
    .returning(headColumns),
)

/** Locks the log until the transaction ends; returns its head before the rows that are reserved. */
export async function reserveControlRows(db: ControlDb, count: number): Promise<AuditHead> {
  const [head] = await reservation.rows(db, { count })
  if (!head) throw new Error('An upsert returns its row.')
  return { ...head, ...unpruned, sequence: Number(head.sequence) - count }
}

const atOnce = 500

export async function insertControlAudit(db: ControlDb, rows: readonly ControlAuditRow[]): Promise<void> {
  const [first] = rows
  if (first && rows.length === 1) return insertion.later(db, first)
  for (let from = 0; from < rows.length; from += atOnce)
    await db
      .insertInto('controlAudit')
      .values(rows.slice(from, from + atOnce))
      .execute()
}

const insertion = prepareControl<keyof ControlAuditRow, unknown>((db, row) =>
  db.insertInto('controlAudit').values({
    sequence: row.sequence,
    at: row.at,
    verb: row.verb,
    actor: row.actor,
    actorId: row.actorId,
    actorName: row.actorName,
    address: row.address,
    userAgent: row.userAgent,
    requestId: row.requestId,
    target: row.target,
    before: row.before,
    after: row.after,
    hash: row.hash,
  }),
)

const headUpdate = prepareControl((db, { hash, mac }: Record<'hash' | 'mac', never>) =>
  db.updateTable('controlAuditHead').set({ hash, mac }),
)

export async function updateControlHead(db: ControlDb, { hash, mac }: AuditHead): Promise<void> {
  await headUpdate.later(db, { hash, mac })
}
