import { timingSafeEqual } from 'node:crypto'
import type { App } from '../app.ts'
import {
  isValidKey,
  keySecondsLeft,
  type VerifiedAddress,
  verifiedAddress,
} from '../http/addresses/verified-address.ts'
import { addressEnded } from '../http/responses/file-errors.ts'
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
  const verified = verifiedOf(app, site, request)
  if (!verified) throw fileNotFound()
  const { pairs } = verified
  const leftSeconds = secondsLeft(pairs.get('e'), site.clock.now())
  if (leftSeconds <= 0) throw addressEnded()
  const shareId = pairs.get('sh')
  if (shareId !== undefined)
    await checkSharedBytes(site, { shareId, file, isOriginal: isOriginal && isWhole })
  return accessFor(site, request.found, { verified, leftSeconds })
}

/** Synchronous variant, for protected bytes: undefined if the request is refused, or its share must be read. */
export function signedSync(app: App, site: Site, request: SignedRequest): SignedAccess | undefined {
  const verified = verifiedOf(app, site, request)
  if (!verified || verified.pairs.has('sh')) return undefined
  const leftSeconds = secondsLeft(verified.pairs.get('e'), site.clock.now())
  return leftSeconds > 0 ? accessFor(site, request.found, { verified, leftSeconds }) : undefined
}

function accessFor(
  site: Site,
  { file }: FoundBytes,
  { verified, leftSeconds }: { verified: VerifiedAddress; leftSeconds: number },
): SignedAccess {
  const fileSeconds = file.expiresAt
    ? (file.expiresAt.getTime() - site.clock.now().getTime()) / 1_000
    : longestPrivateSeconds
  const seconds = Math.min(longestPrivateSeconds, leftSeconds, keySecondsLeft(site, verified), fileSeconds)
  return { maxAgeSeconds: Math.max(0, Math.floor(seconds)) }
}

interface Verified extends VerifiedAddress {
  path: string
  query: Buffer
}

/**
 * The last valid address of the bytes: pages give all readers of a day the same one. A row that has changed, and with it the version
 * that the address signs, is another object.
 */
const lastVerified = new WeakMap<FoundBytes, Verified>()

/** The address, if its signature is valid. */
function verifiedOf(app: App, site: Site, { found, path, url }: SignedRequest): VerifiedAddress | undefined {
  const query = queryOf(url)
  const last = lastVerified.get(found)
  const bytes = Buffer.from(query)
  if (last?.path === path && isSame(last.query, bytes) && isValidKey(app, site, last.key)) return last
  const verified = verifiedAddress(app, site, { path, query, version: found.file.addressVersion })
  if (verified) lastVerified.set(found, { ...verified, path, query: bytes })
  return verified
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
