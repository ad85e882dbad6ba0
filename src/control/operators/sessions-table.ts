import { type ControlDb, type ControlTables, prepareControl } from '../../db/index.ts'
import type { OperatorRole } from './operators-table.ts'

/** A session as its operator sees it; the token is stored as a hash and never shown. */
export interface OperatorSession {
  id: string
  operatorId: string
  address: string
  userAgent: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

interface NewRow extends OperatorSession {
  tokenHash: string
  provenAt: Date
}

export async function insertSession(db: ControlDb, session: NewRow): Promise<void> {
  await db
    .insertInto('operatorSession')
    .values({
      ...session,
      provenAt: session.provenAt.toISOString(),
      createdAt: session.createdAt.toISOString(),
      lastUsedAt: session.lastUsedAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    })
    .execute()
}

export interface SessionOwner {
  id: string
  operatorId: string
  username: string
  role: OperatorRole
  createdAt: Date
  lastUsedAt: Date
  provenAt: Date | undefined
}

const ownerOfToken = prepareControl((db, { tokenHash, now }: Record<'tokenHash' | 'now', never>) =>
  db
    .selectFrom('operatorSession')
    .innerJoin('operator', 'operator.id', 'operatorSession.operatorId')
    .select(['operatorSession.id', 'operatorSession.operatorId', 'operator.username', 'operator.role'])
    .select(['operatorSession.createdAt', 'operatorSession.lastUsedAt', 'operatorSession.provenAt'])
    .where('operatorSession.tokenHash', '=', tokenHash)
    .where('operatorSession.expiresAt', '>', now),
)

/** The operator of a session that has not ended. */
export async function findSession(
  db: ControlDb,
  tokenHash: string,
  now: Date,
): Promise<SessionOwner | undefined> {
  const [row] = await ownerOfToken.rows(db, { tokenHash, now: now.toISOString() })
  return (
    row && {
      ...row,
      createdAt: new Date(row.createdAt),
      lastUsedAt: new Date(row.lastUsedAt),
      provenAt: row.provenAt === null ? undefined : new Date(row.provenAt),
    }
  )
}

/** Whose session it was, as long as the row of an ended one is kept. */
export async function findOwnerOfEnded(db: ControlDb, tokenHash: string): Promise<string | undefined> {
  const query = db.selectFrom('operatorSession').select('operatorId').where('tokenHash', '=', tokenHash)
  return (await query.executeTakeFirst())?.operatorId
}

/** An operator's sessions that have not ended, the youngest first. */
export async function sessionsOf(db: ControlDb, operatorId: string, now: Date): Promise<OperatorSession[]> {
  const rows = await db
    .selectFrom('operatorSession')
    .select(sessionColumns)
    .where('operatorId', '=', operatorId)
    .where('expiresAt', '>', now.toISOString())
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(sessionOfRow)
}

const sessionColumns = [
  'id',
  'operatorId',
  'address',
  'userAgent',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
] as const

type SessionRow = Pick<ControlTables['operatorSession'], (typeof sessionColumns)[number]>

const sessionOfRow = (row: SessionRow): OperatorSession => ({
  ...row,
  createdAt: new Date(row.createdAt),
  lastUsedAt: new Date(row.lastUsedAt),
  expiresAt: new Date(row.expiresAt),
})

/**
 * Writes only if the stored time is older, so that all servers together write once for each time. Times beyond `latest` are of
 * a clock that was set back: they are replaced, and a proof is dropped, because it would count when its time comes.
 */
export async function updateSessionUse(
  db: ControlDb,
  id: string,
  { at, latest, address, expiresAt }: { at: Date; latest: Date; address: string; expiresAt: Date },
): Promise<void> {
  const lastUsedAt = at.toISOString()
  const last = latest.toISOString()
  await db
    .updateTable('operatorSession')
    .set((eb) => ({
      lastUsedAt,
      address,
      expiresAt: expiresAt.toISOString(),
      provenAt: eb.case().when('provenAt', '>', last).then(null).else(eb.ref('provenAt')).end(),
    }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', '<', lastUsedAt), eb('lastUsedAt', '>', last)]))
    .execute()
}

/** False if the session has ended. */
export async function updateProof(db: ControlDb, id: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operatorSession')
    .set({ provenAt: at.toISOString() })
    .where('id', '=', id)
    .where('expiresAt', '>', at.toISOString())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if the session has ended. */
export async function updateToken(
  db: ControlDb,
  id: string,
  { tokenHash, now }: { tokenHash: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operatorSession')
    .set({ tokenHash })
    .where('id', '=', id)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether a session has not ended. */
export async function hasSession(db: ControlDb, id: string, now: Date): Promise<boolean> {
  const query = db.selectFrom('operatorSession').select('id').where('id', '=', id)
  return (await query.where('expiresAt', '>', now.toISOString()).executeTakeFirst()) !== undefined
}

/** False if there is no such session, or if it is not that operator's. */
export async function deleteSession(
  db: ControlDb,
  { id, operatorId }: { id: string; operatorId?: string },
): Promise<boolean> {
  const query = db.deleteFrom('operatorSession').where('id', '=', id)
  const own = operatorId === undefined ? query : query.where('operatorId', '=', operatorId)
  const { numDeletedRows } = await own.executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes all sessions of an operator, except one if it is given. */
export async function deleteSessions(db: ControlDb, operatorId: string, exceptId?: string): Promise<void> {
  const query = db.deleteFrom('operatorSession').where('operatorId', '=', operatorId)
  await (exceptId === undefined ? query : query.where('id', '!=', exceptId)).execute()
}

export async function deleteSessionsUntil(db: ControlDb, now: Date): Promise<void> {
  await db.deleteFrom('operatorSession').where('expiresAt', '<=', now.toISOString()).execute()
}
