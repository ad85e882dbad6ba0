import { createHash } from 'node:crypto'
import { randomId, randomSecret } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import { keyNameTaken } from './errors.ts'
import { insertUserKey } from './user-keys-table.ts'

/** Makes an upload key and tells it, this once: only its hash is kept. */
export async function createUserKey(site: Site, input: { userId: string; name: string }): Promise<string> {
  const id = randomId()
  const key = `trc_${id}_${randomSecret()}`
  const secretHash = createHash('sha256').update(key).digest('hex')
  const isNew = await insertUserKey(site.db, { id, ...input, secretHash, createdAt: site.clock.now() })
  if (!isNew) throw keyNameTaken(input.name)
  return key
}
