import { hash } from 'node:crypto'
import type { ControlDb, Store } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Control } from './control.ts'
import { findMeta, upsertMeta } from './meta-table.ts'

const sealedText = 'terrace'

/**
 * All servers of an installation must hold the same secrets. The first one leaves a mark,
 * and one that made up its own, because nobody gave it any, finds out here and not when a tenant cannot be read.
 */
export async function checkSecrets(
  control: Control,
  secret: { text: string; isGenerated: boolean },
): Promise<void> {
  const secretHash = hash('sha256', `request secret ${secret.text}`)
  // SQLite is one folder with one server, and a secret that nobody gave lies in it: there is none to disagree with.
  const mayDisagree = control.store.kind === 'postgres'
  const check = async (db: ControlDb) => {
    const mark = await findMeta(db, 'seal-check')
    if (mark !== undefined && !opens(control, mark)) throw otherSecret('SERVICE_ENCRYPTION_KEY')
    const known = mayDisagree ? await findMeta(db, 'secret-check') : secretHash
    if (known !== undefined && known !== secretHash && secret.isGenerated) {
      throw otherSecret('SERVICE_TENANTS_API_REQUEST_SECRET')
    }
    return { isMarked: mark !== undefined, isKnown: known === secretHash }
  }
  const { isMarked, isKnown } = await check(control.store.control)
  if (isMarked && isKnown) return
  await control.store.changeControl(async (db) => {
    // Asked again under the lock: another server may have been first.
    const now = await check(db)
    if (!now.isMarked) await upsertMeta(db, 'seal-check', control.keyRing.seal(sealedText, 'installation'))
    if (!now.isKnown) await upsertMeta(db, 'secret-check', secretHash)
  })
}

/** What tells this installation from others, made when it is first asked for. */
export async function nameOfInstallation(store: Store): Promise<string> {
  const known = await findMeta(store.control, 'installation')
  if (known !== undefined) return known
  return store.changeControl(async (db) => {
    const name = (await findMeta(db, 'installation')) ?? randomId(20)
    await upsertMeta(db, 'installation', name)
    return name
  })
}

export async function leaveMark(control: Control): Promise<void> {
  await control.store.changeControl((db) =>
    upsertMeta(db, 'seal-check', control.keyRing.seal(sealedText, 'installation')),
  )
}

/** Whether the mark can be read with this key alone. */
export async function isMarkSealedBy(db: ControlDb, keyId: string): Promise<boolean> {
  const mark = await findMeta(db, 'seal-check')
  return mark?.startsWith(`${keyId}.`) === true
}

/** Whether an installation was ever opened on this store. */
export async function isSetUp(store: Store): Promise<boolean> {
  return (await findMeta(store.control, 'seal-check')) !== undefined
}

function opens(control: Control, mark: string): boolean {
  try {
    return control.keyRing.unseal(mark, 'installation') === sealedText
  } catch {
    return false
  }
}

const otherSecret = (setting: string) =>
  new Refusal(
    'invalid',
    'other-secret',
    `${setting}: this installation was set up with another one; give every server the same.`,
  )
