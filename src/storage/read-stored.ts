import type { Readable } from 'node:stream'
import { type CopyTo, type HashThreads, sumHere } from '../lib/concurrency/hash-threads.ts'
import { allDone } from '../lib/concurrency/promises.ts'
import { readAhead } from '../lib/files/read-ahead.ts'
import type { OpenedFile, Storage } from './storage.ts'

/** What a row knows of stored bytes. Rows of earlier versions have no checksum of a variant or of a piece. */
export interface KnownBytes {
  key: string
  sizeBytes: number
  md5?: string | undefined
  sha256?: string | undefined
}

/** The same bytes without their MD5 if the row knows their SHA-256, which proves more: one sum takes half of the time. */
export const withOneSum = ({ md5, ...known }: KnownBytes): KnownBytes =>
  known.sha256 === undefined ? { ...known, md5 } : known

/** Gets the bytes while they are read. What it got is to be used only if the verdict is that they are sound. */
export interface ByteSink {
  /** The bytes come from their beginning, perhaps once more. */
  restart?(): Promise<void> | void
  /** The chunk is overwritten after this. */
  write(chunk: Buffer): Promise<void> | void
}

export interface Reading {
  sink?: ByteSink
  needsSha256?: boolean
  /** Reads into these buffers, one after the other, and takes the sums in other threads, which read a file of a disk themselves if there is no sink. */
  beside?: { threads: HashThreads; buffers: readonly Buffer[]; copy?: Copy }
}

/** Where a thread copies a file of a disk, without a sink. What is there is to be used only if the verdict is that it is sound. */
export interface Copy {
  to: CopyTo & { fd: number }
  onBytes(bytes: number): void
}

export type Found =
  | { sizeBytes: number; md5: string | undefined; sha256: string | undefined }
  | 'missing'
  | 'broken'

/** Reads stored bytes to their end. */
export async function readOnce(storage: Storage, known: KnownBytes, reading: Reading): Promise<Found> {
  const { beside, sink } = reading
  const opened = beside && (await storage.open?.(known.key))
  const stored = beside && storage.open ? undefined : await storage.read(known.key)
  if (!opened && !stored) return 'missing'
  if (beside && opened && !sink)
    return summedFile(opened, known, { ...reading, beside }).finally(opened.close)
  const sums = sumsFor(known, reading)
  try {
    await sink?.restart?.()
    const sizeBytes =
      beside && opened
        ? await readFile(opened, known, { buffers: beside.buffers, sums, sink })
        : await readContent(stored?.content ?? Buffer.alloc(0), known, { sums, sink })
    const { md5, sha256 } = await sums.digests()
    return { sizeBytes, md5, sha256 }
  } catch (error) {
    // The threads forget them.
    await sums.digests().catch(() => undefined)
    if (error instanceof ReadBroken) return 'broken'
    throw error
  } finally {
    await opened?.close()
    if (stored && !Buffer.isBuffer(stored.content)) stored.content.destroy()
  }
}

type Sums = ReturnType<typeof sumsFor>

function algorithmsFor(known: KnownBytes, { needsSha256 }: Reading) {
  const isNeeded = {
    md5: known.md5 !== undefined,
    sha256: needsSha256 || known.md5 === undefined || known.sha256 !== undefined,
  }
  return (['md5', 'sha256'] as const).filter((algorithm) => isNeeded[algorithm])
}

async function summedFile(
  { fd, sizeBytes }: OpenedFile,
  known: KnownBytes,
  reading: Reading & { beside: NonNullable<Reading['beside']> },
): Promise<Found> {
  const algorithms = algorithmsFor(known, reading)
  const none = { md5: undefined, sha256: undefined }
  if (sizeBytes !== known.sizeBytes) return { sizeBytes, ...none }
  const { threads, copy } = reading.beside
  const sums = await threads
    .ofPart({ ...copy, from: { fd, position: 0 }, sizeBytes, algorithms })
    .catch((error: NodeJS.ErrnoException) => {
      // Others are of the caller: the file that it is copied to, or that it wants to stop.
      if (error.syscall !== 'read') throw error
    })
  if (!sums) return 'broken'
  const digests = algorithms.map((algorithm, index) => [algorithm, sums[index]?.toString('hex')])
  return { sizeBytes, ...none, ...Object.fromEntries(digests) }
}

function sumsFor(known: KnownBytes, reading: Reading) {
  const { sizeBytes } = known
  const { beside } = reading
  const algorithms = algorithmsFor(known, reading)
  const sums = algorithms.map(
    (algorithm) => beside?.threads.begin(algorithm, sizeBytes) ?? sumHere(algorithm),
  )
  return {
    add: (chunk: Buffer) => sums.map((sum) => sum.add(chunk)),
    async digests(): Promise<{ md5?: string; sha256?: string }> {
      const digests = await allDone(sums.map((sum) => sum.digest()))
      return Object.fromEntries(
        algorithms.map((algorithm, index) => [algorithm, digests[index]?.toString('hex')]),
      )
    },
  }
}

interface Uses {
  sums: Sums
  sink: ByteSink | undefined
}

/** Returns how many bytes there are, or more than the row knows: a storage that sends more is not read for ever. */
async function readContent(
  content: Buffer | Readable,
  { sizeBytes }: KnownBytes,
  { sums, sink }: Uses,
): Promise<number> {
  let read = 0
  for await (const chunk of readable(Buffer.isBuffer(content) ? [content] : content)) {
    read += chunk.length
    if (read > sizeBytes) break
    await allDone([...sums.add(chunk), written(chunk, sink)])
  }
  return read
}

async function readFile(
  file: OpenedFile,
  { sizeBytes }: KnownBytes,
  { buffers, sums, sink }: Uses & { buffers: readonly Buffer[] },
): Promise<number> {
  if (file.sizeBytes !== sizeBytes) return file.sizeBytes
  let last: Promise<void> | undefined
  return readAhead({
    sizeBytes,
    buffers,
    read: (into, position) => orBroken(() => file.read(into, position)),
    use(chunk) {
      last = written(chunk, sink, last)
      return allDone([...sums.add(chunk), last])
    },
  })
}

async function written(chunk: Buffer, sink: ByteSink | undefined, before?: Promise<void>): Promise<void> {
  await before
  await sink?.write(chunk)
}

class ReadBroken extends Error {}

const broken = (cause: unknown) => new ReadBroken('The bytes cannot be read to their end.', { cause })

/** Tells an error of the source from one of the caller, who may want to stop, or whose disk may be full. */
async function* readable(chunks: Iterable<Buffer> | Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) yield chunk as Buffer
  } catch (error) {
    throw broken(error)
  }
}

async function orBroken<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw broken(error)
  }
}
