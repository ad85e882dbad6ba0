import { inTransaction, type SiteDb } from '../../db/index.ts'
import { type Fault, faultsIf } from '../../lib/faults.ts'
import { randomId } from '../../lib/ids.ts'
import {
  addToDay,
  addToTotal,
  type ChangingSite,
  type LimitName,
  limitOf,
  lockTotal,
  recordChange,
  type Site,
  type TotalName,
} from '../../site/index.ts'
import { emailTaken, invalidAccount, limitReached, userNotFound, usernameTaken } from '../errors.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { emailFault, passwordFault, usernameFault } from './account-rules.ts'
import { chosenPasswordFault } from './chosen-password.ts'
import { hashPassword, randomPassword } from './passwords.ts'
import {
  findUserByName,
  insertUser,
  type ListedUser,
  type Role,
  staffEmails,
  updateUser,
} from './users-table.ts'

export interface Account {
  username: string
  email: string
  password: string
}

/** An account with a hashed password: hashing is too slow for a transaction. */
export interface HashedAccount {
  username: string
  email: string | undefined
  passwordHash: string
  role: Role
  /** A link in a mail to the address was used. */
  isEmailConfirmed?: boolean
  /** The address waits to be confirmed. */
  pendingEmail?: string
}

export async function createUser(site: ChangingSite, account: Account & { role: Role }): Promise<ListedUser> {
  const { password, ...rest } = checkedAccount(account)
  const passwordHash = await hashPassword(password)
  return addUser(site, { ...rest, role: account.role, passwordHash })
}

const accountRules = { username: usernameFault, email: emailFault, password: passwordFault }

/** All faults of an account, each with its field's name. */
export function accountFaults(account: { [Field in keyof Account]?: string | undefined }): Fault[] {
  return Object.entries(accountRules).flatMap(([field, rule]) => {
    const text = account[field as keyof Account]
    return faultsIf(field, text === undefined ? undefined : rule(text))
  })
}

/** Refuses what can be refused before the password is known. */
export function checkNewUser({ username, email }: Pick<Account, 'username' | 'email'>): void {
  const faults = accountFaults({ username, email })
  if (faults.length > 0) throw invalidAccount(faults)
}

export function checkedAccount(account: Account): Account {
  const faults = accountFaults(account)
  if (faults.length > 0) throw invalidAccount(faults)
  return account
}

/** Refuses an account that a person fills in, with all faults at once. The password may be chosen later. */
export async function checkChosenAccount(
  site: Site,
  { username, email, password }: Omit<Account, 'password'> & { password?: string },
): Promise<void> {
  const broken =
    password === undefined ? undefined : await chosenPasswordFault(site, password, [username, email])
  const faults = [...accountFaults({ username, email }), ...faultsIf('password', broken)]
  if (faults.length > 0) throw invalidAccount(faults)
}

export function addUser(site: ChangingSite, account: HashedAccount): Promise<ListedUser> {
  const { username, email, role, passwordHash, isEmailConfirmed = false, pendingEmail } = account
  return inTransaction(site.db, async (db) => {
    const at = site.clock.now()
    const user: ListedUser = {
      id: randomId(),
      username,
      email,
      role,
      pendingEmail,
      isBanned: false,
      emailConfirmedAt: isEmailConfirmed ? at : undefined,
      createdAt: at,
      updatedAt: at,
      version: 1,
    }
    if (!(await insertUser(db, user, passwordHash)))
      throw (await findUserByName(db, username)) ? usernameTaken(username) : emailTaken(email ?? '')

    await countUser({ ...site, db }, 'users', 'SERVICE_MAX_USERS')
    await countRole({ ...site, db }, role)
    await addToDay({ ...site, db }, { users: 1 })
    await recordChange(
      { ...site, db },
      { verb: 'user.created', target: user.id, after: { email, role, isBanned: false } },
    )
    return user
  })
}

/** Counts a user who gets a role. */
export async function countRole(site: ChangingSite, role: Role): Promise<void> {
  if (role === 'admin') await countUser(site, 'admins', 'SERVICE_MAX_ADMINS')
  if (role === 'manager') await countUser(site, 'managers', 'SERVICE_MAX_MANAGERS')
}

/** Uncounts a user who loses a role. */
export async function uncountRole(db: SiteDb, role: Role): Promise<void> {
  if (role === 'admin') await addToTotal(db, 'admins', -1)
  if (role === 'manager') await addToTotal(db, 'managers', -1)
}

/** Locks all accounts until the transaction ends. */
export const lockUsers = (db: SiteDb): Promise<void> => lockTotal(db, 'users')

async function countUser(site: ChangingSite, total: TotalName, limitName: LimitName): Promise<void> {
  const limit = limitOf(site.values, limitName)
  const isWithin = await addToTotal(site.db, total, 1, limit)
  if (!isWithin) throw limitReached(limitName, limit ?? 0)
}

const mostStaff = 100

/** Where mails to the staff of the site go. */
export const staffAddresses = (site: Site): Promise<string[]> =>
  staffEmails(site.db, ['admin', 'manager'], mostStaff)

/** Where mails to the administrators go. */
export const adminAddresses = (site: Site): Promise<string[]> => staffEmails(site.db, ['admin'], mostStaff)

/** Neither password is recorded. */
export const recordPassword = (site: ChangingSite, userId: string): Promise<void> =>
  recordChange(site, {
    verb: 'user.updated',
    target: userId,
    before: { password: 'old' },
    after: { password: 'new' },
  })

/** Refuses what `resetPassword` refuses. Returns the user's name as it is stored. */
export async function checkPasswordReset(
  { db }: Pick<Site, 'db'>,
  { username, password }: { username: string; password?: string | undefined },
): Promise<string> {
  const fault = password === undefined ? undefined : passwordFault(password)
  if (fault !== undefined) throw invalidAccount([{ field: 'password', ...fault }])
  const user = await findUserByName(db, username)
  if (!user) throw userNotFound(username)
  return user.username
}

/** Sets a user's password, a random one by default, and ends the user's sessions and links in mails. */
export async function resetPassword(
  site: ChangingSite,
  input: { username: string; password?: string | undefined },
) {
  const password = input.password ?? randomPassword()
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalidAccount([{ field: 'password', ...fault }])
  const passwordHash = await hashPassword(password)

  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const user = await findUserByName(db, input.username)
    if (!user) throw userNotFound(input.username)
    await updateUser(db, user, { passwordHash }, site.clock.now())
    await deleteSessions(db, user.id)
    await recordPassword({ ...site, db }, user.id)
    return { userId: user.id, username: user.username, password }
  })
}
