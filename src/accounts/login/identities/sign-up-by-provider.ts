import { inTransaction } from '../../../db/index.ts'
import { type ChangingSite, isSwitchedOn, type Site } from '../../../site/index.ts'
import { invalidAccount, nameReserved, signUpClosed } from '../../errors.ts'
import { type AddressMail, linkToAddress } from '../../links/confirm-address.ts'
import { isRefusedAtSignUp } from '../../links/reserved-names.ts'
import { usernameFault } from '../../users/account-rules.ts'
import { addUser, lockUsers } from '../../users/users.ts'
import { findUserByName, hasEmail } from '../../users/users-table.ts'
import { emailUnverified } from '../providers/provider-errors.ts'
import { type ProviderAccount, requireEnabled } from './connect.ts'
import { addIdentity } from './identities.ts'

/**
 * What a person may do whose account is not connected. It does not depend on whether a user here has the address: that is
 * nothing for a person who is not logged in as that user.
 * - `sign-up`: a new user.
 * - `unverified`: a new user, had the provider verified the address.
 * - `none`: sign-up is closed.
 */
export type NextStep = 'sign-up' | 'unverified' | 'none'

export async function nextStepOf(site: Site, account: ProviderAccount): Promise<NextStep> {
  const provider = await requireEnabled(site, account.provider)
  if (!provider.isSignUpOpen || !isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) return 'none'
  return account.email === undefined ? 'unverified' : 'sign-up'
}

interface SignUp {
  account: ProviderAccount
  username: string
  /** Whether the site sends mail: then the address waits until its owner confirms it. */
  hasMail: boolean
}

/**
 * Makes a user without a password. Both the site and the provider must be open for it. An address that another user has is
 * not disclosed: the new user then has none.
 */
export async function signUpByProvider(
  site: ChangingSite,
  { account, username, hasMail }: SignUp,
): Promise<{ userId: string; mail: AddressMail }> {
  const fault = usernameFault(username)
  if (fault !== undefined) throw invalidAccount([{ field: 'username', ...fault }])
  if (isRefusedAtSignUp(username)) throw nameReserved(username)
  const { email } = account
  if (email === undefined) throw emailUnverified()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const { isSignUpOpen, newUserRole: role } = await requireEnabled({ db }, account.provider)
    if (!isSignUpOpen || !isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) throw signUpClosed()
    const named = { username, passwordHash: '', role }
    const user = hasMail
      ? await addUser({ ...site, db }, { ...named, email: undefined, pendingEmail: email })
      : await addUser({ ...site, db }, { ...named, email: (await hasEmail(db, email)) ? undefined : email })
    await addIdentity({ ...site, db }, user.id, account)
    const mail = hasMail ? await linkToAddress({ ...site, db }, user, email) : undefined
    return { userId: user.id, mail }
  })
}

const mostNumbers = 99

/** A free name like the one that the provider reports; empty if there is none. */
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
