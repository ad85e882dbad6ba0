import { join } from 'node:path'
import { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { syncPath } from '../../lib/files/durable.ts'
import { brokenArchive, otherBytes } from './errors.ts'
import { Lanes } from './lanes.ts'
import { type OpenedArchive, otherSum } from './open-archive.ts'
import { sumsOfBody, type TarEntry, tarEntries } from './read-tar.ts'

interface ReadingBytes {
  /** Where the bytes are copied to while they are read: each to a file of its own. */
  folder?: string | undefined
  /** Gets the bytes that were read. */
  onBytes: (bytes: number) => void
}

const longBytes = 262_144

/** Of its name, which may be long or many folders deep, only the place in the archive. */
export const pathOfBytes = (folder: string, number: number): string => join(folder, String(number))

/** Reads all stored bytes of an archive and compares them with its manifest, and with the MD5 of the rows. */
export async function readBytes(archive: OpenedArchive, { folder, onBytes }: ReadingBytes): Promise<void> {
  await using lanes = new Lanes()
  // More would take the threads of Node from everything else.
  await using syncs = new Lanes({ most: 2 })
  // After a failure these end first, and what waits for them has ended with them.
  await using threads = new HashThreads()
  for await (const { entry, number } of bytesEntries(archive)) {
    const to = folder === undefined ? undefined : pathOfBytes(folder, number)
    await lanes.start({
      sizeBytes: entry.sizeBytes,
      work: () => readEntry(archive, entry, { threads, to }),
      async finish() {
        onBytes(entry.sizeBytes)
        // The disk writes long files while the next ones are read: then the storage has nothing to wait for.
        if (to !== undefined && entry.sizeBytes > longBytes)
          await syncs.start({ sizeBytes: 0, work: () => syncPath(to), finish: () => undefined })
      },
    })
  }
  await lanes.finish()
  await syncs.finish()
}

/** The entries with stored bytes, numbered. */
export async function* bytesEntries({
  source,
  index,
  tables,
}: OpenedArchive): AsyncGenerator<{ entry: TarEntry; number: number }> {
  let number = 0
  for await (const entry of tarEntries(source)) {
    if (!entry.name.startsWith('bytes/')) continue
    number += 1
    yield { entry, number }
  }
  if (number !== index.count - tables.size) throw changedArchive('The archive')
}

export const changedArchive = (name: string) => brokenArchive(name, 'it has changed while it was read')

interface ReadingEntry {
  threads: HashThreads
  to: string | undefined
}

export async function readEntry(
  { source, index }: OpenedArchive,
  entry: TarEntry,
  { threads, to }: ReadingEntry,
): Promise<void> {
  const known = index.find(entry.name)
  if (known?.sizeBytes !== entry.sizeBytes) throw changedArchive(entry.name)
  const algorithms = known.md5 ? (['sha256', 'md5'] as const) : (['sha256'] as const)
  const [sha256, md5] = await sumsOfBody(source, entry, {
    threads,
    algorithms,
    to: to === undefined ? undefined : { path: to },
  })
  if (!sha256?.equals(known.sha256)) throw otherSum(entry.name)
  if (known.md5 && !md5?.equals(known.md5)) throw otherBytes(entry.name)
}
