import { inTransaction, type SiteDb } from '../../db/index.ts'
import { addToTotal, type ChangingSite, recordChange } from '../../site/index.ts'
import { emailTaken, invalidAccount, lastAdmin, noSuchUser, userNotFound } from '../errors.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { emailFault } from './account-rules.ts'
import { countRole, lockUsers, uncountRole } from './users.ts'
import {
  deleteUserRow,
  findUser,
  findUserByName,
  hasEmail,
  hasOtherAdmin,
  isSameAddress,
  type ListedUser,
  type Role,
  updateUser,
} from './users-table.ts'

export interface UserEdit {
  email?: string | undefined
  role?: Role | undefined
  isBanned?: boolean | undefined
  /** Hashed before the transaction: hashing is too slow for one. */
  passwordHash?: string | undefined
}

export interface EditedUser extends ListedUser {
  before: ListedUser
}

/** Changes the given fields of a user. A banned user has no session, and the user's keys are refused. */
export async function editUser(
  site: ChangingSite,
  { username, ...edit }: UserEdit & { username: string },
): Promise<EditedUser> {
  const fault = edit.email === undefined ? undefined : emailFault(edit.email)
  if (fault !== undefined) throw invalidAccount([{ field: 'email', ...fault }])

  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    return applyEdit({ ...site, db }, await userNamed(db, username), edit)
  })
}

/** Needs the lock of all accounts. A new address is not confirmed: the owner of its mailbox was not asked. */
export async function applyEdit(site: ChangingSite, user: ListedUser, edit: UserEdit): Promise<EditedUser> {
  const { db } = site
  const { email = user.email, role = user.role, isBanned = user.isBanned, passwordHash } = edit
  if (isAdmin(user) && !isAdmin({ role, isBanned })) await checkNotLast(db, user)
  const isOther = email !== undefined && !isSameAddress(email, user.email)
  if (isOther && (await hasEmail(db, email))) throw emailTaken(email)
  if (role !== user.role) {
    await uncountRole(db, user.role)
    await countRole(site, role)
  }
  const now = site.clock.now()
  const unconfirmed = isOther ? { emailConfirmedAt: undefined, pendingEmail: undefined } : {}
  const edited = await updateUser(db, user, { email, role, isBanned, passwordHash, ...unconfirmed }, now)
  if (isBanned || passwordHash !== undefined) await deleteSessions(db, user.id)
  await recordChange(site, {
    verb: 'user.updated',
    target: user.id,
    before: { ...user, password: 'old' },
    after: { ...edited, password: passwordHash === undefined ? 'old' : 'new' },
  })
  return { ...edited, before: user }
}

/** Locks all accounts until the transaction ends, and refuses the deletion of the last administrator. */
export async function lockUserForDeletion(
  db: SiteDb,
  which: { username: string } | { id: string },
): Promise<ListedUser> {
  await lockUsers(db)
  const user = 'id' in which ? await findUser(db, which.id) : await userNamed(db, which.username)
  if (!user) throw noSuchUser('id' in which ? which.id : which.username)
  if (isAdmin(user)) await checkNotLast(db, user)
  return user
}

/** The user's files and albums must be deleted or disowned before. */
export async function deleteUser(db: SiteDb, { id, role }: ListedUser): Promise<void> {
  await deleteUserRow(db, id)
  await addToTotal(db, 'users', -1)
  await uncountRole(db, role)
}

async function userNamed(db: SiteDb, username: string): Promise<ListedUser> {
  const user = await findUserByName(db, username)
  if (!user) throw userNotFound(username)
  return user
}

const isAdmin = ({ role, isBanned }: Pick<ListedUser, 'role' | 'isBanned'>) => role === 'admin' && !isBanned

async function checkNotLast(db: SiteDb, user: ListedUser): Promise<void> {
  if (!(await hasOtherAdmin(db, user.id))) throw lastAdmin(user.username)
}
