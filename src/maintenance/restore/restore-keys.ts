import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { type Control, encryptionKeysPath, parseKeys, requestSecretPath } from '../../control/index.ts'
import { createFileDurably, exists } from '../../lib/files/durable.ts'
import { type KeyRing, keyRingOf } from '../../lib/key-ring.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Manifest } from '../backup-format/manifest.ts'
import { keysMissing, wrongKey } from '../errors.ts'

/**
 * Runs before the installation is opened: opening creates missing secrets, and with new keys the encrypted values of the
 * backup could not be decrypted.
 */
export async function restoreKeys(config: Config, folder: string, manifest: Manifest): Promise<void> {
  const { dataDir } = config
  if (config.encryptionKeys === undefined && !(await exists(encryptionKeysPath(dataDir)))) {
    if (manifest.hasKeys) await copySecret(encryptionKeysPath(folder), encryptionKeysPath(dataDir))
    else if (manifest.sealed > 0) throw keysMissing(encryptionKeysPath(dataDir), manifest.keyId)
  }
  const hasSecret = await exists(requestSecretPath(folder))
  if (hasSecret && config.requestSecret === undefined && !(await exists(requestSecretPath(dataDir))))
    await copySecret(requestSecretPath(folder), requestSecretPath(dataDir))
}

async function copySecret(from: string, to: string): Promise<void> {
  await createFileDurably(to, await readFile(from, 'utf8'))
}

/** Encrypts values of the backup for this installation, if necessary; a value that no key decrypts is refused by name. */
export async function resealFor(control: Control, folder: string, manifest: Manifest) {
  const backupRing = manifest.hasKeys ? await ringOf(encryptionKeysPath(folder)) : undefined
  return (sealed: string | null, owner: string): string | null => {
    if (sealed === null || textOf(control.keyRing, sealed, owner) !== undefined) return sealed
    const text = backupRing && textOf(backupRing, sealed, owner)
    if (text === undefined) throw wrongKey(owner, sealed.split('.')[0] ?? manifest.keyId)
    return control.keyRing.seal(text, owner)
  }
}

async function ringOf(path: string): Promise<KeyRing> {
  const keys = parseKeys((await readFile(path, 'utf8')).trim().split('\n'))
  return keyRingOf({ keys: () => keys, refresh: () => undefined })
}

function textOf(ring: KeyRing, sealed: string, owner: string): string | undefined {
  try {
    return ring.unseal(sealed, owner)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
