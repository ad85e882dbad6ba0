import type { Refusal } from '../../../lib/refusal.ts'
import type { Words } from '../../../words/en.ts'

/** Messages are written in English; what administrators meet here has words in every language. */
export function userFault(words: Words, { code, message }: Refusal): string {
  if (code === 'last-admin') return words.lastAdmin
  if (code === 'version-differs') return words.userChanged
  if (code === 'limit-reached') return words.limitReached(message)
  return message
}
