import { accountFaults, invalidAccount } from '../../accounts/index.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Reader } from '../../ui/reader.ts'
import { faultsInWords, refusalText } from '../../ui/refusal-words.ts'

/** Why an account or a change of it was refused, by field; `form` is about none of them. */
export type AccountFaults = { [Field in 'username' | 'email' | 'password' | 'current' | 'form']?: string }

export function accountFaultsOf(reader: Reader, refusal: Refusal): AccountFaults {
  const { words } = reader
  const { code, faults, retryAfterSeconds = 0 } = refusal
  if (faults.length > 0) {
    const { current_password: current, ...rest } = Object.fromEntries(faultsInWords(words, faults))
    return { ...rest, ...(current !== undefined && { current }) }
  }
  if (code === 'username-taken') return { username: words.usernameTaken }
  if (code === 'name-reserved') return { username: words.usernameReserved }
  if (code === 'email-taken') return { email: words.emailTaken }
  if (code === 'too-many-logins')
    return { current: words.logInTooMany(String(Math.ceil(retryAfterSeconds / 60))) }
  if (code === 'too-many-mails') return { form: words.tooManyRequests }
  if (code === 'api-off') return { form: words.uploadKeysOff }
  return { form: refusalText(reader, refusal) }
}

/** Why a code of the second step was refused. */
export function codeFault(reader: Reader, refusal: Refusal): string {
  const { words } = reader
  const { code, retryAfterSeconds = 0 } = refusal
  if (code === 'set-up-ended') return words.setUpEnded
  if (code === 'too-many-logins') return words.codeTooMany(String(Math.ceil(retryAfterSeconds / 60)))
  return refusalText(reader, refusal)
}

/** Why a new passkey was refused, or the removal of one. */
export function passkeyFault(reader: Reader, refusal: Refusal): string {
  const { words } = reader
  if (refusal.code === 'passkey-refused') return words.passkeyRefused
  if (refusal.code === 'last-way-in') return words.lastWayIn
  return refusal.code === 'too-many-passkeys' ? words.passkeysTooMany : refusalText(reader, refusal)
}

export function checkedEmail(email: string): void {
  const faults = accountFaults({ email })
  if (faults.length > 0) throw invalidAccount(faults)
}
