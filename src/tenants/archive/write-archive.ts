import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { endOfArchive, paddingOf, tarHeader } from '../../lib/files/tar.ts'
import { type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { type ArchiveHead, type ListedEntry, manifestName, nameOfKey } from './archive-format.ts'
import { bytesDamaged } from './errors.ts'
import type { openLines } from './spooled-lines.ts'

/** Where an archive is written. A file can be cut back, a pipe cannot. */
export interface ArchiveSink {
  write(chunk: Buffer): Promise<void>
  cutTo?(position: number): Promise<void>
}

export interface Written {
  /** Of the whole archive. */
  bytes: number
  sha256: string
  /** Before the manifest. */
  entries: number
}

/** Writes entries one after the other; the manifest lists them. */
export class ArchiveWriter {
  readonly #sink: ArchiveSink
  readonly #at: Date
  readonly #list: Awaited<ReturnType<typeof openLines>>
  #sha256 = createHash('sha256')
  #position = 0
  #entries = 0
  #bodyBytes = 0

  constructor(sink: ArchiveSink, { list, at }: { list: Awaited<ReturnType<typeof openLines>>; at: Date }) {
    this.#sink = sink
    this.#list = list
    this.#at = at
  }

  /** A file of this process, whose SHA-256 is known. */
  async addFile(name: string, file: { path: string; sizeBytes: number; sha256: string }): Promise<void> {
    await this.#write(tarHeader({ name, sizeBytes: file.sizeBytes }, this.#at))
    for await (const chunk of createReadStream(file.path, { highWaterMark: 1 << 20 }))
      await this.#write(chunk)
    await this.#end({ name, size: file.sizeBytes, sha256: file.sha256 })
  }

  async addBuffer(name: string, bytes: Buffer, sha256: string): Promise<void> {
    await this.#write(tarHeader({ name, sizeBytes: bytes.length }, this.#at))
    await this.#write(bytes)
    await this.#end({ name, size: bytes.length, sha256 })
  }

  /** Streams stored bytes while they are verified. If they must be read again, what was written of them is cut off. */
  async addStored(storage: Storage, known: KnownBytes): Promise<void> {
    const name = nameOfKey(known.key)
    await this.#write(tarHeader({ name, sizeBytes: known.sizeBytes }, this.#at))
    const start = { position: this.#position, sha256: this.#sha256.copy() }
    const restart = async () => {
      if (this.#position === start.position) return
      if (!this.#sink.cutTo) throw bytesDamaged(known.key, 'was read differently the first time')
      await this.#sink.cutTo(start.position)
      this.#position = start.position
      this.#sha256 = start.sha256.copy()
    }
    const sink = { restart, write: (chunk: Buffer) => this.#write(chunk) }
    const verdict = await proveBytes(storage, known, { sink, needsSha256: true })
    const sha256 = soundSum(known, verdict)
    await this.#end({ name, size: known.sizeBytes, sha256 })
  }

  /** Writes the manifest and the end of the archive. */
  async finish(head: Omit<ArchiveHead, 'entries' | 'bytes'>): Promise<Written> {
    const first = Buffer.from(
      `${JSON.stringify({ ...head, entries: this.#entries, bytes: this.#bodyBytes })}\n`,
    )
    const { path, sizeBytes } = await this.#list.finish()
    const size = first.length + sizeBytes
    await this.#write(tarHeader({ name: manifestName, sizeBytes: size }, this.#at))
    await this.#write(first)
    for await (const chunk of createReadStream(path)) await this.#write(chunk)
    await this.#write(Buffer.alloc(paddingOf(size)))
    await this.#write(endOfArchive)
    return { bytes: this.#position, sha256: this.#sha256.digest('hex'), entries: this.#entries }
  }

  async #end(entry: ListedEntry): Promise<void> {
    await this.#write(Buffer.alloc(paddingOf(entry.size)))
    await this.#list.write(entry)
    this.#entries += 1
    this.#bodyBytes += entry.size
  }

  async #write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return
    this.#sha256.update(chunk)
    this.#position += chunk.length
    await this.#sink.write(chunk)
  }
}

export function soundSum(known: KnownBytes, verdict: Awaited<ReturnType<typeof proveBytes>>): string {
  if (verdict.state === 'missing') throw bytesDamaged(known.key, 'is missing')
  if (verdict.state === 'damaged') throw bytesDamaged(known.key, verdict.fault)
  return verdict.sha256 ?? ''
}
