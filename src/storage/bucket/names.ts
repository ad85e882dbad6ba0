import type { StoredKey } from '../storage.ts'
import { BucketFault, type Upload } from './bucket.ts'
import { hasStatus } from './client.ts'
import type { BucketAccess } from './put.ts'

/** The protocol's limit for one call. */
const pageNames = 1_000

export async function removeNames({ bucket, client }: BucketAccess, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += pageNames) {
    const page = names.slice(start, start + pageNames)
    await client.request((signal) => bucket.remove(page, signal))
  }
}

/** A server that sends this many pages without a new key makes no progress. */
const mostEmptyPages = 1_000

/**
 * Keys in the order of their bytes, each once and all with the prefix, whatever the server sends. Fewer than the limit means
 * that the server lists no more.
 */
export async function listNames(
  { bucket, client }: BucketAccess,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<StoredKey[]> {
  const found: StoredKey[] = []
  let last = after
  let token: string | undefined
  let emptyPages = 0
  while (found.length < limit) {
    const wanted = Math.min(pageNames, limit - found.length)
    const from = token === undefined ? { after: last } : { token }
    const page = await client.request((signal) => bucket.list(prefix, from, wanted, signal))
    const fresh = freshOf(page.entries, prefix, last).slice(0, wanted)
    found.push(...fresh)
    if (!page.isTruncated) break
    if (fresh.length > 0) {
      last = fresh.at(-1)?.key
      token = undefined
      emptyPages = 0
      continue
    }
    // Without a new key to continue from, only the server's token says where the next page begins.
    emptyPages += 1
    const isStuck = page.token === undefined || page.token === token || emptyPages === mostEmptyPages
    if (isStuck) throw new BucketFault('list', 'NoProgress')
    token = page.token
  }
  return found
}

function freshOf(entries: readonly StoredKey[], prefix: string, last: string | undefined): StoredKey[] {
  const isFresh = ({ key }: StoredKey) =>
    key.startsWith(prefix) && (last === undefined || byBytes(last, key) < 0)
  const sorted = entries.filter(isFresh).sort((one, two) => byBytes(one.key, two.key))
  return sorted.filter(({ key }, index) => key !== sorted[index - 1]?.key)
}

const byBytes = (one: string, two: string) => Buffer.compare(Buffer.from(one), Buffer.from(two))

/** Lists and removes until the listing is empty: after a removal a server may list more keys. */
export async function removePrefix(access: BucketAccess, prefix: string): Promise<void> {
  await abortUnfinished(access, prefix)
  for (let isMore = true; isMore; ) {
    const page = await listNames(access, prefix, undefined, pageNames)
    await removeNames(
      access,
      page.map(({ key }) => key),
    )
    isMore = page.length > 0
  }
}

/** Aborts multipart uploads; with a time, only those of which no part has arrived since. */
export async function abortUnfinished(
  access: BucketAccess,
  prefix: string,
  silentSince?: Date,
): Promise<void> {
  const { bucket, client } = access
  let from: Upload | undefined
  do {
    const start = from
    const page = await client.request((signal) => bucket.unfinished(prefix, start, signal))
    for (const upload of page.uploads) {
      if (!upload.key.startsWith(prefix)) continue
      if (silentSince && (await isAlive(access, upload, silentSince))) continue
      await client.request((signal) => bucket.abortParts(upload, signal)).catch(absentAsUndefined)
    }
    // A server that repeats its page has no more.
    from = page.next && (page.next.key !== start?.key || page.next.id !== start.id) ? page.next : undefined
  } while (from !== undefined)
}

/**
 * A running upload sends a part at least every few minutes (see `Tuning`): the parts are its heartbeat, which every server
 * sees. Uploads of this process are known without a request.
 */
async function isAlive(
  { bucket, client, sending }: BucketAccess,
  upload: Upload & { beganAt: Date },
  silentSince: Date,
): Promise<boolean> {
  if (sending.has(upload.id) || upload.beganAt > silentSince) return true
  const lastAt = await client.request((signal) => bucket.lastPartAt(upload, signal)).catch(absentAsUndefined)
  return lastAt !== undefined && lastAt > silentSince
}

export function absentAsUndefined(error: unknown): undefined {
  // A missing bucket is a fault, though its status is 404 too.
  const isBucket = error instanceof BucketFault && error.code === 'NoSuchBucket'
  if (isBucket || !hasStatus(error, 404)) throw error
}
