import { createReadStream } from 'node:fs'
import { type HashThreads, type Sum, sharedBuffer } from '../../lib/concurrency/hash-threads.ts'
import { allDone } from '../../lib/concurrency/promises.ts'
import { endOfArchive, paddingOf, tarHeader } from '../../lib/files/tar.ts'
import { type Copy, type KnownBytes, proveBytes, type Reading, type Storage } from '../../storage/index.ts'
import { type ArchiveHead, type ListedEntry, manifestName, nameOfKey } from './archive-format.ts'
import { bytesDamaged } from './errors.ts'
import type { openLines } from './spooled-lines.ts'

/** Where an archive is written. */
export interface ArchiveSink {
  /** The chunk is overwritten after this. */
  write(chunk: Buffer): Promise<void>
  /** Not of a pipe, which goes on at its end only. Where nothing is written a file has zeros. */
  file?: { fd: number; goOnAt(position: number): void }
}

export interface Written {
  /** Of the whole archive. */
  bytes: number
  /** Undefined if it was not asked for. */
  sha256: string | undefined
  /** Before the manifest. */
  entries: number
}

interface Writing {
  at: Date
  /** The lines of the manifest. */
  list: Awaited<ReturnType<typeof openLines>>
  threads: HashThreads
  /** Whether the SHA-256 of the whole archive is wanted. */
  isSummed: boolean
  /** Gets the bytes that were written. */
  onBytes(bytes: number): void
}

/** What the bytes of an entry are read with. */
export type Beside = NonNullable<Reading['beside']>

interface Filled {
  buffers: readonly Buffer[]
  sizeBytes: number
  sha256: string
}

const chunkBytes = 1 << 20

/** Writes entries one after the other; the manifest lists them. */
export class ArchiveWriter {
  readonly #sink: ArchiveSink
  readonly #writing: Writing
  /** Headers, padding and short entries, which are written together. */
  readonly #pending = sharedBuffer(chunkBytes)
  #pendingBytes = 0
  #whole: Sum | undefined
  #position = 0
  #entries = 0
  #bodyBytes = 0

  constructor(sink: ArchiveSink, writing: Writing) {
    this.#sink = sink
    this.#writing = writing
    this.#whole = writing.isSummed ? writing.threads.begin('sha256', Number.MAX_SAFE_INTEGER) : undefined
  }

  /** A file of this process, whose SHA-256 is known. */
  async addFile(name: string, file: { path: string; sizeBytes: number; sha256: string }): Promise<void> {
    await this.#begin(name, file.sizeBytes)
    for await (const chunk of createReadStream(file.path, { highWaterMark: chunkBytes }))
      await this.#write(chunk)
    await this.#end({ name, size: file.sizeBytes, sha256: file.sha256 })
  }

  /** Bytes that fill these buffers, one after the other. */
  async addBuffers(name: string, { buffers, sizeBytes, sha256 }: Filled): Promise<void> {
    await this.#begin(name, sizeBytes)
    let left = sizeBytes
    for (const buffer of buffers) {
      await this.#write(buffer.subarray(0, left))
      left -= Math.min(left, buffer.length)
    }
    await this.#end({ name, size: sizeBytes, sha256 })
  }

  /** Streams stored bytes while they are verified. If they must be read again, what was written of them is overwritten. */
  async addStored(storage: Storage, known: KnownBytes, beside: Beside): Promise<void> {
    const name = nameOfKey(known.key)
    await this.#begin(name, known.sizeBytes)
    await this.#flush()
    const start = { position: this.#position, whole: this.#whole?.copy() }
    const restart = async () => {
      await this.#flush()
      if (this.#position === start.position) return
      if (!this.#sink.file) throw bytesDamaged(known.key, 'was read differently the first time')
      this.#goOnAt(start.position, this.#sink.file)
      await this.#whole?.digest()
      this.#whole = start.whole?.copy()
    }
    const sink = { restart, write: (chunk: Buffer) => this.#write(chunk) }
    const verdict = await proveBytes(storage, known, { sink, needsSha256: true, beside })
    await start.whole?.digest()
    await this.#end({ name, size: known.sizeBytes, sha256: soundSum(known, verdict) })
  }

  /** Leaves room for stored bytes, which a thread copies there. Undefined for a pipe, and where their sum would be missing in that of the archive. */
  async beginCopied({ key, sizeBytes }: KnownBytes): Promise<Copy | undefined> {
    const { file } = this.#sink
    if (!file || this.#whole) return undefined
    await this.#begin(nameOfKey(key), sizeBytes)
    await this.#flush()
    const position = this.#position
    this.#goOnAt(position + sizeBytes + paddingOf(sizeBytes), file)
    return { to: { fd: file.fd, position }, onBytes: this.#writing.onBytes }
  }

  /** In the order in which they were begun. */
  endCopied({ key, sizeBytes }: KnownBytes, sha256: string): Promise<void> {
    return this.#list({ name: nameOfKey(key), size: sizeBytes, sha256 })
  }

  /** Writes the manifest and the end of the archive. */
  async finish(head: Omit<ArchiveHead, 'entries' | 'bytes'>): Promise<Written> {
    const first = Buffer.from(
      `${JSON.stringify({ ...head, entries: this.#entries, bytes: this.#bodyBytes })}\n`,
    )
    const { path, sizeBytes } = await this.#writing.list.finish()
    const size = first.length + sizeBytes
    await this.#begin(manifestName, size)
    await this.#write(first)
    for await (const chunk of createReadStream(path)) await this.#write(chunk)
    await this.#write(Buffer.alloc(paddingOf(size)))
    await this.#write(endOfArchive)
    await this.#flush()
    const sha256 = await this.#whole?.digest()
    return { bytes: this.#position, sha256: sha256?.toString('hex'), entries: this.#entries }
  }

  #begin(name: string, sizeBytes: number): Promise<void> {
    return this.#write(tarHeader({ name, sizeBytes }, this.#writing.at))
  }

  async #end(entry: ListedEntry): Promise<void> {
    await this.#write(Buffer.alloc(paddingOf(entry.size)))
    await this.#list(entry)
  }

  async #list(entry: ListedEntry): Promise<void> {
    await this.#writing.list.write(entry)
    this.#entries += 1
    this.#bodyBytes += entry.size
  }

  async #write(chunk: Buffer): Promise<void> {
    if (chunk.length > chunkBytes - this.#pendingBytes) await this.#flush()
    // A chunk that is nearly as long is not worth the copy.
    if (chunk.length > chunkBytes / 4) {
      await this.#flush()
      await this.#put(chunk)
    } else this.#pendingBytes += chunk.copy(this.#pending, this.#pendingBytes)
  }

  async #flush(): Promise<void> {
    const bytes = this.#pendingBytes
    this.#pendingBytes = 0
    if (bytes > 0) await this.#put(this.#pending.subarray(0, bytes))
  }

  async #put(chunk: Buffer): Promise<void> {
    this.#position += chunk.length
    const sum = this.#whole?.add(chunk) ?? Promise.resolve()
    await allDone([sum, this.#sink.write(chunk)])
    this.#writing.onBytes(chunk.length)
  }

  #goOnAt(position: number, file: NonNullable<ArchiveSink['file']>): void {
    this.#position = position
    file.goOnAt(position)
  }
}

export function soundSum(known: KnownBytes, verdict: Awaited<ReturnType<typeof proveBytes>>): string {
  if (verdict.state === 'missing') throw bytesDamaged(known.key, 'is missing')
  if (verdict.state === 'damaged') throw bytesDamaged(known.key, verdict.fault)
  return verdict.sha256 ?? ''
}
