import type { IncomingHttpHeaders } from 'node:http'
import { type FoundBytes, longestCachingSeconds } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import type { ByteRange } from '../storage/index.ts'
import { rangeOf } from './byte-range.ts'
import { conditionOf, isSameState, type Validators, validatorsOf } from './conditions.ts'
import type { SignedAccess } from './signed-bytes.ts'

/** Status and headers for a file that exists, decided before its bytes are read. */
export interface FileResponse {
  status: 200 | 206 | 304 | 412 | 416
  headers: Readonly<Record<string, string>>
  /** The requested range; undefined for the whole file. */
  range?: ByteRange
}

interface Conditions {
  headers: IncomingHttpHeaders
  /** False if the response has no bytes (HEAD, or a redirect to the proxy): then Range does not apply. */
  allowsRange: boolean
  /** Whether the proxy sends the bytes. It would refuse a range with the headers of the file, so that is done here. */
  isRedirected?: boolean
  /** Of protected bytes, whose signature is valid. */
  signed?: SignedAccess | undefined
}

export function fileResponseOf(
  site: Site,
  found: FoundBytes,
  { headers: request, allowsRange, isRedirected = false, signed }: Conditions,
): FileResponse {
  const { validators, headers, caching } = headersFor(cachedHeadersOf(site, found), signed)
  const condition = conditionOf(request, validators)
  if (condition === 'failed') return { status: 412, headers: {} }
  if (condition === 'unchanged') return { status: 304, headers: caching }

  if (
    !(allowsRange || isRedirected) ||
    request.range === undefined ||
    !isSameState(request['if-range']?.toString(), validators)
  )
    return { status: 200, headers }
  const range = rangeOf(request.range, found.sizeBytes)
  if (range === 'outside') return { status: 416, headers: { 'content-range': `bytes */${found.sizeBytes}` } }
  if (range === 'whole' || isRedirected) return { status: 200, headers }
  const contentRange = `bytes ${range.start}-${range.end}/${found.sizeBytes}`
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, range }
}

/** Headers of a file that do not depend on the request. */
interface CachedHeaders {
  validators: Validators
  headers: Readonly<Record<string, string>>
  /** The headers of a 304. */
  caching: Readonly<Record<string, string>>
}

/** By the identity of the bytes found: docs/fast-path.md. */
const cache = new WeakMap<FoundBytes, CachedHeaders>()

function cachedHeadersOf(site: Site, found: FoundBytes): CachedHeaders {
  const known = cache.get(found)
  if (known) return known
  const validators = validatorsOf(found.key, found.file)
  // A 304 replaces headers of the stored response, so it carries the policy of the file too.
  const caching = { ...cachingHeaders(site, found, validators), ...policyOf(found) }
  const cached = { validators, headers: { ...fileHeaders(found), ...caching }, caching }
  // The max-age of a file that expires changes with the time.
  if (!found.file.expiresAt) cache.set(found, cached)
  return cached
}

function headersFor(known: CachedHeaders, signed: SignedAccess | undefined): CachedHeaders {
  if (!signed) return known
  const control = { 'cache-control': `private, max-age=${signed.maxAgeSeconds}` }
  return {
    ...known,
    headers: { ...known.headers, ...control },
    caching: { ...known.caching, ...control },
  }
}

/** No script in a file runs and no resource is loaded, whatever type the browser takes the file for. */
const sandboxPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; sandbox; frame-ancestors *"
/** A browser shows a video in a page of its own with a player, which loads this URL again. */
const videoPolicy = `${sandboxPolicy}; media-src 'self'`

function fileHeaders({ mime }: FoundBytes) {
  return {
    'content-type': mime,
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  }
}

const policyOf = ({ mime }: FoundBytes) => ({
  'content-security-policy': mime.startsWith('video/') ? videoPolicy : sandboxPolicy,
})

const replacedSeconds = 60
/** With the setting `immutable_bytes` off. The ETag then makes most answers a 304. */
const revalidatedSeconds = 300

/** No cache may keep a file beyond its expiration, and bytes that were replaced once may be replaced again. */
function cachingHeaders(site: Site, { file }: FoundBytes, { etag, modifiedAt }: Validators) {
  const leftMs = file.expiresAt
    ? file.expiresAt.getTime() - site.clock.now().getTime()
    : Number.POSITIVE_INFINITY
  const isReplaced = file.revision > 1
  const usualSeconds = file.isImmutable ? longestCachingSeconds : revalidatedSeconds
  const mostSeconds = isReplaced ? replacedSeconds : usualSeconds
  const seconds = Math.max(0, Math.min(mostSeconds, Math.floor(leftMs / 1_000)))
  return {
    etag,
    'last-modified': modifiedAt.toUTCString(),
    'cache-control': `public, max-age=${seconds}${file.isImmutable && !isReplaced ? ', immutable' : ''}`,
  }
}
