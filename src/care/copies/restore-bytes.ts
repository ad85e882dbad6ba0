import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { allDone } from '../../lib/all-done.ts'
import { randomHex } from '../../lib/ids.ts'
import type { Storage } from '../../storage/index.ts'
import { backupDamaged } from '../errors.ts'
import { linesOf } from './part-file.ts'
import { type BytesCopy, bytesPath, filesPath } from './site-copy.ts'

interface Restoring {
  folder: string
  /** The site's number in the backup. */
  number: number
  storage: Storage
  /** Where bytes wait on their way, on the disk of the data folder. */
  spool: string
  onFile: () => void
}

const atOnce = 8

/** Bytes under a key are whole as soon as they are there, so that a second try goes on where the first ended. */
export async function restoreBytes({ folder, number, storage, spool, onFile }: Restoring): Promise<void> {
  const bring = async (copy: BytesCopy) => {
    const there = await storage.stat(copy.key)
    if (there?.sizeBytes !== copy.sizeBytes) {
      if (there) await storage.remove([copy.key])
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
    batch.push(bring(copy))
    if (batch.length < atOnce) continue
    await allDone(batch)
    batch = []
  }
  await allDone(batch)
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
