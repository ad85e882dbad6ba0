import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SiteDb } from '../../db/index.ts'
import { allDone } from '../../lib/concurrency/promises.ts'
import { randomHex } from '../../lib/ids.ts'
import { fileKeysOfIds } from '../../media/index.ts'
import { proveBytes, type Storage } from '../../storage/index.ts'
import { linesOf } from '../backup-format/part-file.ts'
import { type BytesCopy, bytesPath, filesPath } from '../backup-format/site-copy.ts'
import { backupDamaged } from '../errors.ts'

interface Restoring {
  folder: string
  /** The site's number in the backup. */
  number: number
  storage: Storage
  /** The restored rows: bytes that do not fit their row are refused, though the backup has their checksum. */
  db: SiteDb
  /** For files in transit, on the file system of the data folder. */
  spool: string
  onFile: () => void
}

const maxParallel = 8

/** A repeated restore skips keys that are already stored with the right size and SHA-256. */
export async function restoreBytes({ folder, number, storage, db, spool, onFile }: Restoring): Promise<void> {
  const refuse = (key: string, says: string) => backupDamaged(folder, [`${bytesPath(number, key)}: ${says}`])
  const restoreKey = async (copy: BytesCopy) => {
    const { key, sizeBytes, sha256 } = copy
    const row = (await fileKeysOfIds(db, [copy.id])).flatMap(({ keys }) => keys)
    const known = { key, sizeBytes, sha256, md5: row.find((each) => each.key === key)?.md5 }
    if ((await proveBytes(storage, known)).state !== 'sound') {
      if (await storage.stat(key)) await storage.remove([key])
      const path = join(spool, randomHex(12))
      const sums = await copyHashed(join(folder, bytesPath(number, key)), path)
      if (sums.sha256 !== sha256) throw refuse(key, 'these are not the bytes that were copied')
      if (known.md5 !== undefined && known.md5 !== sums.md5)
        throw refuse(key, 'these bytes were damaged when they were copied: they do not fit their file')
      await storage.put([{ key, path }])
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

async function copyHashed(from: string, to: string): Promise<{ md5: string; sha256: string }> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        md5.update(chunk)
        sha256.update(chunk)
        yield chunk
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
  )
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}
