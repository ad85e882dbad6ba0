import { sql } from 'kysely'
import { prepare, prepareInsertion, requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import { raiseStatsVersion } from '../../site/index.ts'
import { type CreatedPosition, isCreatedBefore } from '../created-position-table.ts'
import { deleteMailLinksOf } from '../links/mail-links-table.ts'
import { emailFault, usernameFault } from './account-rules.ts'

export type Role = SiteTables['user']['role']

export const roles: readonly Role[] = ['admin', 'manager', 'user']

export interface User {
  id: string
  username: string
  /** Undefined while the first address of a user waits to be confirmed. */
  email: string | undefined
  role: Role
}

export interface ListedUser extends User {
  /** Undefined if no link of a mail to the address was used. */
  emailConfirmedAt: Date | undefined
  /** A new address that waits to be confirmed. */
  pendingEmail: string | undefined
  isBanned: boolean
  createdAt: Date
  updatedAt: Date
  version: number
}

const insertion = prepareInsertion('user')

/** False if the user name or e-mail address is taken. */
export function insertUser(db: SiteDb, user: ListedUser, passwordHash: string): Promise<boolean> {
  const { id, username, version } = user
  const named = { id, username, usernameKey: keyOf(username), passwordHash, version }
  const times = { createdAt: user.createdAt.toISOString(), updatedAt: user.updatedAt.toISOString() }
  return insertion(db, { ...named, ...times, ...columnsOfEdit(user), preferences: '{}' })
}

/** What later edits may change. */
const columnsOfEdit = ({ id, email, emailConfirmedAt, pendingEmail, role, isBanned }: ListedUser) => ({
  email: email ?? '',
  emailKey: email === undefined ? `@${id}` : keyOf(email),
  emailConfirmedAt: emailConfirmedAt?.toISOString() ?? null,
  pendingEmail: pendingEmail ?? null,
  role,
  isBanned: Number(isBanned),
})

export async function findUserByName(db: SiteDb, username: string): Promise<ListedUser | undefined> {
  // PostgreSQL refuses a NUL in a text, and no user has an invalid name.
  if (usernameFault(username) !== undefined) return undefined
  const row = await listed(db).where('usernameKey', '=', keyOf(username)).executeTakeFirst()
  return row && userOfRow(row)
}

export async function findUser(db: SiteDb, id: string): Promise<ListedUser | undefined> {
  const row = await listed(db).where('id', '=', id).executeTakeFirst()
  return row && userOfRow(row)
}

export async function allUsers(db: SiteDb): Promise<ListedUser[]> {
  const rows = await listed(db).orderBy('usernameKey').execute()
  return rows.map(userOfRow)
}

/** The e-mail addresses of administrators and managers who are not banned, the oldest accounts first. */
export async function staffEmails(db: SiteDb, roles: readonly Role[], limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('user')
    .select('email')
    .where('role', 'in', roles)
    .where('isBanned', '=', 0)
    .where('email', '!=', '')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ email }) => email)
}

/** The control row of a site has at most so many. */
const mostAdmins = 100

/** The role is a constant, because the index holds the rows of administrators alone. */
const admins = prepare((db) =>
  db
    .selectFrom('user')
    .select('emailKey')
    .where('role', '=', sql.lit('admin'))
    .where('isBanned', '=', 0)
    .where('email', '!=', '')
    .orderBy('emailKey')
    .limit(mostAdmins),
)

/** The e-mail addresses of administrators who are not banned, in lower case. */
export const adminAddressKeys = async (db: SiteDb): Promise<string[]> =>
  (await admins.rows(db, {})).map(({ emailKey }) => emailKey)

/** The address of an administrator in lower case, if it can log in; undefined for everyone else. */
const adminKeyOf = ({ role, isBanned, email }: ListedUser) =>
  role === 'admin' && !isBanned && email !== undefined ? keyOf(email) : undefined

export interface UserSelection {
  /** Undefined for all roles. */
  role: Role | undefined
  /** What the user name or the e-mail address begins with, in any case. */
  prefix: string | undefined
}

/** A page of the users, the youngest first. */
export async function usersAfter(
  db: SiteDb,
  { role, prefix }: UserSelection,
  { after, limit }: { after: CreatedPosition | undefined; limit: number },
): Promise<ListedUser[]> {
  let query = listed(db)
  if (role !== undefined) query = query.where('role', '=', role)
  if (prefix !== undefined) {
    // A text begins with the prefix if it lies between it and the last text that does: both stores compare by code points.
    const [from, to] = [keyOf(prefix), `${keyOf(prefix)}\u{10ffff}`]
    query = query.where((eb) =>
      eb.or([
        eb.and([eb('usernameKey', '>=', from), eb('usernameKey', '<', to)]),
        eb.and([eb('emailKey', '>=', from), eb('emailKey', '<', to)]),
      ]),
    )
  }
  if (after) query = query.where(isCreatedBefore(after))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(userOfRow)
}

