import type { ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { type ByteRange, isVerifiedBeforeSending } from '../storage/index.ts'
import { createHotCache, type HotCache, type PinnedBytes } from './hot-cache.ts'
import { nameOf, type Reading, readWhole } from './read-bytes.ts'

const caches = new WeakMap<App, HotCache>()

/** One cache for all sites of the server. */
export function hotCacheOf(app: App): HotCache {
  const cache = caches.get(app) ?? createHotCache()
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
