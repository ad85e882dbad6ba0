import { hash, timingSafeEqual } from 'node:crypto'
import { faultOf } from '../../lib/faults.ts'
import { randomSecret } from '../../lib/ids.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { badKey, invalidKey, keyNameTaken, keyNotFound } from '../errors.ts'
import {
  allControlKeys,
  type ControlKey,
  deleteControlKey,
  findControlKey,
  insertControlKey,
  updateControlKeyHash,
} from './keys-table.ts'

interface NewKey {
  name?: string | undefined
  expiresAt?: Date | undefined
}

/** Creates a management key. This result alone contains the key: only its hash is stored. */
export async function createKey(
  control: Control,
  { name, expiresAt }: NewKey,
): Promise<ControlKey & { key: string }> {
  const createdAt = control.clock.now()
  if (name !== undefined && !/^[^\p{C}]{1,100}$/u.test(name))
    throw invalidKey(faultOf('name', 'controlKeyName'))
  if (expiresAt && expiresAt <= createdAt) throw invalidKey(faultOf('expires', 'future'))

  return control.store.changeControl(async (db) => {
    const id = await insertControlKey(db, { name, createdAt, expiresAt })
    if (id === undefined) throw keyNameTaken(name ?? '')
    const key = `trc_${id}_${randomSecret()}`
    const secretHash = hash('sha256', key)
    await updateControlKeyHash(db, id, secretHash)
    const after = recordedKey({ name, expiresAt })
    await recordControlChange(control, db, { verb: 'key.created', target: String(id), after })
    return { id, name, createdAt, expiresAt, secretHash, key }
  })
}

const recordedKey = ({ name, expiresAt }: NewKey) => ({ name, expiresAt: expiresAt?.toISOString() })

const keyForm = /^trc_([0-9]{1,9})_[A-Za-z0-9]{20,100}$/
const noKeysHash = hash('sha256', 'nobody', 'buffer')

/** The key's record. Unknown, wrong and expired keys are refused with the same error after the same work. */
export async function verifyKey(control: Control, text: string): Promise<ControlKey> {
  // All keys are cached: a database look-up for some of them would make the response time reveal which keys exist.
  const keys = await control.cache.read('keys', () => keysById(control))
  const key = keys.get(parseWholeNumber(keyForm.exec(text)?.[1] ?? '') ?? 0)
  const expected = key ? Buffer.from(key.secretHash, 'hex') : noKeysHash
  const isRight = timingSafeEqual(hash('sha256', text, 'buffer'), expected)
  if (!isRight || !key || (key.expiresAt && key.expiresAt <= control.clock.now())) throw badKey()
  return key
}

async function keysById(control: Control): Promise<Map<number, ControlKey>> {
  const keys = await allControlKeys(control.store.control)
  return new Map(keys.map((key) => [key.id, key]))
}

export const listKeys = (control: Control): Promise<ControlKey[]> => allControlKeys(control.store.control)

/** Returns the deleted key. */
export async function deleteKey(
  control: Control,
  by: { id: number } | { name: string },
): Promise<ControlKey> {
  return control.store.changeControl(async (db) => {
    const key = await findControlKey(db, by)
    if (!key) throw keyNotFound('id' in by ? String(by.id) : by.name)
    await deleteControlKey(db, key.id)
    const before = recordedKey(key)
    await recordControlChange(control, db, { verb: 'key.deleted', target: String(key.id), before })
    return key
  })
}
