import { inTransaction, type SiteDb } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, type LimitName, limitOf, lockTotal, type Site, type TotalName } from '../site/index.ts'
import { emailFault, passwordFault, usernameFault } from './account-rules.ts'
import { emailTaken, invalidAccount, limitReached, userNotFound, usernameTaken } from './errors.ts'
import { hashPassword, randomPassword } from './passwords.ts'
import {
  deleteSessions,
  findUserByName,
  insertUser,
  type Role,
  type User,
  updatePassword,
} from './users-table.ts'

export interface Account {
  username: string
  email: string
  password: string
}

/** An account whose password is hashed: what may stand in a transaction. */
export type HashedAccount = Omit<Account, 'password'> & { passwordHash: string; role: Role }

export async function createUser(site: Site, account: Account & { role: Role }): Promise<User> {
  const { password, ...rest } = await checkedAccount(account)
  const passwordHash = await hashPassword(password)
  return addUser(site, { ...rest, role: account.role, passwordHash })
}

const accountRules = { username: usernameFault, email: emailFault, password: passwordFault }

/** Everything that is wrong with an account, each fault with its field's name. */
export function accountFaults(account: { [Field in keyof Account]?: string | undefined }): string[] {
  return Object.entries(accountRules).flatMap(([field, rule]) => {
    const text = account[field as keyof Account]
    const fault = text === undefined ? undefined : rule(text)
    return fault === undefined ? [] : [`${field}: ${fault}`]
  })
}

export function checkedAccount(account: Account): Account {
  const faults = accountFaults(account)
  if (faults.length > 0) throw invalidAccount(faults)
  return account
}

export function addUser(site: Site, { role, ...account }: HashedAccount): Promise<User> {
  return inTransaction(site.db, async (db) => {
    const user: User = { id: randomId(), username: account.username, email: account.email, role }
    const passwordHash = account.passwordHash
    const isNew = await insertUser(db, { ...user, passwordHash, createdAt: site.clock.now() })
    if (!isNew)
      throw (await findUserByName(db, user.username)) ? usernameTaken(user.username) : emailTaken(user.email)

    await countUser({ ...site, db }, 'users', 'SERVICE_MAX_USERS')
    await countRole({ ...site, db }, role)
    return user
  })
}

/** Counts somebody who has a role now. */
export async function countRole(site: Site, role: Role): Promise<void> {
  if (role === 'admin') await countUser(site, 'admins', 'SERVICE_MAX_ADMINS')
  if (role === 'manager') await countUser(site, 'managers', 'SERVICE_MAX_MANAGERS')
}

/** Counts somebody less who had a role. */
export async function uncountRole(db: SiteDb, role: Role): Promise<void> {
  if (role === 'admin') await addToTotal(db, 'admins', -1)
  if (role === 'manager') await addToTotal(db, 'managers', -1)
}

/** From here to the end of the transaction no account is added, changed or deleted by another. */
export const waitForUsers = (db: SiteDb): Promise<void> => lockTotal(db, 'users')

async function countUser(site: Site, total: TotalName, limitName: LimitName): Promise<void> {
  const limit = limitOf(site.values, limitName)
  const isWithin = await addToTotal(site.db, total, 1, limit)
  if (!isWithin) throw limitReached(limitName, limit ?? 0)
}

/** Gives a user a new password, a random one when none is given, and ends the user's sessions. */
export async function resetPassword(site: Site, input: { username: string; password?: string | undefined }) {
  const password = input.password ?? randomPassword()
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalidAccount([`password: ${fault}`])
  const passwordHash = await hashPassword(password)

  return inTransaction(site.db, async (db) => {
    const user = await findUserByName(db, input.username)
    if (!user) throw userNotFound(input.username)
    await updatePassword(db, user.id, passwordHash, site.clock.now())
    await deleteSessions(db, user.id)
    return { username: user.username, password }
  })
}
