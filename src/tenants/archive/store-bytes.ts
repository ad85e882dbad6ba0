import type { SiteDb } from '../../db/index.ts'
import { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { fileKeysAfter } from '../../media/index.ts'
import { type NewFile, proveBytes, type Storage, withOneSum } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import { brokenArchive } from './errors.ts'
import { Lanes } from './lanes.ts'
import type { OpenedArchive } from './open-archive.ts'
import { bytesEntries, pathOfBytes, readEntry } from './read-bytes.ts'

interface Storing {
  storage: Storage
  /** Where the bytes are put before they get their keys. */
  folder: string
  /** Whether all of them are there already. */
  isCopied: boolean
  /** Gets the bytes that are stored. */
  onBytes: (bytes: number) => void
}

/** One batch is synced at a time: the storage makes several files durable at the cost of little more than one. */
const mostFiles = 32
const mostBytes = 64 * 1_048_576

/** Stores all bytes of an archive. What was not copied when it was verified may have changed since, so the sums are compared again. */
export async function storeBytes(
  archive: OpenedArchive,
  { storage, folder, isCopied, onBytes }: Storing,
): Promise<void> {
  await using lanes = new Lanes()
  await using threads = new HashThreads()
  let batch: NewFile[] = []
  let bytes = 0
  const flush = async () => {
    if (batch.length > 0) await storage.put(batch)
    onBytes(bytes)
    batch = []
    bytes = 0
  }
  for await (const { entry, number } of bytesEntries(archive)) {
    const path = pathOfBytes(folder, number)
    await lanes.start({
      sizeBytes: entry.sizeBytes,
      work: async () => isCopied || readEntry(archive, entry, { threads, to: path }),
      async finish() {
        batch.push({ key: entry.name.slice('bytes/'.length), path })
        bytes += entry.sizeBytes
        if (batch.length >= mostFiles || bytes >= mostBytes) await flush()
      },
    })
  }
  await lanes.finish()
  await flush()
}

const pageSize = 500

/** Reads all stored bytes again and compares them with their rows. */
export async function verifyStored(
  db: SiteDb,
  { storage, onBytes }: Pick<Storing, 'storage' | 'onBytes'>,
): Promise<void> {
  await using lanes = new Lanes()
  await using threads = new HashThreads()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await fileKeysAfter(db, after, pageSize)
    for (const known of page.flatMap(({ keys }) => keys.map(withOneSum))) {
      const { key, sizeBytes } = known
      await lanes.start({
        sizeBytes,
        work: ({ buffers }) => proveBytes(storage, known, { beside: { threads, buffers } }),
        finish(verdict) {
          if (verdict.state === 'missing') throw brokenArchive(nameOfKey(key), 'its stored bytes are missing')
          if (verdict.state === 'damaged')
            throw brokenArchive(nameOfKey(key), `the stored file ${verdict.fault}`)
          onBytes(sizeBytes)
        },
      })
    }
    after = page.at(-1)?.id
  }
  await lanes.finish()
}
