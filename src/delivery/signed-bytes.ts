import { timingSafeEqual } from 'node:crypto'
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

interface SignedRequest {
  found: FoundBytes
  path: string
  url: string
  /** Whether all pixels of the upload are asked for, which a share may not give. */
  isWhole?: boolean
}

/**
 * Refuses a request for protected bytes without a valid signature as if there were no file, and one whose time or share has
 * ended as gone.
 */
export async function checkSigned(
  app: App,
  site: Site,
  request: SignedRequest,
): Promise<SignedAccess | undefined> {
  const { file, isOriginal } = request.found
  const { isWhole = isOriginal } = request
  if (!file.isProtected) return undefined
  const pairs = pairsOf(app, site, request)
  if (!pairs) throw fileNotFound()
  const leftSeconds = secondsLeft(pairs.get('e'), site.clock.now())
  if (leftSeconds <= 0) throw addressEnded()
  const shareId = pairs.get('sh')
  if (shareId !== undefined)
    await checkSharedBytes(site, { shareId, file, isOriginal: isOriginal && isWhole })
  return accessFor(site, request.found, leftSeconds)
}

/** Synchronous variant, for protected bytes: undefined if the request is refused, or its share must be read. */
export function signedSync(app: App, site: Site, request: SignedRequest): SignedAccess | undefined {
  const pairs = pairsOf(app, site, request)
  if (!pairs || pairs.has('sh')) return undefined
  const leftSeconds = secondsLeft(pairs.get('e'), site.clock.now())
  return leftSeconds > 0 ? accessFor(site, request.found, leftSeconds) : undefined
}

function accessFor({ clock }: Site, { file }: FoundBytes, leftSeconds: number): SignedAccess {
  const fileSeconds = file.expiresAt
    ? (file.expiresAt.getTime() - clock.now().getTime()) / 1_000
    : longestPrivateSeconds
  return { maxAgeSeconds: Math.max(0, Math.floor(Math.min(longestPrivateSeconds, leftSeconds, fileSeconds))) }
}

interface Verified {
  key: Buffer
  path: string
  query: Buffer
  pairs: ReadonlyMap<string, string>
}

/**
 * The last valid address of the bytes: pages give all readers of a day the same one. A row that has changed, and with it the version
 * that the address signs, is another object.
 */
const lastVerified = new WeakMap<FoundBytes, Verified>()

/** The parameters of an address with a valid signature. */
function pairsOf(app: App, site: Site, { found, path, url }: SignedRequest): Verified['pairs'] | undefined {
  const query = queryOf(url)
  const key = siteKey(app, site, 'addresses')
  const last = lastVerified.get(found)
  const bytes = Buffer.from(query)
  if (last?.key === key && last.path === path && isSame(last.query, bytes)) return last.pairs
  const pairs = verifiedPairs(key, { path, query, version: found.file.addressVersion })
  if (pairs) lastVerified.set(found, { key, path, query: bytes, pairs })
  return pairs
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** The query holds a signature, so that the time of the comparison must not say how far it is right. */
const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/** Addresses without an end last until they are rotated. */
const secondsLeft = (end: string | undefined, now: Date): number =>
  end === undefined ? Number.POSITIVE_INFINITY : Number(end) - now.getTime() / 1_000
