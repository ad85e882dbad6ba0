import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { allDone } from '../../lib/concurrency/all-done.ts'
import { randomHex } from '../../lib/ids.ts'
import type { Storage, StoredBytes } from '../../storage/index.ts'
import { linesOf } from '../backup-format/part-file.ts'
import { type BytesCopy, bytesPath, filesPath } from '../backup-format/site-copy.ts'
import { backupDamaged } from '../errors.ts'

interface Restoring {
  folder: string
  /** The site's number in the backup. */
  number: number
  storage: Storage
  /** For files in transit, on the file system of the data folder. */
  spool: string
  onFile: () => void
}

const maxParallel = 8

/** A repeated restore skips keys that are already stored with the right size and SHA-256. */
export async function restoreBytes({ folder, number, storage, spool, onFile }: Restoring): Promise<void> {
  const restoreKey = async (copy: BytesCopy) => {
    const stored = await storage.read(copy.key)
    if (!stored || !(await isIntact(stored, copy))) {
      if (stored) await storage.remove([copy.key])
      const path = join(spool, randomHex(12))
      if ((await copyHashed(join(folder, bytesPath(number, copy.key)), path)) !== copy.sha256)
        throw backupDamaged(folder, [
          `${bytesPath(number, copy.key)}: these are not the bytes that were copied`,
        ])
      await storage.put([{ key: copy.key, path }])
    }
    onFile()
  }
  let batch: Promise<void>[] = []
  for await (const copy of linesOf<BytesCopy>(folder, filesPath(number))) {
    batch.push(restoreKey(copy))
    if (batch.length < maxParallel) continue
    await allDone(batch)
    batch = []
  }
  await allDone(batch)
}

async function isIntact({ sizeBytes, content }: StoredBytes, copy: BytesCopy): Promise<boolean> {
  if (sizeBytes !== copy.sizeBytes) {
    if (!Buffer.isBuffer(content)) content.destroy()
    return false
  }
  const sha256 = createHash('sha256')
  for await (const chunk of Buffer.isBuffer(content) ? [content] : content) sha256.update(chunk)
  return sha256.digest('hex') === copy.sha256
}

async function copyHashed(from: string, to: string): Promise<string> {
  const sha256 = createHash('sha256')
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sha256.update(chunk)
        yield chunk
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o640 }),
  )
  return sha256.digest('hex')
}
