import { LruMap } from '../lib/lru.ts'

/** Bytes in the cache that are not evicted before `release`. */
export interface PinnedBytes {
  readonly bytes: Buffer
}

/** Reserved room for bytes that are about to be read. */
interface Reservation {
  /** Stores the bytes and pins them. */
  fill(bytes: Buffer): PinnedBytes
  cancel(): void
}

/** Bytes of files that were read lately. The caller decides whether a request may have them. */
export interface HotCache {
  /** A larger file is cached only when it is read a second time. */
  readonly smallBytes: number
  /** Pinned bytes are not evicted, so that slow readers cannot make the cache exceed its limit. */
  pin(key: string): PinnedBytes | undefined
  release(pinned: PinnedBytes): void
  /** Undefined if there is no room, if the bytes are there or being read, or if the file is not worth it. */
  reserve(key: string, sizeBytes: number): Reservation | undefined
}

interface Entry {
  bytes: Buffer | undefined
  costBytes: number
  users: number
}

/** Estimated memory of an entry beside its bytes. */
const entryBytes = 512
const mostSeen = 2_000

export function createHotCache({
  mostBytes = 64 * 1_048_576,
  mostEntryBytes = 4 * 1_048_576,
  smallBytes = 65_536,
} = {}): HotCache {
  const entries = new Map<string, Entry>()
  const seen = new LruMap<string, true>(mostSeen)
  let cachedBytes = 0

  function drop(key: string, entry: Entry): void {
    entries.delete(key)
    cachedBytes -= entry.costBytes
  }

  function makeRoom(costBytes: number): boolean {
    for (const [key, entry] of entries) {
      if (cachedBytes + costBytes <= mostBytes) break
      if (entry.users === 0) drop(key, entry)
    }
    return cachedBytes + costBytes <= mostBytes
  }

  function isWorthIt(key: string, sizeBytes: number): boolean {
    if (sizeBytes <= smallBytes || seen.get(key)) return sizeBytes <= mostEntryBytes
    seen.set(key, true)
    return false
  }

  return {
    smallBytes,
    pin(key) {
      const entry = entries.get(key)
      if (!entry?.bytes) return undefined
      entry.users += 1
      // Moves to the end of the map: eviction begins at the least recently used.
      entries.delete(key)
      entries.set(key, entry)
      return entry as PinnedBytes
    },
    release(pinned) {
      const entry = pinned as Entry
      entry.users -= 1
    },
    reserve(key, sizeBytes) {
      const costBytes = sizeBytes + entryBytes
      if (entries.has(key) || !isWorthIt(key, sizeBytes) || !makeRoom(costBytes)) return undefined
      const entry: Entry = { bytes: undefined, costBytes, users: 1 }
      entries.set(key, entry)
      cachedBytes += costBytes
      return {
        fill(bytes) {
          entry.bytes = withOwnMemory(bytes)
          return entry as PinnedBytes
        },
        cancel: () => drop(key, entry),
      }
    },
  }
}

/** A small buffer may be a slice of a pool, whose whole memory would stay referenced. */
function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
