import { open } from 'node:fs/promises'
import type { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { type Copy, type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import type { Lanes } from './lanes.ts'
import { linesOf } from './read-tar.ts'
import type { SpooledLines } from './spooled-lines.ts'
import { type ArchiveWriter, type Beside, soundSum } from './write-archive.ts'

interface Writing {
  keys: SpooledLines
  storage: Storage
  threads: HashThreads
  lanes: Lanes
}

/** Writes the bytes of all keys, in order. Those that differ from their row are refused. */
export async function writeBytes(writer: ArchiveWriter, { keys, ...writing }: Writing): Promise<void> {
  const handle = await open(keys.path, 'r')
  try {
    const entry = { name: 'keys', sizeBytes: keys.sizeBytes, start: 0 }
    for await (const line of linesOf({ handle, sizeBytes: keys.sizeBytes }, entry)) {
      const known = line as unknown as KnownBytes
      const copy = writing.storage.open && (await writer.beginCopied(known))
      if (copy) await startCopied(writer, known, { ...writing, copy })
      else await startRead(writer, known, writing)
    }
    await writing.lanes.finish()
  } finally {
    await handle.close()
  }
}

type Starting = Omit<Writing, 'keys'>

/** A thread reads them, and writes them to their place in the archive. */
const startCopied = (
  writer: ArchiveWriter,
  known: KnownBytes,
  { storage, threads, lanes, copy }: Starting & { copy: Copy },
): Promise<void> =>
  lanes.start({
    sizeBytes: known.sizeBytes,
    work: () => proveBytes(storage, known, { needsSha256: true, beside: { threads, buffers: [], copy } }),
    finish: (verdict) => writer.endCopied(known, soundSum(known, verdict)),
  })

const startRead = (
  writer: ArchiveWriter,
  known: KnownBytes,
  { storage, threads, lanes }: Starting,
): Promise<void> =>
  lanes.start({
    sizeBytes: known.sizeBytes,
    hasBuffers: true,
    async work(lane) {
      const beside = { threads, buffers: lane.buffers }
      // They are written while they are read.
      if (!lane.isWhole) return void (await writer.addStored(storage, known, beside))
      return readInto(beside, storage, known)
    },
    async finish(sha256, { buffers }) {
      const { key, sizeBytes } = known
      if (sha256 !== undefined) await writer.addBuffers(nameOfKey(key), { buffers, sizeBytes, sha256 })
    },
  })

/** Returns the SHA-256 of the bytes, which are those of their row. */
async function readInto(beside: Beside, storage: Storage, known: KnownBytes): Promise<string> {
  const { buffers } = beside
  const isOurs = new Set(buffers.map(({ buffer }) => buffer))
  let filled = 0
  const sink = {
    restart: () => {
      filled = 0
    },
    write(chunk: Buffer) {
      // Those of a disk are read to where they belong.
      if (!isOurs.has(chunk.buffer)) copyInto(buffers, chunk, filled)
      filled += chunk.length
    },
  }
  return soundSum(known, await proveBytes(storage, known, { sink, needsSha256: true, beside }))
}

function copyInto(buffers: readonly Buffer[], chunk: Buffer, position: number): void {
  let at = position
  for (let done = 0; done < chunk.length; ) {
    const length = buffers[0]?.length || 1
    const copied = chunk.copy(buffers[Math.floor(at / length)] ?? chunk, at % length, done)
    done += copied
    at += copied
  }
}
