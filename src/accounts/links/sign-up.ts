import { inTransaction } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import { allTotals, type ChangingSite, isSwitchedOn, limitOf, type Site } from '../../site/index.ts'
import { hashOfToken } from '../callers.ts'
import { limitReached, linkEnded, nameReserved, signUpClosed, usernameTaken } from '../errors.ts'
import { type Account, addUser, checkChosenAccount, type HashedAccount, lockUsers } from '../users/users.ts'
import {
  findUserByEmail,
  findUserByName,
  hasEmail,
  type ListedUser,
  type User,
} from '../users/users-table.ts'
import { deleteMailLink, deleteMailLinksUntil, findMailLink, insertMailLink } from './mail-links-table.ts'
import { isRefusedAtSignUp } from './reserved-names.ts'

const lastsMs = 86_400_000

type SignUp = Omit<HashedAccount, 'role'>

/** Refuses where sign-up is closed, and an account that cannot be made. The password is hashed after this. */
export async function checkSignUp(site: Site, account: Account): Promise<void> {
  checkOpen(site)
  await checkChosenAccount(site, account)
  if (isRefusedAtSignUp(account.username)) throw nameReserved(account.username)
  const limit = limitOf(site.values, 'SERVICE_MAX_USERS')
  if (limit !== undefined && (await allTotals(site.db)).users >= limit)
    throw limitReached('SERVICE_MAX_USERS', limit)
  if (await findUserByName(site.db, account.username)) throw usernameTaken(account.username)
}

/** Makes the account at once: for sites that send no mail. */
export function signUp(site: ChangingSite, account: SignUp): Promise<ListedUser> {
  checkOpen(site)
  return addUser(site, { ...account, role: 'user' })
}

/**
 * Keeps the account until its address is confirmed. If a user has the address already, that user is told by mail and the
 * visitor is not: the page would else tell who has an account.
 */
export function startSignUp(
  site: ChangingSite,
  account: SignUp,
): Promise<{ token: string } | { owner: User | undefined }> {
  checkOpen(site)
  const createdAt = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteMailLinksUntil(db, createdAt)
    if (await hasEmail(db, account.email)) return { owner: await findUserByEmail(db, account.email) }
    const token = randomSecret()
    const { username, email, passwordHash } = account
    const content = JSON.stringify({ username, email, passwordHash })
    const expiresAt = new Date(createdAt.getTime() + lastsMs)
    const row = { kind: 'sign-up', userId: undefined, content, createdAt, expiresAt } as const
    await insertMailLink(db, { ...row, tokenHash: hashOfToken(token) })
    return { token }
  })
}

/** The name of an account whose link still opens. */
export async function readSignUp(site: Site, token: string): Promise<string> {
  checkOpen(site)
  const now = site.clock.now()
  const link = await findMailLink(site.db, { tokenHash: hashOfToken(token), kind: 'sign-up', now })
  if (!link) throw linkEnded()
  return (JSON.parse(link.content) as SignUp).username
}

/** Makes the account of a link, once. */
export function confirmSignUp(site: ChangingSite, token: string): Promise<ListedUser> {
  checkOpen(site)
  const tokenHash = hashOfToken(token)
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const link = await findMailLink(db, { tokenHash, kind: 'sign-up', now: site.clock.now() })
    if (!link) throw linkEnded()
    await deleteMailLink(db, tokenHash)
    return addUser({ ...site, db }, { ...(JSON.parse(link.content) as SignUp), role: 'user' })
  })
}

function checkOpen({ values }: Site): void {
  if (!isSwitchedOn(values, 'SERVICE_ENABLE_SIGNUP')) throw signUpClosed()
}
