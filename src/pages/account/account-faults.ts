import { guessablePassword } from '../../accounts/index.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Words } from '../../words/en.ts'

/** Why an account or a change of it was refused, by field; `form` is about none of them. */
export type AccountFaults = { [Field in 'username' | 'email' | 'password' | 'current' | 'form']?: string }

/** Messages are written in English; what people meet here has words in every language. */
export function accountFaultsOf(
  words: Words,
  { code, list, message, retryAfterSeconds }: Refusal,
): AccountFaults {
  if (code === 'invalid-account') {
    const names = list.map((fault) => fault.split(':', 1).join())
    const passwordFault = list.includes(`password: ${guessablePassword.common}`)
      ? words.passwordCommon
      : list.includes(`password: ${guessablePassword.name}`)
        ? words.passwordIsName
        : words.passwordRule
    return {
      ...(names.includes('username') && { username: words.usernameRule }),
      ...(names.includes('email') && { email: words.emailRule }),
      ...(names.includes('password') && { password: passwordFault }),
    }
  }
  if (code === 'username-taken') return { username: words.usernameTaken }
  if (code === 'name-reserved') return { username: words.usernameReserved }
  if (code === 'email-taken') return { email: words.emailTaken }
  if (code === 'wrong-current-password') return { current: words.currentWrong }
  if (code === 'too-many-logins')
    return { current: words.logInTooMany(String(Math.ceil((retryAfterSeconds ?? 0) / 60))) }
  if (code === 'too-many-mails') return { form: words.tooManyRequests }
  if (code === 'api-off') return { form: words.uploadKeysOff }
  if (code === 'limit-reached') return { form: words.limitReached(message) }
  return { form: message }
}
