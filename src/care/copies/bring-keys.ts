import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { type Control, encryptionKeysPath, parseKeys, requestSecretPath } from '../../control/index.ts'
import { createFileDurably } from '../../lib/durable.ts'
import { type KeyRing, keyRingOf } from '../../lib/key-ring.ts'
import { Refusal } from '../../lib/refusal.ts'
import { keysMissing, wrongKey } from '../errors.ts'
import { isThere } from './is-there.ts'
import type { Manifest } from './manifest.ts'

/**
 * Before the installation is opened: it would make new secrets where there are none, and what is sealed in the
 * backup would open for nobody.
 */
export async function bringKeys(config: Config, folder: string, manifest: Manifest): Promise<void> {
  const { dataDir } = config
  if (config.encryptionKeys === undefined && !(await isThere(encryptionKeysPath(dataDir)))) {
    if (manifest.hasKeys) await copySecret(encryptionKeysPath(folder), encryptionKeysPath(dataDir))
    else if (manifest.sealed > 0) throw keysMissing(encryptionKeysPath(dataDir), manifest.keyId)
  }
  const hasSecret = await isThere(requestSecretPath(folder))
  if (hasSecret && config.requestSecret === undefined && !(await isThere(requestSecretPath(dataDir))))
    await copySecret(requestSecretPath(folder), requestSecretPath(dataDir))
}

async function copySecret(from: string, to: string): Promise<void> {
  await createFileDurably(to, await readFile(from, 'utf8'), 0o600)
}

/** Gives sealed values as this installation can read them; those that nobody can open are refused by name. */
export async function sealedFor(control: Control, folder: string, manifest: Manifest) {
  const brought = manifest.hasKeys ? await ringOf(encryptionKeysPath(folder)) : undefined
  return (sealed: string | null, owner: string): string | null => {
    if (sealed === null || textOf(control.keyRing, sealed, owner) !== undefined) return sealed
    const text = brought && textOf(brought, sealed, owner)
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
