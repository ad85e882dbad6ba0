import type { KeyRing } from '../../lib/key-ring.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Values } from './field-rules.ts'

/** The owner of encrypted values, authenticated with them: they cannot be decrypted for another owner. */
export type Owner = `tenant ${string}` | `plan ${string}` | `place of site ${number}`

/** `null` for an empty set of values. */
export function sealValues(keyRing: KeyRing, owner: Owner, values: Values): string | null {
  return Object.keys(values).length === 0 ? null : keyRing.seal(JSON.stringify(values), owner)
}

export function unsealValues(keyRing: KeyRing, owner: Owner, sealed: string | null): Values {
  return sealed === null ? {} : JSON.parse(keyRing.unseal(sealed, owner))
}

/** Repeats a read whose decryption fails: the keys may have been rotated between the read and the decryption. */
export async function readSealed<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cannot-decrypt') return read()
    throw error
  }
}
