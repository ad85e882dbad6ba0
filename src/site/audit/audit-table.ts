import { executeLater, prepare, type SiteDb, type SiteTables } from '../../db/index.ts'
import type { AuditVerb } from './audit-verbs.ts'
import { type AuditRow, firstHash } from './chain.ts'

export type AuditHead = Omit<SiteTables['auditHead'], 'id'>

const headColumns = ['sequence', 'hash', 'prunedSequence', 'prunedHash', 'mac'] as const

const emptyLog: AuditHead = {
  sequence: 0,
  hash: firstHash,
  prunedSequence: 0,
  prunedHash: firstHash,
  mac: '',
}

const reservation = prepare((db, { count }: Record<'count', never>) =>
  db
    .insertInto('auditHead')
    .values({ id: 1, ...emptyLog, sequence: count })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({ sequence: row('auditHead.sequence', '+', count) })),
    )
    .returning(headColumns),
)

/** Locks the log until the transaction ends; returns its head before the rows that are reserved. */
export async function reserveRows(db: SiteDb, count: number): Promise<AuditHead> {
  const [head] = await reservation.rows(db, { count })
  if (!head) throw new Error('An upsert returns its row.')
  return { ...head, sequence: Number(head.sequence) - count }
}

const atOnce = 500

export async function insertAudit(db: SiteDb, rows: readonly AuditRow[]): Promise<void> {
  const [first] = rows
  if (first && rows.length === 1) return insertion.later(db, first)
  for (let from = 0; from < rows.length; from += atOnce)
    await executeLater(db, db.insertInto('audit').values(rows.slice(from, from + atOnce)))
}

/** Most changes are of one thing: to build their statement each time would cost more than to run it. */
const insertion = prepare<keyof AuditRow, unknown>((db, row) =>
  db.insertInto('audit').values({
    sequence: row.sequence,
    at: row.at,
    verb: row.verb,
    actor: row.actor,
    userId: row.userId,
    keyId: row.keyId,
    address: row.address,
    target: row.target,
    before: row.before,
    after: row.after,
    hash: row.hash,
  }),
)

const headUpdate = prepare((db, { hash, mac }: Record<'hash' | 'mac', never>) =>
  db.updateTable('auditHead').set({ hash, mac }),
)

export async function updateHead(db: SiteDb, { hash, mac }: AuditHead): Promise<void> {
  await headUpdate.later(db, { hash, mac })
}

export async function findHead(db: SiteDb): Promise<AuditHead> {
  return (await db.selectFrom('auditHead').select(headColumns).executeTakeFirst()) ?? emptyLog
}

/** Undefined if the row was never written, or is deleted. */
export async function findHash(db: SiteDb, sequence: number): Promise<string | undefined> {
  const row = await db.selectFrom('audit').select('hash').where('sequence', '=', sequence).executeTakeFirst()
  return row?.hash
}

/** Oldest first. */
export const auditAfter = (db: SiteDb, sequence: number, limit: number): Promise<AuditRow[]> =>
  db
    .selectFrom('audit')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute()

/** The trigger lets the rows go once the head says that they are pruned. */
export async function deletePruned(
  db: SiteDb,
  { prunedSequence, prunedHash, mac }: AuditHead,
): Promise<void> {
  await db.updateTable('auditHead').set({ prunedSequence, prunedHash, mac }).execute()
  await db.deleteFrom('audit').where('sequence', '<=', prunedSequence).execute()
}

/** Whether the newest `count` rows of a verb are all younger. Reads that many index entries, however long the log is. */
export async function hasAuditSince(
  db: SiteDb,
  { verb, since, count }: { verb: AuditVerb; since: Date; count: number },
): Promise<boolean> {
  const oldest = await db
    .selectFrom('audit')
    .select('at')
    .where('verb', '=', verb)
    .orderBy('sequence', 'desc')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return oldest !== undefined && oldest.at > since.toISOString()
}

export interface AuditFilter {
  verb?: string | undefined
  userId?: string | undefined
  /** Both exclude their moment. */
  after?: Date | undefined
  before?: Date | undefined
}

/** A row with the names of its user and of the user that was changed, while they exist. */
export type ListedAudit = AuditRow & { username: string | null; targetName: string | null }

/** Newest first. */
export async function auditBefore(
  db: SiteDb,
  { verb, userId, after, before }: AuditFilter,
  page: { before: number | undefined; limit: number },
): Promise<ListedAudit[]> {
  let query = db
    .selectFrom('audit')
    .leftJoin('user', 'user.id', 'audit.userId')
    .leftJoin('user as target', 'target.id', 'audit.target')
    .selectAll('audit')
    .select(['user.username as username', 'target.username as targetName'])
    .orderBy('audit.sequence', 'desc')
    .limit(page.limit)
  if (verb !== undefined) query = query.where('audit.verb', '=', verb)
  if (userId !== undefined) query = query.where('audit.userId', '=', userId)
  if (after) query = query.where('audit.at', '>', after.toISOString())
  if (before) query = query.where('audit.at', '<', before.toISOString())
  if (page.before !== undefined) query = query.where('audit.sequence', '<', page.before)
  // A person chooses the name of a tag, which may be the id of a user.
  return (await query.execute()).map((row) =>
    row.verb.startsWith('tag.') ? { ...row, targetName: null } : row,
  )
}
