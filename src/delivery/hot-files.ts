import type { ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { LruMap } from '../lib/lru.ts'
import { type ByteRange, isVerifiedBeforeSending } from '../storage/index.ts'
import { nameOf, type Reading, readWhole } from './read-bytes.ts'

const caches = new WeakMap<App, HotCache>()

/** One cache for all sites. The processes of a server divide its room. */
export function hotCacheOf(app: App): HotCache {
  const cache = caches.get(app) ?? createHotCache({ mostBytes: roomBytes / app.processes.count })
  caches.set(app, cache)
  return cache
}

/** The cached bytes of a file, to be released when the response is sent. */
export function pin(reading: Reading, response: ServerResponse): PinnedBytes | undefined {
  // A pipelined response that waits for an earlier one gets no close event, and would never release the bytes.
  return response.socket ? hotCacheOf(reading.app).pin(nameOf(reading)) : undefined
}

interface Target {
  response: ServerResponse
  range: ByteRange | undefined
}

/** All bytes of a file, cached if possible; undefined if the file should be streamed. */
export async function pinOrRead(reading: Reading, { response, range }: Target): Promise<Buffer | undefined> {
  const cache = hotCacheOf(reading.app)
  const known = pin(reading, response)
  if (known) return releasedOnClose(cache, known, response)
  const { sizeBytes } = reading.found
  const isSmall = sizeBytes <= cache.smallBytes
  // A client that reads a range of a large file may never read the rest; short files of a bucket are read whole in any case.
  const isWhole =
    isSmall || range === undefined || isVerifiedBeforeSending(reading.site.storage, reading.found)
  const reservation = response.socket && isWhole ? cache.reserve(nameOf(reading), sizeBytes) : undefined
  if (!reservation) return isSmall ? await readWhole(reading) : undefined
  try {
    return releasedOnClose(cache, reservation.fill(await readWhole(reading)), response)
  } catch (error) {
    reservation.cancel()
    throw error
  }
}

function releasedOnClose(cache: HotCache, pinned: PinnedBytes, response: ServerResponse): Buffer {
  if (response.destroyed) cache.release(pinned)
  else response.once('close', () => cache.release(pinned))
  return pinned.bytes
}

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
interface HotCache {
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
const roomBytes = 64 * 1_048_576
const mostSeen = 2_000

export function createHotCache({
  mostBytes = roomBytes,
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
