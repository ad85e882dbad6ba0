import type { App } from '../app.ts'
import { addressEnded } from '../http/responses/file-errors.ts'
import { siteKey } from '../http/site-key.ts'
import { verifiedPairs } from '../lib/signed-address.ts'
import { checkSharedBytes, type FoundBytes, fileNotFound } from '../media/index.ts'
import type { Site } from '../site/index.ts'

/** No cache of others may keep protected bytes, and a browser only for a short time: privacy and shares change. */
const longestPrivateSeconds = 600

/** How a request for protected bytes is answered. */
export interface SignedAccess {
  maxAgeSeconds: number
}

/**
 * Refuses a request for protected bytes without a valid signature as if there were no file, and one whose time or share has
 * ended as gone.
 */
export async function checkSigned(
  app: App,
  site: Site,
  { found, path, url }: { found: FoundBytes; path: string; url: string },
): Promise<SignedAccess | undefined> {
  const { file } = found
  if (!file.isProtected) return undefined
  const at = url.indexOf('?')
  const query = at === -1 ? '' : url.slice(at + 1)
  const pairs = verifiedPairs(siteKey(app, site, 'addresses'), { path, query, version: file.addressVersion })
  if (!pairs) throw fileNotFound()
  const leftSeconds = secondsLeft(pairs.get('e'), site.clock.now())
  if (leftSeconds <= 0) throw addressEnded()
  const shareId = pairs.get('sh')
  if (shareId !== undefined) await checkSharedBytes(site, { shareId, file, isOriginal: found.isOriginal })
  const fileSeconds = file.expiresAt
    ? (file.expiresAt.getTime() - site.clock.now().getTime()) / 1_000
    : longestPrivateSeconds
  return { maxAgeSeconds: Math.max(0, Math.floor(Math.min(longestPrivateSeconds, leftSeconds, fileSeconds))) }
}

/** Addresses without an end last until they are rotated. */
const secondsLeft = (end: string | undefined, now: Date): number =>
  end === undefined ? Number.POSITIVE_INFINITY : Number(end) - now.getTime() / 1_000
