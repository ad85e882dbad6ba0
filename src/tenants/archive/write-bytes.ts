import { open } from 'node:fs/promises'
import { type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import type { Lane, Lanes } from './lanes.ts'
import { linesOf } from './read-tar.ts'
import type { SpooledLines } from './spooled-lines.ts'
import { type ArchiveWriter, soundSum } from './write-archive.ts'

interface Writing {
  keys: SpooledLines
  storage: Storage
  lanes: Lanes
}

/** Writes the bytes of all keys, in order. Those that differ from their row are refused. */
export async function writeBytes(writer: ArchiveWriter, { keys, storage, lanes }: Writing): Promise<void> {
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
          if (!lane.isShort) return void (await writer.addStored(storage, known, lane))
          return readInto(lane, storage, known)
        },
        async finish(sha256, { buffers: [buffer] }) {
          if (sha256 !== undefined && buffer)
            await writer.addBuffer(nameOfKey(key), buffer.subarray(0, sizeBytes), sha256)
        },
      })
    }
    await lanes.finish()
  } finally {
    await handle.close()
  }
}

/** Returns the SHA-256 of the bytes, which are those of their row. */
async function readInto(beside: Lane, storage: Storage, known: KnownBytes): Promise<string> {
  const [buffer] = beside.buffers
  let filled = 0
  const sink = {
    restart: () => {
      filled = 0
    },
    write: (chunk: Buffer) => {
      // Those of a disk are read to where they belong.
      const isThere = chunk.buffer === buffer?.buffer
      filled += isThere || !buffer ? chunk.length : chunk.copy(buffer, filled)
    },
  }
  return soundSum(known, await proveBytes(storage, known, { sink, needsSha256: true, beside }))
}
