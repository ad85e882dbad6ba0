import type { Refusal } from '../../../lib/refusal.ts'
import type { Reader } from '../../reader.ts'
import { refusalText } from '../../refusal-words.ts'

export function userFault(reader: Reader, refusal: Refusal): string {
  if (refusal.code === 'last-admin') return reader.words.lastAdmin
  return refusal.code === 'version-differs' ? reader.words.userChanged : refusalText(reader, refusal)
}
