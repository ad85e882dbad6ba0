import type { Refusal } from '../../../lib/refusal.ts'
import type { Reader } from '../../reader.ts'
import { refusalText } from '../../refusal-words.ts'

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
