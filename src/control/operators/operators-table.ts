import type { ControlDb, ControlTables } from '../../db/index.ts'

export type OperatorRole = ControlTables['operator']['role']

export const operatorRoles: readonly OperatorRole[] = ['operator', 'viewer']

export interface Operator {
  id: string
  username: string
  role: OperatorRole
  createdAt: Date
  lastLoginAt: Date | undefined
}

/** An operator as lists show it. */
export interface ListedOperator extends Operator {
  /** Whether it can log in: with a passkey, or with a password and a second step. */
  isSetUp: boolean
  passkeys: number
  hasTotp: boolean
}

/** What an operator logs in with, beside its passkeys. */
export interface Credentials {
  /** Empty if there is none. */
  passwordHash: string
  sealedTotp: string | undefined
  totpSince: Date | undefined
}

/** An operator is named by its id on pages, and by its user name in the tool. */
export type OperatorName = { id: string } | { username: string }

export const keyOfUsername = (username: string): string => username.toLowerCase()

/** False if the name is taken. */
export async function insertOperator(
  db: ControlDb,
  { id, username, role, createdAt }: Omit<Operator, 'lastLoginAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('operator')
    .values({
      id,
      username,
      usernameKey: keyOfUsername(username),
      role,
      createdAt: createdAt.toISOString(),
      ...noCredentials,
    })
    .onConflict((conflict) => conflict.column('usernameKey').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

const noCredentials = { passwordHash: '', sealedTotp: null, totpStep: 0, totpSince: null }

export async function findOperator(
  db: ControlDb,
  by: OperatorName,
): Promise<(Operator & Credentials) | undefined> {
  const query = db.selectFrom('operator').selectAll()
  const row = await ('id' in by
    ? query.where('id', '=', by.id)
    : query.where('usernameKey', '=', keyOfUsername(by.username))
  ).executeTakeFirst()
  return row && { ...operatorOfRow(row), ...credentialsOfRow(row) }
}

/** By user name. */
export async function allOperators(db: ControlDb): Promise<ListedOperator[]> {
  const rows = await db
    .selectFrom('operator')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('operatorPasskey')
        .select((passkey) => passkey.fn.countAll<number>().as('count'))
        .whereRef('operatorPasskey.operatorId', '=', 'operator.id')
        .as('passkeys'),
    )
    .orderBy('usernameKey')
    .execute()
  return rows.map((row) => {
    const passkeys = Number(row.passkeys)
    const hasTotp = row.sealedTotp !== null
    return {
      ...operatorOfRow(row),
      passkeys,
      hasTotp,
      isSetUp: passkeys > 0 || (hasTotp && row.passwordHash !== ''),
    }
  })
}

/** Whether there is one, of any role. */
export async function hasOperators(db: ControlDb): Promise<boolean> {
  return (await db.selectFrom('operator').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Locks the operator's account until the transaction ends; undefined if it is deleted. */
export async function lockOperator(db: ControlDb, id: string): Promise<(Operator & Credentials) | undefined> {
  const row = await db
    .updateTable('operator')
    .set((eb) => ({ totpStep: eb.ref('totpStep') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && { ...operatorOfRow(row), ...credentialsOfRow(row) }
}

type OperatorChange = Partial<
  Pick<
    ControlTables['operator'],
    'role' | 'passwordHash' | 'lastLoginAt' | 'sealedTotp' | 'totpStep' | 'totpSince'
  >
>

export async function updateOperator(db: ControlDb, id: string, change: OperatorChange): Promise<void> {
  await db.updateTable('operator').set(change).where('id', '=', id).execute()
}

/** Takes the password and the second step away. */
export const clearCredentials = (db: ControlDb, id: string): Promise<void> =>
  updateOperator(db, id, noCredentials)

/** With its passkeys, codes, sessions and links. */
export async function deleteOperatorRow(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('operator').where('id', '=', id).execute()
}

/** False if a code of this step, or of a later one up to `latest`, was taken already. Beyond it the clock was set back since. */
export async function updateTotpStep(
  db: ControlDb,
  id: string,
  { step, latest }: { step: number; latest: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operator')
    .set({ totpStep: step })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('totpStep', '<', step), eb('totpStep', '>', latest)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Those whose second step is encrypted with another key than this one. */
export async function operatorsNotSealedBy(
  db: ControlDb,
  keyId: string,
): Promise<{ id: string; username: string; sealedTotp: string }[]> {
  const rows = await db
    .selectFrom('operator')
    .select(['id', 'username', 'sealedTotp'])
    .where('sealedTotp', 'not like', `${keyId}.%`)
    .execute()
  return rows.flatMap(({ sealedTotp, ...row }) => (sealedTotp === null ? [] : { ...row, sealedTotp }))
}

type OperatorRow = ControlTables['operator']

const operatorOfRow = (row: OperatorRow): Operator => ({
  id: row.id,
  username: row.username,
  role: row.role,
  createdAt: new Date(row.createdAt),
  lastLoginAt: row.lastLoginAt === null ? undefined : new Date(row.lastLoginAt),
})

const credentialsOfRow = (row: OperatorRow): Credentials => ({
  passwordHash: row.passwordHash,
  sealedTotp: row.sealedTotp ?? undefined,
  totpSince: row.totpSince === null ? undefined : new Date(row.totpSince),
})
