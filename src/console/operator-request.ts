import { installationKey, type OperatorRequest } from '../control/index.ts'
import { originOf } from '../http/session/session-cookie.ts'
import type { Refusal } from '../lib/refusal.ts'
import { ownPath } from '../ui/own-path.ts'
import type { Reader } from '../ui/reader.ts'
import { type FormFaults, refusalInWords, wholeForm } from '../ui/refusal-words.ts'
import { writeCount } from '../words/format.ts'
import { type ConsoleCall, consolePrefix } from './console-call.ts'

/** What the functions of operators' accounts need of a request. */
export const operatorRequestOf = ({ app, request, caller }: ConsoleCall): OperatorRequest => ({
  hostname: app.config.console.hostname,
  origin: originOf(app, app.config.console, request),
  key: installationKey(app.requestSecret, 'log-ins'),
  address: request.client.address,
  userAgent: request.headers['user-agent'] ?? '',
  sessionId: caller?.sessionId,
})

/**
 * Where a log-in or a proof leads: a page of the console, the overview by default, as for what only scripts ask for. Browsers
 * resolve `..`, escaped or not, so that is done before the path is compared.
 */
export function consoleTarget(text: string): string {
  const { pathname, search } = new URL(ownPath(text, consolePrefix), 'http://console')
  const path = pathname + search
  const isPage = new RegExp(`^${consolePrefix}(?:$|\\?|/(?!-/))`).test(path)
  return isPage ? path : consolePrefix
}

/** Why a password, a code or a passkey was refused, by field; under an empty name what concerns none of them. */
export function signInFaults(reader: Reader, refusal: Refusal): FormFaults {
  const { words, language } = reader
  const { code, retryAfterSeconds = 0 } = refusal
  if (code === 'too-many-logins')
    return wholeForm(writeCount(language, words.consoleTooMany, Math.ceil(retryAfterSeconds / 60)))
  if (code === 'passkey-refused') return wholeForm(words.passkeyRefused)
  if (code === 'too-many-passkeys') return wholeForm(words.passkeysTooMany)
  if (code === 'set-up-ended') return wholeForm(words.setUpEnded)
  return refusalInWords(reader, refusal)
}
