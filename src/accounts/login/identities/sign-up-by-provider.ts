import { inTransaction } from '../../../db/index.ts'
import { type ChangingSite, isSwitchedOn, type Site } from '../../../site/index.ts'
import { invalidAccount, nameReserved, signUpClosed } from '../../errors.ts'
import { isRefusedAtSignUp } from '../../links/reserved-names.ts'
import { usernameFault } from '../../users/account-rules.ts'
import { addUser, lockUsers } from '../../users/users.ts'
import { findUserByName, hasEmail } from '../../users/users-table.ts'
import { emailUnverified } from '../providers/provider-errors.ts'
import { requireEnabled } from './connect.ts'
import { addIdentity } from './identities.ts'
import type { ProviderAccount } from './provider-account.ts'

/**
 * What a person may do whose account is not connected.
 * - `link`: a user here has the verified address, and may connect the account after a log-in.
 * - `sign-up`: a new user.
 * - `unverified`: a new user, had the provider verified the address.
 * - `none`: sign-up is closed.
 */
export type NextStep = 'link' | 'sign-up' | 'unverified' | 'none'

export async function nextStepOf(site: Site, account: ProviderAccount): Promise<NextStep> {
  const provider = await requireEnabled(site, account.provider)
  if (account.email !== undefined && (await hasEmail(site.db, account.email))) return 'link'
  if (!provider.isSignUpOpen || !isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) return 'none'
  return account.email === undefined ? 'unverified' : 'sign-up'
}

/** Makes a user without a password. Both the site and the provider must be open for it. */
export async function signUpByProvider(
  site: ChangingSite,
  { account, username }: { account: ProviderAccount; username: string },
): Promise<string> {
  const fault = usernameFault(username)
  if (fault !== undefined) throw invalidAccount([`username: ${fault}`])
  if (isRefusedAtSignUp(username)) throw nameReserved(username)
  const { email } = account
  if (email === undefined) throw emailUnverified()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const { isSignUpOpen, newUserRole: role } = await requireEnabled({ db }, account.provider)
    if (!isSignUpOpen || !isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) throw signUpClosed()
    const user = await addUser({ ...site, db }, { username, email, passwordHash: '', role })
    await addIdentity({ ...site, db }, user.id, account)
    return user.id
  })
}

const mostNumbers = 99

/** A free name like the one that the provider told; empty if there is none. */
export async function freeName(site: Site, { suggestedName }: ProviderAccount): Promise<string> {
  if (suggestedName === '') return ''
  const isFree = async (name: string) =>
    !isRefusedAtSignUp(name) && (await findUserByName(site.db, name)) === undefined
  if (await isFree(suggestedName)) return suggestedName
  for (let number = 2; number <= mostNumbers; number += 1) {
    const name = `${suggestedName.slice(0, 29)}${number}`
    if (await isFree(name)) return name
  }
  return ''
}
