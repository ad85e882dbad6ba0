import { open } from 'node:fs/promises'
import type { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import { Lanes } from './lanes.ts'
import { linesOf } from './read-tar.ts'
import type { SpooledLines } from './spooled-lines.ts'
import { type ArchiveWriter, type Beside, soundSum } from './write-archive.ts'

interface Writing {
  keys: SpooledLines
  storage: Storage
  threads: HashThreads
}

/** Writes the bytes of all keys, in order. Those that differ from their row are refused. */
export async function writeBytes(writer: ArchiveWriter, { keys, storage, threads }: Writing): Promise<void> {
  await using lanes = new Lanes({ hasBuffers: true })
  const handle = await open(keys.path, 'r')
  try {
    const entry = { name: 'keys', sizeBytes: keys.sizeBytes, start: 0 }
    for await (const line of linesOf({ handle, sizeBytes: keys.sizeBytes }, entry)) {
      const known = line as unknown as KnownBytes
      const { key, sizeBytes } = known
      await lanes.start({
        sizeBytes,
        async work(lane) {
          // They are written while they are read.
          const beside = { threads, buffers: lane.buffers }
          if (!lane.isWhole) return void (await writer.addStored(storage, known, beside))
          return readInto(beside, storage, known)
        },
        async finish(sha256, { buffers }) {
          if (sha256 !== undefined) await writer.addBuffers(nameOfKey(key), { buffers, sizeBytes, sha256 })
        },
      })
    }
    await lanes.finish()
  } finally {
    await handle.close()
  }
}

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
