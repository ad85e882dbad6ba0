import type { ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import type { ByteRange } from '../../storage/index.ts'
import { createHotCache, type Held, type HotCache } from './hot-cache.ts'
import { nameOf, type Reading, readWhole } from './read-bytes.ts'

const caches = new WeakMap<App, HotCache>()

/** One for all files of the server. */
export function hotCacheOf(app: App): HotCache {
  const cache = caches.get(app) ?? createHotCache()
  caches.set(app, cache)
  return cache
}

/** The bytes of a file that are at hand, to be given back when the answer is out. */
export function borrow(reading: Reading, response: ServerResponse): Held | undefined {
  // An answer that waits for another one on its connection might never be told that the connection has ended.
  return response.socket ? hotCacheOf(reading.app).borrow(nameOf(reading)) : undefined
}

interface Asking {
  response: ServerResponse
  piece: ByteRange | undefined
}

/** The whole of a file from memory, where it is held from now on; nothing when it is rather to be streamed. */
export async function borrowOrRead(
  reading: Reading,
  { response, piece }: Asking,
): Promise<Buffer | undefined> {
  const cache = hotCacheOf(reading.app)
  const known = borrow(reading, response)
  if (known) return lent(cache, known, response)
  const { sizeBytes } = reading.found
  const isSmall = sizeBytes <= cache.smallBytes
  // Whoever wants a part of a large file may never want the rest.
  const mayHold = response.socket && (isSmall || piece === undefined)
  const place = mayHold ? cache.reserve(nameOf(reading), sizeBytes) : undefined
  if (!place) return isSmall ? await readWhole(reading) : undefined
  try {
    return lent(cache, place.fill(await readWhole(reading)), response)
  } catch (error) {
    place.giveUp()
    throw error
  }
}

function lent(cache: HotCache, held: Held, response: ServerResponse): Buffer {
  if (response.destroyed) cache.giveBack(held)
  else response.once('close', () => cache.giveBack(held))
  return held.bytes
}
