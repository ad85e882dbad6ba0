import { type BrokenRule, broken, faultsIf } from '../../lib/faults.ts'
import type { Site } from '../../site/index.ts'
import { invalidAccount } from '../errors.ts'
import { chosenLengthFault } from './account-rules.ts'

/** Refuses a password that a person chooses, if it is too short, too long or easy to guess. `names` are the user name and e-mail addresses. */
export async function checkChosenPassword(
  site: Pick<Site, 'hostname'>,
  password: string,
  names: readonly (string | undefined)[],
): Promise<void> {
  const fault = await chosenPasswordFault(site, password, names)
  if (fault !== undefined) throw invalidAccount(faultsIf('password', fault))
}

/** Why a person may not choose this password. */
export async function chosenPasswordFault(
  { hostname }: Pick<Site, 'hostname'>,
  password: string,
  names: readonly (string | undefined)[],
): Promise<BrokenRule | undefined> {
  const fault = chosenLengthFault(password)
  if (fault !== undefined) return fault
  const known = [hostname, ...names].flatMap((name = '') => [name, name.split('@', 1).join()])
  const lower = password.toLowerCase()
  if (known.some((name) => name.toLowerCase() === lower)) return broken('passwordName')
  return (await commonPasswords()).has(lower) ? broken('passwordCommon') : undefined
}

let common: Promise<ReadonlySet<string>> | undefined

/** Read for the first password that a person chooses. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('./common-passwords.json', { with: { type: 'json' } }).then(
    ({ default: { passwords } }) => new Set(passwords),
  )
  return common
}
