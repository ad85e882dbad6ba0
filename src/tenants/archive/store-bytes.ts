import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { SiteDb } from '../../db/index.ts'
import { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { fileKeysAfter } from '../../media/index.ts'
import { type NewFile, proveBytes, type Storage, sinkInto } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import { brokenArchive } from './errors.ts'
import { type Lane, Lanes } from './lanes.ts'
import { sumsOfBody, type TarEntry, tarEntries } from './read-tar.ts'
import type { VerifiedArchive } from './verify-archive.ts'
import { openWorkFolder } from './work-folder.ts'

interface Storing {
  storage: Storage
  dataDir: string
  /** Gets the bytes that are stored. */
  onBytes: (bytes: number) => void
}

/** One batch is synced at a time: the storage makes several files durable at the cost of little more than one. */
const mostFiles = 32
const mostBytes = 64 * 1_048_576

/** Stores all bytes of an archive. It may have changed since it was verified, so their sums are compared again. */
export async function storeBytes(
  archive: VerifiedArchive,
  { storage, dataDir, onBytes }: Storing,
): Promise<void> {
  await using folder = await openWorkFolder(dataDir)
  await using threads = new HashThreads()
  await using lanes = new Lanes(threads)
  let batch: NewFile[] = []
  let bytes = 0
  let count = 0
  const flush = async () => {
    if (batch.length > 0) await storage.put(batch)
    onBytes(bytes)
    batch = []
    bytes = 0
  }
  for await (const entry of tarEntries(archive.source)) {
    if (!entry.name.startsWith('bytes/')) continue
    count += 1
    const path = join(folder.path, String(count))
    await lanes.start({
      sizeBytes: entry.sizeBytes,
      work: (lane) => copyEntry(archive, entry, { path, lane }),
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

async function copyEntry(
  { source, index }: VerifiedArchive,
  entry: TarEntry,
  { path, lane }: { path: string; lane: Lane },
): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    const { write } = sinkInto(handle)
    const [sha256] = await sumsOfBody(source, entry, { ...lane, algorithms: ['sha256'], write })
    const known = index.find(entry.name)
    if (known?.sizeBytes !== entry.sizeBytes || !known.hasSha256(sha256?.toString('hex') ?? ''))
      throw brokenArchive(entry.name, 'it has changed since it was verified')
  } finally {
    await handle.close()
  }
}

const pageSize = 500

/** Reads all stored bytes again and compares them with their rows. */
export async function verifyStored(
  db: SiteDb,
  { storage, onBytes }: Omit<Storing, 'dataDir'>,
): Promise<void> {
  await using threads = new HashThreads()
  await using lanes = new Lanes(threads)
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await fileKeysAfter(db, after, pageSize)
    for (const known of page.flatMap(({ keys }) => keys)) {
      const { key, sizeBytes } = known
      await lanes.start({
        sizeBytes,
        work: (beside) => proveBytes(storage, known, { beside }),
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
