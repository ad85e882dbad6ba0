import { type ControlDb, type ControlTables, prepareControl } from '../../db/index.ts'
import { type AuditHead, firstHash, hashOfFields } from '../../site/index.ts'

export type ControlAuditRow = ControlTables['controlAudit']

const headColumns = ['sequence', 'hash', 'mac'] as const

export const emptyHead: AuditHead = {
  sequence: 0,
  hash: firstHash,
  mac: '',
  prunedSequence: 0,
  prunedHash: firstHash,
}

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

export async function findControlHead(db: ControlDb): Promise<AuditHead> {
  const row = await db.selectFrom('controlAuditHead').select(headColumns).executeTakeFirst()
  return { ...(row ?? emptyLog), ...unpruned }
}

export async function findControlHash(db: ControlDb, sequence: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('controlAudit')
    .select('hash')
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.hash
}

/** The number of the last row; 0 if there is none. */
export async function findLastSequence(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom('controlAudit')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sequence ?? 0
}

/** Oldest first. */
export const controlAuditAfter = (
  db: ControlDb,
  { after, until, limit }: { after: number; until: number; limit: number },
): Promise<ControlAuditRow[]> =>
  db
    .selectFrom('controlAudit')
    .selectAll()
    .where('sequence', '>', after)
    .where('sequence', '<=', until)
    .orderBy('sequence')
    .limit(limit)
    .execute()

/** The trigger lets the rows go while there is no head. */
export async function deleteControlAudit(db: ControlDb): Promise<void> {
  await db.deleteFrom('controlAuditHead').execute()
  await db.deleteFrom('controlAudit').execute()
}

export async function insertControlHead(db: ControlDb, { sequence, hash, mac }: AuditHead): Promise<void> {
  await db.insertInto('controlAuditHead').values({ id: 1, sequence, hash, mac }).execute()
}

const headUpdate = prepareControl((db, { hash, mac }: Record<'hash' | 'mac', never>) =>
  db.updateTable('controlAuditHead').set({ hash, mac }),
)

export async function updateControlHead(db: ControlDb, { hash, mac }: AuditHead): Promise<void> {
  await headUpdate.later(db, { hash, mac })
}
