import { open } from 'node:fs/promises'
import { type HashThreads, sharedBuffer } from '../../lib/concurrency/hash-threads.ts'
import { type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import { linesOf } from './read-tar.ts'
import type { SpooledLines } from './spooled-lines.ts'
import { type ArchiveWriter, soundSum } from './write-archive.ts'

/** Shorter bytes are read some at a time, before the writer gets to them; longer ones are streamed. */
const mostHeldBytes = 4 * 1_048_576
const mostHeld = 6

interface Held {
  known: KnownBytes
  buffer: Buffer
  sha256: Promise<string>
}

/** Writes the bytes of all keys, in order. Those that differ from their row are refused. */
export async function writeBytes(
  writer: ArchiveWriter,
  keys: SpooledLines,
  { storage, threads }: { storage: Storage; threads: HashThreads },
): Promise<void> {
  const free: Buffer[] = []
  const held: Held[] = []
  const writeFirst = async () => {
    const first = held.shift()
    if (!first) return
    const { known, buffer } = first
    const sha256 = await first.sha256
    await writer.addBuffer(nameOfKey(known.key), buffer.subarray(0, known.sizeBytes), sha256)
    free.push(buffer)
  }
  const handle = await open(keys.path, 'r')
  try {
    const entry = { name: 'keys', sizeBytes: keys.sizeBytes, start: 0 }
    for await (const line of linesOf({ handle, sizeBytes: keys.sizeBytes }, entry)) {
      const known = line as unknown as KnownBytes
      if (known.sizeBytes > mostHeldBytes) {
        while (held.length > 0) await writeFirst()
        await writer.addStored(storage, known)
        continue
      }
      if (held.length >= mostHeld) await writeFirst()
      const buffer = free.pop() ?? sharedBuffer(mostHeldBytes)
      const sha256 = readInto(buffer, known, { storage, threads })
      // It is awaited later, or never if one before it fails.
      sha256.catch(() => undefined)
      held.push({ known, buffer, sha256 })
    }
    while (held.length > 0) await writeFirst()
  } finally {
    await Promise.allSettled(held.map(({ sha256 }) => sha256))
    await handle.close()
  }
}

/** Returns the SHA-256 of the bytes, which are those of their row. */
async function readInto(
  buffer: Buffer,
  known: KnownBytes,
  { storage, threads }: { storage: Storage; threads: HashThreads },
): Promise<string> {
  let filled = 0
  const sink = {
    restart: () => {
      filled = 0
    },
    write: (chunk: Buffer) => {
      // Those of a disk are read to where they belong.
      filled += chunk.buffer === buffer.buffer ? chunk.length : chunk.copy(buffer, filled)
    },
  }
  const verdict = await proveBytes(storage, known, {
    sink,
    needsSha256: true,
    beside: { threads, buffers: [buffer] },
  })
  return soundSum(known, verdict)
}
