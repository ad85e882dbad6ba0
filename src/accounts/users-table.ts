import { prepareInsertion, type SiteDb, type SiteTables } from '../db/index.ts'
import { usernameFault } from './account-rules.ts'

export type Role = SiteTables['user']['role']

export interface User {
  id: string
  username: string
  email: string
  role: Role
}

export interface ListedUser extends User {
  isBanned: boolean
  createdAt: Date
}

export interface NewUser extends User {
  passwordHash: string
  createdAt: Date
}

const insertion = prepareInsertion('user')

/** False when the name or the address is taken. */
export function insertUser(db: SiteDb, { createdAt, ...user }: NewUser): Promise<boolean> {
  const at = createdAt.toISOString()
  const keys = { usernameKey: keyOf(user.username), emailKey: keyOf(user.email) }
  return insertion(db, { ...user, ...keys, isBanned: 0, createdAt: at, updatedAt: at })
}

export async function findUserByName(db: SiteDb, username: string): Promise<User | undefined> {
  // PostgreSQL chokes on a NUL in a text, and no user is called what a user cannot be called.
  if (usernameFault(username) !== undefined) return undefined
  return db
    .selectFrom('user')
    .select(['id', 'username', 'email', 'role'])
    .where('usernameKey', '=', keyOf(username))
    .executeTakeFirst()
}

export async function findUser(db: SiteDb, id: string): Promise<ListedUser | undefined> {
  const row = await listed(db).where('id', '=', id).executeTakeFirst()
  return row && userOfRow(row)
}

export async function allUsers(db: SiteDb): Promise<ListedUser[]> {
  const rows = await listed(db).orderBy('usernameKey').execute()
  return rows.map(userOfRow)
}

const listedColumns = ['id', 'username', 'email', 'role', 'isBanned', 'createdAt'] as const

const listed = (db: SiteDb) => db.selectFrom('user').select(listedColumns)

const userOfRow = (row: Pick<SiteTables['user'], (typeof listedColumns)[number]>): ListedUser => ({
  ...row,
  isBanned: row.isBanned === 1,
  createdAt: new Date(row.createdAt),
})

/** Whether somebody else administers the site. */
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

type UserEdit = Pick<ListedUser, 'email' | 'role' | 'isBanned'>

export async function updateUser(db: SiteDb, id: string, edit: UserEdit, at: Date): Promise<void> {
  const { email, role, isBanned } = edit
  await db
    .updateTable('user')
    .set({ email, emailKey: keyOf(email), role, isBanned: Number(isBanned), updatedAt: at.toISOString() })
    .where('id', '=', id)
    .execute()
}

/** With the user's keys, sessions and likes. */
export async function deleteUserRow(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('user').where('id', '=', id).execute()
}

/** The names of all users, by their ids. */
export async function allUsernames(db: SiteDb): Promise<Map<string, string>> {
  const rows = await db.selectFrom('user').select(['id', 'username']).execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

export async function updatePassword(db: SiteDb, id: string, passwordHash: string, at: Date): Promise<void> {
  await db
    .updateTable('user')
    .set({ passwordHash, updatedAt: at.toISOString() })
    .where('id', '=', id)
    .execute()
}

export async function deleteSessions(db: SiteDb, userId: string): Promise<void> {
  await db.deleteFrom('session').where('userId', '=', userId).execute()
}

/** Names and addresses that differ only in case are the same person's. */
const keyOf = (text: string) => text.toLowerCase()
