import { inTransaction } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import { allTotals, type ChangingSite, isSwitchedOn, limitOf, type Site } from '../../site/index.ts'
import { hashOfToken } from '../callers.ts'
import { limitReached, linkEnded, nameReserved, signUpClosed, usernameTaken } from '../errors.ts'
import { type Account, addUser, checkChosenAccount, lockUsers } from '../users/users.ts'
import { findUserByName, hasEmail, type ListedUser } from '../users/users-table.ts'
import { type AddressMail, confirmationMs, mailToOwner } from './confirm-address.ts'
import { takeMail } from './count-request.ts'
import { deleteMailLink, deleteMailLinksUntil, findMailLink, insertMailLink } from './mail-links-table.ts'
import { isRefusedAtSignUp } from './reserved-names.ts'

type SignUp = Pick<Account, 'username' | 'email'>

/**
 * Refuses where sign-up is closed, and an account that cannot be made. With mail there is no password yet: who opens the
 * mail sets it, not who has asked for the account.
 */
export async function checkSignUp(site: Site, account: SignUp & { password?: string }): Promise<void> {
  checkOpen(site)
  await checkChosenAccount(site, account)
  if (isRefusedAtSignUp(account.username)) throw nameReserved(account.username)
  const limit = limitOf(site.values, 'SERVICE_MAX_USERS')
  if (limit !== undefined && (await allTotals(site.db)).users >= limit)
    throw limitReached('SERVICE_MAX_USERS', limit)
  if (await findUserByName(site.db, account.username)) throw usernameTaken(account.username)
}

/** Makes the account at once: for sites that send no mail. */
export function signUp(site: ChangingSite, account: SignUp & { passwordHash: string }): Promise<ListedUser> {
  checkOpen(site)
  return addUser(site, { ...account, role: 'user' })
}

/** Keeps the account until its address is confirmed. */
export function startSignUp(site: ChangingSite, { username, email }: SignUp): Promise<AddressMail> {
  checkOpen(site)
  const createdAt = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteMailLinksUntil(db, createdAt)
    if (await hasEmail(db, email)) return mailToOwner({ ...site, db }, email)
    if (!(await takeMail({ ...site, db }, { kind: 'sign-up', to: email }))) return undefined
    const token = randomSecret()
    const content = JSON.stringify({ username, email })
    const expiresAt = new Date(createdAt.getTime() + confirmationMs)
    const row = { kind: 'sign-up', userId: undefined, content, createdAt, expiresAt } as const
    await insertMailLink(db, { ...row, tokenHash: hashOfToken(token) })
    return { token }
  })
}

/** The account of a link that still opens. */
export async function readSignUp(site: Site, token: string): Promise<SignUp> {
  checkOpen(site)
  const now = site.clock.now()
  const link = await findMailLink(site.db, { tokenHash: hashOfToken(token), kind: 'sign-up', now })
  if (!link) throw linkEnded()
  return JSON.parse(link.content) as SignUp
}

/** Makes the account of a link, once. */
export function confirmSignUp(
  site: ChangingSite,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<ListedUser> {
  checkOpen(site)
  const tokenHash = hashOfToken(token)
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const link = await findMailLink(db, { tokenHash, kind: 'sign-up', now: site.clock.now() })
    if (!link) throw linkEnded()
    await deleteMailLink(db, tokenHash)
    const { username, email } = JSON.parse(link.content) as SignUp
    const account = { username, email, passwordHash, role: 'user', isEmailConfirmed: true } as const
    return addUser({ ...site, db }, account)
  })
}

function checkOpen({ values }: Site): void {
  if (!isSwitchedOn(values, 'SERVICE_ENABLE_SIGNUP')) throw signUpClosed()
}
