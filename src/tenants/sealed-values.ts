import type { KeyRing } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Values } from './field-rules.ts'

/** Whose values they are; sealed values open for nobody else. */
export type Owner = `tenant ${string}` | `plan ${string}` | `place of site ${number}`

/** Nothing is stored where nothing is set. */
export function sealValues(keyRing: KeyRing, owner: Owner, values: Values): string | null {
  return Object.keys(values).length === 0 ? null : keyRing.seal(JSON.stringify(values), owner)
}

export function unsealValues(keyRing: KeyRing, owner: Owner, sealed: string | null): Values {
  return sealed === null ? {} : JSON.parse(keyRing.unseal(sealed, owner))
}

/** Reads and opens rows. Keys may be rotated between the two, and the old one retired: what is stored then opens. */
export async function readSealed<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cannot-decrypt') return read()
    throw error
  }
}
