import { hash } from 'node:crypto'
import type { ControlDb, Store } from '../db/index.ts'
import { randomId, randomSecret } from '../lib/ids.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'
import { deriveSiteKey, type SiteKeyPurpose } from '../site/index.ts'
import { recordControlChange } from './audit/record-control-change.ts'
import type { Control } from './control.ts'
import { findMeta, hasSites, upsertMeta } from './meta-table.ts'
import { areOperatorsSealedBy, resealOperators } from './operators/reseal.ts'

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

/**
 * The secret that signs audit logs, generated on first use and stored encrypted: who can only write to the database cannot
 * sign with it. Not the request secret, because that one may be changed, and then no log could be verified.
 */
export async function auditSecret(store: Store, keyRing: KeyRing): Promise<string> {
  const known = await findMeta(store.control, 'audit-secret')
  const sealed =
    known ??
    (await store.changeControl(async (db) => {
      const made = (await findMeta(db, 'audit-secret')) ?? keyRing.seal(randomSecret(), 'audit logs')
      await upsertMeta(db, 'audit-secret', made)
      return made
    }))
  try {
    return keyRing.unseal(sealed, 'audit logs')
  } catch {
    throw otherSecret('SERVICE_ENCRYPTION_KEY')
  }
}

/** A key for one purpose of the installation's own pages, as sites have them. No site has the number 0. */
export const installationKey = (requestSecret: string, purpose: SiteKeyPurpose): Buffer =>
  deriveSiteKey(requestSecret, { number: 0 }, purpose)

/**
 * Encrypts the check value and the secret of audit logs with the current key. With them the values of tenants and plans begin
 * to go over to that key, so this is what the audit log has of a rotation: once for each key, however often it is repeated.
 */
export async function resealInstallation(control: Control): Promise<void> {
  const { store, keyRing } = control
  await store.changeControl(async (db) => {
    const key = keyRing.currentKeyId()
    if (!(await areSecretsSealedBy(db, key)))
      await recordControlChange(control, db, { verb: 'env.rotated', target: '', after: { key } })
    await upsertMeta(db, 'seal-check', keyRing.seal(checkText, 'installation'))
    const sealed = await findMeta(db, 'audit-secret')
    if (sealed === undefined) return
    await upsertMeta(db, 'audit-secret', keyRing.seal(keyRing.unseal(sealed, 'audit logs'), 'audit logs'))
  })
  await resealOperators(control)
}

/** Whether all that `resealInstallation` encrypts is encrypted with this key. */
export const isInstallationSealedBy = async (db: ControlDb, keyId: string): Promise<boolean> =>
  (await areSecretsSealedBy(db, keyId)) && areOperatorsSealedBy(db, keyId)

async function areSecretsSealedBy(db: ControlDb, keyId: string): Promise<boolean> {
  const sealed = [await findMeta(db, 'seal-check'), (await findMeta(db, 'audit-secret')) ?? `${keyId}.`]
  return sealed.every((text) => text?.startsWith(`${keyId}.`) === true)
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

/** Scheme and port that visitors use, as the server knows them. */
export interface PublicAddress {
  scheme: 'http' | 'https'
  port: number
}

interface RecordedAddress extends PublicAddress {
  /** Undefined if the server of an earlier version recorded the address. */
  consoleHostname?: string
}

/** For the tool, whose environment may lack the server's settings and never sees the headers of a proxy. */
export async function recordPublicAddress({ store }: Control, address: RecordedAddress): Promise<void> {
  await upsertMeta(store.control, 'public-address', JSON.stringify(address))
}

/** Undefined before the first start of a server. */
export async function recordedPublicAddress({ store }: Control): Promise<RecordedAddress | undefined> {
  const text = await findMeta(store.control, 'public-address')
  return text === undefined ? undefined : JSON.parse(text)
}
