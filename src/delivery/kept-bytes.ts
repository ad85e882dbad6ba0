import { LruMap } from '../lib/lru.ts'
import { isVerifiedBeforeSending, proveBytes, readProven } from '../storage/index.ts'
import { hotCacheOf } from './hot-files.ts'
import { nameOf, type Reading } from './read-bytes.ts'

/** When the storage last changed the bytes of a derived picture that were compared with its row. */
const proven = new LruMap<string, number>(10_000)

/**
 * Compares a kept picture with its row before it is sent: all its bytes, unless they have not changed since they were last compared. They
 * can be made again, so nothing else is ever sent. Short ones of a bucket are read for that, and returned.
 */
export async function proveKept(
  reading: Reading,
  { mayBeCached }: { mayBeCached: boolean },
): Promise<Buffer | 'stored' | 'damaged'> {
  const { site, found } = reading
  if (mayBeCached && isCached(reading)) return 'stored'
  if (isVerifiedBeforeSending(site.storage, found)) {
    const bytes = await readProven(site.storage, found)
    return Buffer.isBuffer(bytes) ? bytes : damaged(reading)
  }
  const stored = await site.storage.stat(found.key)
  if (stored?.sizeBytes !== found.sizeBytes) return damaged(reading)
  const changedMs = stored.changedMs ?? stored.modifiedAt.getTime()
  if (proven.get(nameOf(reading)) === changedMs) return 'stored'
  const { state } = await proveBytes(site.storage, found)
  if (state !== 'sound') return damaged(reading)
  proven.set(nameOf(reading), changedMs)
  return 'stored'
}

/** Synchronous variant: false also if the bytes must be read to know. */
export function isProvenSync(reading: Reading): boolean {
  const { site, found } = reading
  const provenMs = proven.get(nameOf(reading))
  if (provenMs === undefined) return false
  const stored = site.storage.statSync?.(found.key)
  return stored?.sizeBytes === found.sizeBytes && stored.changedMs === provenMs
}

function isCached(reading: Reading): boolean {
  const cache = hotCacheOf(reading.app)
  const pinned = cache.pin(nameOf(reading))
  if (pinned) cache.release(pinned)
  return pinned !== undefined
}

function damaged({ app, site, found }: Reading): 'damaged' {
  const { key, sizeBytes } = found
  app.log.warn(
    { site: site.number, key, sizeBytes },
    'A kept picture is missing or damaged, and is made again',
  )
  return 'damaged'
}
