import type { Refusal } from '../../../lib/refusal.ts'
import type { Words } from '../../../words/en.ts'

/** Why a code of the second step was refused. */
export function codeFault(words: Words, { code, message, retryAfterSeconds = 0 }: Refusal): string {
  if (code === 'wrong-code') return words.codeWrong
  if (code === 'set-up-ended') return words.setUpEnded
  if (code === 'too-many-logins') return words.codeTooMany(String(Math.ceil(retryAfterSeconds / 60)))
  return message
}

/** Why a new passkey was refused, or the removal of one. */
export function passkeyFault(words: Words, { code, message }: Refusal): string {
  if (code === 'passkey-refused') return words.passkeyRefused
  if (code === 'invalid-passkey') return words.keyNameRule
  if (code === 'last-way-in') return words.lastWayIn
  return code === 'too-many-passkeys' ? words.passkeysTooMany : message
}
