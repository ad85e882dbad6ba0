import { stat } from 'node:fs/promises'
import { encryptionKeysPath, requestSecretPath } from '../../../../control/index.ts'
import type { Preflight } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkSecretFiles({ config }: Preflight, note: Note): Promise<void> {
  const { dataDir, requestSecret, encryptionKeys } = config
  const files = [
    ...(requestSecret === undefined ? [requestSecretPath(dataDir)] : []),
    ...(encryptionKeys === undefined ? [encryptionKeysPath(dataDir)] : []),
  ]
  for (const key of files) {
    const found = await stat(key).catch(() => undefined)
    if (!found) {
      const todo = 'Put the file back, or set the secret in the environment.'
      await note({ isFault: true, key, says: 'The secret is missing.', todo })
    } else if ((found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8)
      await note({
        isFault: true,
        key,
        says: `Its mode is ${mode}: other accounts can read it.`,
        todo: 'chmod 600',
      })
    }
  }
}
