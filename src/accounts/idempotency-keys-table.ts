import { prepareInsertion, type SiteDb, type SiteTables } from '../db/index.ts'

/** Names a request that its caller may send more than once. */
export interface RequestKey {
  /** The user, or key and address of a guest. */
  caller: string
  key: string
}

export interface KeptRequest extends RequestKey {
  requestHash: string
  token: string
  state: SiteTables['idempotencyKey']['state']
  leasedUntil: Date
  answer: string | undefined
}

const insertion = prepareInsertion('idempotencyKey', ['caller', 'key'])

interface NewRequest extends RequestKey {
  requestHash: string
  token: string
  leasedUntil: Date
  createdAt: Date
  expiresAt: Date
}

/** False if the caller has sent this key before. */
export function insertRequest(db: SiteDb, request: NewRequest): Promise<boolean> {
  return insertion(db, {
    caller: request.caller,
    key: request.key,
    requestHash: request.requestHash,
    token: request.token,
    state: 'running',
    answer: null,
    leasedUntil: request.leasedUntil.toISOString(),
    createdAt: request.createdAt.toISOString(),
    expiresAt: request.expiresAt.toISOString(),
  })
}

export async function findRequest(
  db: SiteDb,
  { caller, key }: RequestKey,
  now: Date,
): Promise<KeptRequest | undefined> {
  const row = await db
    .selectFrom('idempotencyKey')
    .select(['caller', 'key', 'requestHash', 'token', 'state', 'leasedUntil', 'answer'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
  return row && { ...row, leasedUntil: new Date(row.leasedUntil), answer: row.answer ?? undefined }
}

interface HeldRequest extends RequestKey {
  /** Of the run that must still hold the request. */
  token: string
}

const heldRequest = (db: SiteDb, { caller, key, token }: HeldRequest) =>
  db
    .updateTable('idempotencyKey')
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('token', '=', token)
    .where('state', '=', 'running')

/** Gives the request to another run, or renews its lease; false if another run has it. */
export async function updateLease(
  db: SiteDb,
  held: HeldRequest,
  { token, leasedUntil }: { token: string; leasedUntil: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await heldRequest(db, held)
    .set({ token, leasedUntil: leasedUntil.toISOString() })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if another run has the request. */
export async function updateAnswer(db: SiteDb, held: HeldRequest, answer: string): Promise<boolean> {
  const { numUpdatedRows } = await heldRequest(db, held).set({ state: 'done', answer }).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets a request that was refused. */
export async function deleteRequest(db: SiteDb, { caller, key, token }: HeldRequest): Promise<void> {
  await db
    .deleteFrom('idempotencyKey')
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('token', '=', token)
    .where('state', '=', 'running')
    .execute()
}

export async function deleteRequestsUntil(db: SiteDb, now: Date): Promise<void> {
  await db.deleteFrom('idempotencyKey').where('expiresAt', '<=', now.toISOString()).execute()
}
