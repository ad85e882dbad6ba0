import type { FileHandle } from 'node:fs/promises'
import type { Algorithm, CopyTo, HashThreads } from '../../lib/concurrency/hash-threads.ts'
import {
  blockBytes,
  type Extension,
  isZeroBlock,
  paddingOf,
  readExtension,
  readLongName,
  readTarHeader,
  TarFault,
} from '../../lib/files/tar.ts'
import { brokenArchive } from './errors.ts'

/** A file that is read at any position. */
export interface ArchiveSource {
  handle: FileHandle
  sizeBytes: number
}

export interface TarEntry {
  name: string
  sizeBytes: number
  /** Where its body begins. */
  start: number
}

/** A pax header of a plain file has a name and some times; the name may have 1,000 characters. */
const largestExtensionBytes = 65_536

/** The plain files of an archive, in order. Their bodies are not read, only what is between them. */
export async function* tarEntries(source: ArchiveSource): AsyncGenerator<TarEntry> {
  let before: string | undefined
  const bytesAt = windowOn(source)
  for (let position = 0; ; ) {
    const read = await orNamed(before, () => nextEntry(source, position, bytesAt))
    if (!read) return
    yield read
    before = read.name
    const end = read.start + read.sizeBytes
    position = end + paddingOf(read.sizeBytes)
    const isEmpty = await orNamed(before, () => isPadding(bytesAt, end, position))
    if (!isEmpty) throw brokenArchive(before, 'there are other bytes than zeros behind it')
  }
}

type BytesAt = ReturnType<typeof windowOn>

/** So that every bit of an archive means something. */
const isPadding = async (bytesAt: BytesAt, from: number, to: number): Promise<boolean> =>
  to === from || isZeroBlock(await bytesAt(from, to - from))

/** A fault of a header has no name of its own, so the message names the entry before it. */
async function orNamed<T>(before: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TarFault)) throw error
    throw brokenArchive(before === undefined ? 'The first entry' : `The entry after ${before}`, error.message)
  }
}

async function nextEntry(
  source: ArchiveSource,
  from: number,
  bytesAt: BytesAt,
): Promise<TarEntry | undefined> {
  let extension: Extension | undefined
  for (let position = from; ; ) {
    const block = await bytesAt(position, blockBytes)
    if (isZeroBlock(block)) {
      if (extension) throw new TarFault('a header without its entry')
      await checkEnd(source, position + blockBytes)
      return undefined
    }
    const { name, sizeBytes, kind } = readTarHeader(block)
    const start = position + blockBytes
    if (kind === 'file') {
      const entry = { name, sizeBytes, ...extension, start }
      if (start + entry.sizeBytes > source.sizeBytes)
        throw new TarFault(
          `${JSON.stringify(entry.name.slice(0, 1_000))} is longer than the archive: its length is wrong, or the archive is cut off`,
        )
      return entry
    }
    if (extension) throw new TarFault('two headers in a row that describe one entry')
    if (sizeBytes > largestExtensionBytes) throw new TarFault('a header that is longer than 64 KiB')
    const body = await readExactly(source, start, sizeBytes)
    extension = kind === 'extended' ? readExtension(body) : { name: readLongName(body) }
    position = start + sizeBytes + paddingOf(sizeBytes)
    if (!(await isPadding(bytesAt, start + sizeBytes, position)))
      throw new TarFault('other bytes than zeros behind a header of it')
  }
}

/** After the first block of zeros there is nothing but zeros: a second one, and the padding of a tape's record. */
async function checkEnd(source: ArchiveSource, from: number): Promise<void> {
  if (!isZeroBlock(await readExactly(source, from, blockBytes))) throw new TarFault('a single block of zeros')
  const chunkBytes = 1 << 16
  for (let position = from; position < source.sizeBytes; position += chunkBytes) {
    const rest = await readExactly(source, position, Math.min(chunkBytes, source.sizeBytes - position))
    if (!isZeroBlock(rest)) throw new TarFault('bytes behind the end of the archive')
  }
}

const windowBytes = 1 << 16

/** What is between short entries is near to each other: it is read together. */
function windowOn(source: ArchiveSource): (position: number, length: number) => Promise<Buffer> {
  let window: Buffer = Buffer.alloc(0)
  let start = 0
  return async (position, length) => {
    const isThere = position >= start && position + length <= start + window.length
    if (!isThere) {
      const most = Math.min(windowBytes, source.sizeBytes - position)
      window = await readExactly(source, position, Math.max(length, most))
      start = position
    }
    return window.subarray(position - start, position - start + length)
  }
}

async function readExactly(source: ArchiveSource, position: number, length: number): Promise<Buffer> {
  if (position + length > source.sizeBytes) throw new TarFault('nothing: the archive is cut off')
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await source.handle.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) throw new TarFault('nothing: the archive was cut off while it was read')
    done += bytesRead
  }
  return bytes
}

interface BodyUse {
  threads: HashThreads
  algorithms: readonly Algorithm[]
  /** Where the body is copied to. */
  to?: CopyTo | undefined
}

/** The sums of a body, taken in another thread. */
export async function sumsOfBody(
  { handle }: ArchiveSource,
  entry: TarEntry,
  { threads, ...use }: BodyUse,
): Promise<readonly Buffer[]> {
  const { start: position, sizeBytes } = entry
  const sums = await threads.ofPart({ ...use, from: { fd: handle.fd, position }, sizeBytes })
  if (!sums) throw cutOff(entry)
  return sums
}

const cutOff = ({ name }: TarEntry) => brokenArchive(name, 'the archive was cut off while it was read')

const chunkBytes = 1 << 20

/** The body of an entry, in chunks that the caller must use before it asks for the next one. */
export async function* bodyOf(source: ArchiveSource, entry: TarEntry): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, entry.sizeBytes))
  for (let done = 0; done < entry.sizeBytes; ) {
    const length = Math.min(buffer.length, entry.sizeBytes - done)
    const { bytesRead } = await source.handle.read(buffer, 0, length, entry.start + done)
    if (bytesRead === 0) throw cutOff(entry)
    done += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** A picture of a profile, or a page of a site, takes most room: both are far shorter. */
const longestLineBytes = 8 * 1_048_576

/** The JSON objects of an entry, one on each line. */
export async function* linesOf(
  source: ArchiveSource,
  entry: TarEntry,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let parts: Buffer[] = []
  let length = 0
  let number = 1
  const refuse = (why: string) => brokenArchive(entry.name, `line ${number} ${why}`)
  const parsed = (line: Buffer) => {
    try {
      const value: unknown = JSON.parse(decoder.decode(line))
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value as Record<string, unknown>
    } catch {
      // Refused below, as a line that is JSON but no object.
    }
    throw refuse('is not a JSON object')
  }
  for await (const chunk of bodyOf(source, entry)) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from)
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end)
      length += piece.length
      if (length > longestLineBytes) throw refuse('is longer than 8 MiB')
      if (end === -1) {
        parts.push(Buffer.from(piece))
        break
      }
      yield parsed(Buffer.concat([...parts, piece]))
      parts = []
      length = 0
      number += 1
      from = end + 1
    }
  }
  if (length > 0) throw refuse('has no end')
}
