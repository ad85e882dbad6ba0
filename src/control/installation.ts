import { hash } from 'node:crypto'
import type { ControlDb, Store } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Control } from './control.ts'
import { findMeta, hasSites, upsertMeta } from './meta-table.ts'

const checkText = 'terrace'

/**
 * All servers of an installation must have the same secrets. The first server stores a check value; a server that generated
 * its own secrets, because none were configured, is refused here and not when a tenant cannot be decrypted.
 */
export async function checkSecrets(
  control: Control,
  secret: { text: string; isGenerated: boolean },
): Promise<void> {
  const secretHash = hash('sha256', `request secret ${secret.text}`)
  // With SQLite a generated secret is in the same data folder as the rows, so that it cannot differ.
  const mayDisagree = control.store.kind === 'postgres'
  const check = async (db: ControlDb) => {
    const sealed = await findMeta(db, 'seal-check')
    if (sealed !== undefined && !opens(control, sealed)) throw otherSecret('SERVICE_ENCRYPTION_KEY')
    const known = mayDisagree ? await findMeta(db, 'secret-check') : secretHash
    if (known !== undefined && known !== secretHash && secret.isGenerated) {
      throw otherSecret('SERVICE_TENANTS_API_REQUEST_SECRET')
    }
    return { hasSeal: sealed !== undefined, isKnown: known === secretHash }
  }
  const { hasSeal, isKnown } = await check(control.store.control)
  if (hasSeal && isKnown) return
  await control.store.changeControl(async (db) => {
    // Checked again under the lock: another server may have been first.
    const now = await check(db)
    if (!now.hasSeal) await upsertMeta(db, 'seal-check', control.keyRing.seal(checkText, 'installation'))
    if (!now.isKnown) await upsertMeta(db, 'secret-check', secretHash)
  })
}

/** The installation's id, generated on first use. */
export async function installationId(store: Store): Promise<string> {
  const known = await findMeta(store.control, 'installation')
  if (known !== undefined) return known
  return store.changeControl(async (db) => {
    const name = (await findMeta(db, 'installation')) ?? randomId(20)
    await upsertMeta(db, 'installation', name)
    return name
  })
}

/**
 * The installation's own folder in its bucket, decided when it first uses a bucket. Earlier versions used no folder: if the
 * installation has sites already, their bytes may be at the top of the bucket and stay there.
 */
export async function storageFolder(store: Store): Promise<string> {
  const known = await findMeta(store.control, 'storage-folder')
  if (known !== undefined) return known
  const installation = await installationId(store)
  return store.changeControl(async (db) => {
    const before = await findMeta(db, 'storage-folder')
    if (before !== undefined) return before
    // Beside the folders of tenants whose own storage URL names this bucket.
    const folder = (await hasSites(db)) ? '' : `${installation}/own`
    await upsertMeta(db, 'storage-folder', folder)
    return folder
  })
}

/** Encrypts the check value with the current key. */
export async function writeSealCheck(control: Control): Promise<void> {
  await control.store.changeControl((db) =>
    upsertMeta(db, 'seal-check', control.keyRing.seal(checkText, 'installation')),
  )
}

/** Whether the check value is encrypted with this key. */
export async function isSealCheckBy(db: ControlDb, keyId: string): Promise<boolean> {
  const sealed = await findMeta(db, 'seal-check')
  return sealed?.startsWith(`${keyId}.`) === true
}

/** Whether an installation was ever started on this store. */
export async function isSetUp(store: Store): Promise<boolean> {
  return (await findMeta(store.control, 'seal-check')) !== undefined
}

function opens(control: Control, sealed: string): boolean {
  try {
    return control.keyRing.unseal(sealed, 'installation') === checkText
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
