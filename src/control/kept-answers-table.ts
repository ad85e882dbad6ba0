import type { ControlDb } from '../db/index.ts'

/** Names a management call that its caller may send more than once. */
export interface AnsweredCall {
  /** The management key. */
  caller: string
  key: string
}

export async function findKeptAnswer(
  db: ControlDb,
  { caller, key }: AnsweredCall,
  now: Date,
): Promise<{ requestHash: string; answer: string } | undefined> {
  return db
    .selectFrom('keptAnswer')
    .select(['requestHash', 'answer'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
}

interface NewAnswer extends AnsweredCall {
  requestHash: string
  answer: string
  expiresAt: Date
}

/** A call that is running has no answer yet, and expires with its lease. */
const none = ''

export const isRunning = ({ answer }: { answer: string }): boolean => answer === none

/** False if the caller has sent this key before. */
export const insertRunningCall = (db: ControlDb, call: Omit<NewAnswer, 'answer'>): Promise<boolean> =>
  insertKeptAnswer(db, { ...call, answer: none })

const running = (
  db: ControlDb,
  { caller, key, requestHash }: Pick<NewAnswer, 'caller' | 'key' | 'requestHash'>,
) =>
  db
    .updateTable('keptAnswer')
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('requestHash', '=', requestHash)
    .where('answer', '=', none)

export async function updateLease(db: ControlDb, call: Omit<NewAnswer, 'answer'>): Promise<void> {
  await running(db, call).set({ expiresAt: call.expiresAt.toISOString() }).execute()
}

/** False if the call is not running any more. */
export async function updateKeptAnswer(db: ControlDb, call: NewAnswer): Promise<boolean> {
  const { numUpdatedRows } = await running(db, call)
    .set({ answer: call.answer, expiresAt: call.expiresAt.toISOString() })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets a call that was refused. */
export async function deleteRunningCall(db: ControlDb, { caller, key }: AnsweredCall): Promise<void> {
  await db
    .deleteFrom('keptAnswer')
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('answer', '=', none)
    .execute()
}

/** False if the caller has sent this key before. */
export async function insertKeptAnswer(db: ControlDb, { expiresAt, ...answer }: NewAnswer): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('keptAnswer')
    .values({ ...answer, expiresAt: expiresAt.toISOString() })
    .onConflict((conflict) => conflict.columns(['caller', 'key']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export async function deleteKeptAnswersUntil(db: ControlDb, now: Date): Promise<void> {
  await db.deleteFrom('keptAnswer').where('expiresAt', '<=', now.toISOString()).execute()
}
