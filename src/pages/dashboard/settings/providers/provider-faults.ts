import type { Refusal } from '../../../../lib/refusal.ts'
import type { Reader } from '../../../reader.ts'
import { type FormFaults, refusalInWords, wholeForm } from '../../../refusal-words.ts'

export function faultsOfRefusal(reader: Reader, refusal: Refusal): FormFaults {
  const { words } = reader
  if (refusal.code === 'provider-exists') return new Map([['name', words.providerNameTaken]])
  if (refusal.code === 'issuer-in-use') return new Map([['issuer', words.providerIssuerInUse]])
  if (refusal.code === 'version-differs') return wholeForm(words.providerChanged)
  return refusalInWords(reader, refusal)
}
