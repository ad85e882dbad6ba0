import { open } from 'node:fs/promises'
import { type KnownBytes, proveBytes, type Storage } from '../../storage/index.ts'
import { nameOfKey } from './archive-format.ts'
import { linesOf } from './read-tar.ts'
import type { SpooledLines } from './spooled-lines.ts'
import { type ArchiveWriter, soundSum } from './write-archive.ts'

/** Shorter bytes are read some at a time, before the writer gets to them; longer ones are streamed. */
const mostHeldBytes = 4 * 1_048_576
const mostHeld = 6

/** Writes the bytes of all keys, in order. Those that differ from their row are refused. */
export async function writeBytes(writer: ArchiveWriter, storage: Storage, keys: SpooledLines): Promise<void> {
  const held: { known: KnownBytes; read: ReturnType<typeof readProven> }[] = []
  const writeFirst = async () => {
    const first = held.shift()
    if (!first) return
    const { bytes, sha256 } = await first.read
    await writer.addBuffer(nameOfKey(first.known.key), bytes, sha256)
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
      const read = readProven(storage, known)
      // It is awaited later, or never if one before it fails.
      read.catch(() => undefined)
      held.push({ known, read })
      if (held.length >= mostHeld) await writeFirst()
    }
    while (held.length > 0) await writeFirst()
  } finally {
    await handle.close()
  }
}

async function readProven(storage: Storage, known: KnownBytes): Promise<{ bytes: Buffer; sha256: string }> {
  const bytes = Buffer.allocUnsafeSlow(known.sizeBytes)
  let filled = 0
  const sink = {
    restart: () => {
      filled = 0
    },
    write: (chunk: Buffer) => {
      filled += chunk.copy(bytes, filled)
    },
  }
  const verdict = await proveBytes(storage, known, { sink, needsSha256: true })
  return { bytes, sha256: soundSum(known, verdict) }
}
