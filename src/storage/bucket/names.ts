import type { StoredKey } from '../storage.ts'
import { BucketFault } from './bucket.ts'
import { hasStatus } from './line.ts'
import type { Ends } from './place.ts'

/** What the protocol allows in one call. */
const pageNames = 1_000

export async function removeNames({ bucket, line }: Ends, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += pageNames) {
    const page = names.slice(start, start + pageNames)
    await line.ask((signal) => bucket.remove(page, signal))
  }
}

export async function listNames(
  { bucket, line }: Ends,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<StoredKey[]> {
  const found: StoredKey[] = []
  for (let isMore = true; isMore && found.length < limit; ) {
    const wanted = Math.min(pageNames, limit - found.length)
    const last = found.at(-1)?.key ?? after
    const page = await line.ask((signal) => bucket.list(prefix, last, wanted, signal))
    found.push(...page)
    isMore = page.length === wanted
  }
  return found
}

export async function removePrefix(ends: Ends, prefix: string): Promise<void> {
  await abortUnfinished(ends, prefix)
  for (let isMore = true; isMore; ) {
    const page = await listNames(ends, prefix, undefined, pageNames)
    await removeNames(
      ends,
      page.map(({ key }) => key),
    )
    isMore = page.length > 0
  }
}

export async function abortUnfinished(ends: Ends, prefix: string, before = new Date()): Promise<void> {
  const { bucket, line } = ends
  for (let isMore = true; isMore; ) {
    const page = await line.ask((signal) => bucket.unfinished(prefix, signal))
    const old = page.filter(({ beganAt }) => beganAt <= before)
    for (const upload of old) {
      await line.ask((signal) => bucket.abortParts(upload, signal)).catch(absentAsUndefined)
    }
    isMore = page.length >= pageNames && old.length > 0
  }
}

export function absentAsUndefined(error: unknown): undefined {
  // A bucket that is missing is a fault, though its status is the same.
  const isBucket = error instanceof BucketFault && error.code === 'NoSuchBucket'
  if (isBucket || !hasStatus(error, 404)) throw error
}
