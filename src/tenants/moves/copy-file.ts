import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Storage } from '../../storage/index.ts'
import { copyDamaged } from '../errors.ts'

interface Ends {
  from: Storage
  to: Storage
  spool: string
}

/** Copies the bytes of a key and reads them back. False if the key no longer exists. */
export async function copyFile({ from, to, spool }: Ends, key: string): Promise<boolean> {
  const path = join(spool, randomId())
  try {
    const stored = await from.read(key)
    if (!stored) return false
    const hash = createHash('sha256')
    await pipeline(
      streamOf(stored.content),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
    // Never overwritten: another process may have taken this move over and verified the key already.
    await to.put([{ key, path }]).catch(ignoreIfTaken)
    if ((await hashOf(to, key)) !== hash.digest('hex')) throw copyDamaged(key)
    return true
  } finally {
    await rm(path, { force: true })
  }
}

/** An aborted move may have put the key already. */
function ignoreIfTaken(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== 'key-taken') throw error
}

export async function compareFile({ from, to }: Omit<Ends, 'spool'>, key: string): Promise<void> {
  const [one, two] = await Promise.all([hashOf(from, key), hashOf(to, key)])
  if (one !== undefined && one !== two) throw copyDamaged(key)
}

async function hashOf(storage: Storage, key: string): Promise<string | undefined> {
  const stored = await storage.read(key)
  if (!stored) return undefined
  const hash = createHash('sha256')
  try {
    for await (const chunk of streamOf(stored.content)) hash.update(chunk)
  } catch (error) {
    throw error instanceof Refusal ? error : copyDamaged(key, error)
  }
  return hash.digest('hex')
}

const streamOf = (content: Buffer | Readable) =>
  Buffer.isBuffer(content) ? Readable.from([content]) : content
