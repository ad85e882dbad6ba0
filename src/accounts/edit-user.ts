import { inTransaction, type SiteDb } from '../db/index.ts'
import type { Site } from '../site/index.ts'
import { addToTotal } from '../site/index.ts'
import { emailFault } from './account-rules.ts'
import { emailTaken, invalidAccount, lastAdmin, userNotFound } from './errors.ts'
import { countRole, uncountRole, waitForUsers } from './users.ts'
import {
  deleteSessions,
  deleteUserRow,
  findUser,
  findUserByName,
  hasEmail,
  hasOtherAdmin,
  type ListedUser,
  type Role,
  updateUser,
} from './users-table.ts'

interface UserEdit {
  username: string
  email?: string | undefined
  role?: Role | undefined
  isBanned?: boolean | undefined
}

/** Changes a user; what is not given stays. Somebody who is banned has no session and no key that works. */
export async function editUser(site: Site, { username, ...edit }: UserEdit): Promise<ListedUser> {
  const fault = edit.email === undefined ? undefined : emailFault(edit.email)
  if (fault !== undefined) throw invalidAccount([`email: ${fault}`])

  return inTransaction(site.db, async (db) => {
    await waitForUsers(db)
    const user = await userNamed(db, username)
    const { email = user.email, role = user.role, isBanned = user.isBanned } = edit
    if (isAdmin(user) && !isAdmin({ role, isBanned })) await checkNotLast(db, user)
    if (email.toLowerCase() !== user.email.toLowerCase() && (await hasEmail(db, email)))
      throw emailTaken(email)
    if (role !== user.role) {
      await uncountRole(db, user.role)
      await countRole({ ...site, db }, role)
    }
    await updateUser(db, user.id, { email, role, isBanned }, site.clock.now())
    if (isBanned) await deleteSessions(db, user.id)
    return { ...user, email, role, isBanned }
  })
}

/** The user, about to be deleted: nobody else changes accounts until the transaction ends. */
export async function lastLookAt(db: SiteDb, username: string): Promise<ListedUser> {
  await waitForUsers(db)
  const user = await userNamed(db, username)
  if (isAdmin(user)) await checkNotLast(db, user)
  return user
}

/** What the user has made must have gone before. */
export async function deleteUser(db: SiteDb, { id, role }: ListedUser): Promise<void> {
  await deleteUserRow(db, id)
  await addToTotal(db, 'users', -1)
  await uncountRole(db, role)
}

async function userNamed(db: SiteDb, username: string): Promise<ListedUser> {
  const named = await findUserByName(db, username)
  const user = named && (await findUser(db, named.id))
  if (!user) throw userNotFound(username)
  return user
}

const isAdmin = ({ role, isBanned }: Pick<ListedUser, 'role' | 'isBanned'>) => role === 'admin' && !isBanned

async function checkNotLast(db: SiteDb, user: ListedUser): Promise<void> {
  if (!(await hasOtherAdmin(db, user.id))) throw lastAdmin(user.username)
}