const listedColumns = [
  'id',
  'username',
  'email',
  'role',
  'isBanned',
  'createdAt',
  'updatedAt',
  'version',
  'emailConfirmedAt',
  'pendingEmail',
] as const

const listed = (db: SiteDb) => db.selectFrom('user').select(listedColumns)

const userOfRow = (row: Pick<SiteTables['user'], (typeof listedColumns)[number]>): ListedUser => ({
  ...row,
  email: row.email === '' ? undefined : row.email,
  emailConfirmedAt: row.emailConfirmedAt === null ? undefined : new Date(row.emailConfirmedAt),
  pendingEmail: row.pendingEmail ?? undefined,
  isBanned: row.isBanned === 1,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
})

/** Which of these users exist. */
export async function existingUsers(
  db: SiteDb,
  ids: readonly (string | undefined)[],
): Promise<ReadonlySet<string | undefined>> {
  const asked = ids.filter((id) => id !== undefined)
  if (asked.length === 0) return new Set()
  const rows = await db.selectFrom('user').select('id').where('id', 'in', asked).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Whether the site has another administrator who is not banned. */
export async function hasOtherAdmin(db: SiteDb, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('user')
    .select('id')
    .where('role', '=', 'admin')
    .where('isBanned', '=', 0)
    .where('id', '!=', id)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasEmail(db: SiteDb, email: string): Promise<boolean> {
  const row = await db.selectFrom('user').select('id').where('emailKey', '=', keyOf(email)).executeTakeFirst()
  return row !== undefined
}

/** Fields that are left out stay; those that are there are set, also to undefined. */
export interface UserChange
  extends Partial<Pick<ListedUser, 'email' | 'emailConfirmedAt' | 'pendingEmail' | 'role' | 'isBanned'>> {
  passwordHash?: string | undefined
}

/**
 * The only change of an account. One of password, address, role or ban ends all links in mails to the user: each of them
 * was made for the account as it was. Needs the lock of all accounts.
 */
export async function updateUser(
  db: SiteDb,
  user: ListedUser,
  { passwordHash, ...change }: UserChange,
  at: Date,
): Promise<ListedUser> {
  const edited = { ...user, ...change, updatedAt: at, version: user.version + 1 }
  await db
    .updateTable('user')
    .set({ ...columnsOfEdit(edited), passwordHash, updatedAt: at.toISOString() })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', user.id)
    .execute()
  if (adminKeyOf(user) !== adminKeyOf(edited)) {
    // The control row has the addresses of administrators.
    await raiseStatsVersion(db)
    requestSync(db)
  }
  const isSame =
    passwordHash === undefined &&
    isSameAddress(user.email, edited.email) &&
    user.role === edited.role &&
    user.isBanned === edited.isBanned
  if (!isSame) await deleteMailLinksOf(db, user.id)
  return edited
}

/** The foreign keys delete the user's keys, sessions and likes. */
export async function deleteUserRow(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('user').where('id', '=', id).execute()
}

/** The names of all users, by user id. */
export async function allUsernames(db: SiteDb): Promise<Map<string, string>> {
  const rows = await db.selectFrom('user').select(['id', 'username']).execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

/** User names and e-mail addresses that differ only in case are equal. */
const keyOf = (text: string) => text.toLowerCase()

export const isSameAddress = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase()

/** A user by name or e-mail address, for a log-in. No user name contains an @. */
export async function findUserForLogin(
  db: SiteDb,
  login: string,
): Promise<{ id: string; passwordHash: string; isBanned: boolean } | undefined> {
  const column = usernameFault(login) === undefined ? 'usernameKey' : 'emailKey'
  // PostgreSQL refuses a NUL in a text, and no user has an invalid address.
  if (column === 'emailKey' && emailFault(login) !== undefined) return undefined
  const row = await db
    .selectFrom('user')
    .select(['id', 'passwordHash', 'isBanned'])
    .where(column, '=', keyOf(login))
    .executeTakeFirst()
  return row && { ...row, isBanned: row.isBanned === 1 }
}

export async function findPasswordHash(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('user').select('passwordHash').where('id', '=', id).executeTakeFirst()
  return row?.passwordHash
}

export async function findPreferences(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('user').select('preferences').where('id', '=', id).executeTakeFirst()
  return row?.preferences
}

export async function updatePreferences(db: SiteDb, id: string, preferences: string): Promise<void> {
  await db.updateTable('user').set({ preferences }).where('id', '=', id).execute()
}

/** A user who is not banned, for a mail to this address. */
export async function findUserByEmail(db: SiteDb, email: string): Promise<ListedUser | undefined> {
  // PostgreSQL refuses a NUL in a text, and no user has an invalid address.
  if (emailFault(email) !== undefined) return undefined
  const query = listed(db).where('emailKey', '=', keyOf(email)).where('isBanned', '=', 0)
  const row = await query.executeTakeFirst()
  return row && userOfRow(row)
}
