import { LruMap } from '../../lib/lru.ts'

/** Bytes that are held. */
export interface Held {
  readonly bytes: Buffer
}

/** Room for bytes that are about to be read. */
interface Place {
  /** Lends them at once. */
  fill(bytes: Buffer): Held
  giveUp(): void
}

/** Bytes of files that were asked for lately. Whether they may still be told is not decided here. */
export interface HotCache {
  /** Files beyond this are held only when they are asked for again. */
  readonly smallBytes: number
  /** Lent bytes are not dropped for others, so that slow readers cannot make us hold more than we mean to. */
  borrow(key: string): Held | undefined
  giveBack(held: Held): void
  /** Nothing when there is no room, when somebody else is reading the same, or when it is not worth it. */
  reserve(key: string, sizeBytes: number): Place | undefined
}

interface Entry {
  bytes: Buffer | undefined
  costBytes: number
  users: number
}

/** What an entry costs beside its bytes. */
const entryBytes = 512
const mostSeen = 2_000

export function createHotCache({
  mostBytes = 64 * 1_048_576,
  mostEntryBytes = 4 * 1_048_576,
  smallBytes = 65_536,
} = {}): HotCache {
  const entries = new Map<string, Entry>()
  const seen = new LruMap<string, true>(mostSeen)
  let heldBytes = 0

  function drop(key: string, entry: Entry): void {
    entries.delete(key)
    heldBytes -= entry.costBytes
  }

  function makeRoom(costBytes: number): boolean {
    for (const [key, entry] of entries) {
      if (heldBytes + costBytes <= mostBytes) break
      if (entry.users === 0) drop(key, entry)
    }
    return heldBytes + costBytes <= mostBytes
  }

  function isWorthIt(key: string, sizeBytes: number): boolean {
    if (sizeBytes <= smallBytes || seen.get(key)) return sizeBytes <= mostEntryBytes
    seen.set(key, true)
    return false
  }

  return {
    smallBytes,
    borrow(key) {
      const entry = entries.get(key)
      if (!entry?.bytes) return undefined
      entry.users += 1
      // Youngest last, so that the oldest are found first.
      entries.delete(key)
      entries.set(key, entry)
      return entry as Held
    },
    giveBack(held) {
      const entry = held as Entry
      entry.users -= 1
    },
    reserve(key, sizeBytes) {
      const costBytes = sizeBytes + entryBytes
      if (entries.has(key) || !isWorthIt(key, sizeBytes) || !makeRoom(costBytes)) return undefined
      const entry: Entry = { bytes: undefined, costBytes, users: 1 }
      entries.set(key, entry)
      heldBytes += costBytes
      return {
        fill(bytes) {
          entry.bytes = alone(bytes)
          return entry as Held
        },
        giveUp: () => drop(key, entry),
      }
    },
  }
}

/** A small buffer may be a piece of a larger one, which would be held along with it. */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
