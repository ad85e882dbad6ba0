import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { CacheTagHeader } from '../lib/setting-parsers.ts'
import { type FoundBytes, longestCachingSeconds } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import type { ByteRange } from '../storage/index.ts'
import type { SignedAccess } from './signed-bytes.ts'

/** Status and headers for a file that exists, decided before its bytes are read. */
export interface FileResponse {
  status: 200 | 206 | 304 | 412 | 416
  headers: Readonly<Record<string, string>>
  /** The requested range, which a proxy answers by itself; undefined for the whole file. */
  range?: ByteRange
}

/** Of a picture that was derived on request. */
export interface CachingLimits {
  mostSeconds: number
  /** Sent in place of another one. */
  isUncached?: boolean
  /** The address may get another picture. */
  isMutable?: boolean
  /** Another client may get another format. */
  isVarying: boolean
}

interface Conditions {
  headers: IncomingHttpHeaders
  /** False if the response has no bytes (HEAD, or a redirect to the proxy): then Range does not apply. */
  allowsRange: boolean
  /** Whether the proxy sends the bytes. It would refuse a range with the headers of the file, so that is done here. */
  isRedirected?: boolean
  /** Of protected bytes, whose signature is valid. */
  signed?: SignedAccess | undefined
  limits?: CachingLimits | undefined
  /** By the setting SERVICE_CACHE_TAG_HEADER. */
  tagHeaders: readonly CacheTagHeader[]
}

export function fileResponseOf(
  site: Site,
  found: FoundBytes,
  { headers: request, allowsRange, isRedirected = false, signed, limits, tagHeaders }: Conditions,
): FileResponse {
  const { validators, headers, caching } = limited(
    headersFor(cachedHeadersOf(site, found, tagHeaders), signed),
    limits,
  )
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
  if (range === 'whole') return { status: 200, headers }
  if (isRedirected) return { status: 200, headers, range }
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

function cachedHeadersOf(site: Site, found: FoundBytes, tagHeaders: Conditions['tagHeaders']): CachedHeaders {
  const known = cache.get(found)
  if (known) return known
  const validators = validatorsOf(found.derived?.identity ?? found.key, found.file)
  // A 304 replaces headers of the stored response, so it carries the policy of the file too.
  const caching = {
    ...cachingHeaders(site, found, validators),
    ...policyOf(found),
    ...tagsFor(site, found, tagHeaders),
  }
  const cached = { validators, headers: { ...fileHeaders(found), ...caching }, caching }
  // The max-age of a file that expires changes with the time.
  if (!found.file.expiresAt) cache.set(found, cached)
  return cached
}

/** The last answer to a signed request: the age is the same until the file, or the address, ends within minutes. */
const signedCache = new WeakMap<CachedHeaders, { maxAgeSeconds: number; signed: CachedHeaders }>()

function headersFor(known: CachedHeaders, access: SignedAccess | undefined): CachedHeaders {
  if (!access) return known
  const last = signedCache.get(known)
  if (last?.maxAgeSeconds === access.maxAgeSeconds) return last.signed
  const signed = signedHeaders(known, access)
  signedCache.set(known, { ...access, signed })
  return signed
}

function signedHeaders(known: CachedHeaders, signed: SignedAccess): CachedHeaders {
  const control = { 'cache-control': `private, max-age=${signed.maxAgeSeconds}` }
  return {
    ...known,
    headers: { ...known.headers, ...control },
    caching: { ...known.caching, ...control },
  }
}

const limitedCache = new WeakMap<CachedHeaders, Map<string, CachedHeaders>>()

/** The headers of a derived picture: those of the file, within its limits. */
function limited(known: CachedHeaders, limits: CachingLimits | undefined): CachedHeaders {
  if (!limits) return known
  const control = limitedControl(known.headers['cache-control'] ?? '', limits)
  const name = `${control} ${limits.isVarying}`
  const ofKnown = limitedCache.get(known) ?? new Map<string, CachedHeaders>()
  limitedCache.set(known, ofKnown)
  const cached = ofKnown.get(name)
  if (cached) return cached
  const own = { 'cache-control': control, ...(limits.isVarying && { vary: 'Accept' }) }
  const made = { ...known, headers: { ...known.headers, ...own }, caching: { ...known.caching, ...own } }
  // The age of an address that ends changes with each second.
  if (ofKnown.size < mostLimited) ofKnown.set(name, made)
  return made
}

const mostLimited = 8

function limitedControl(control: string, { mostSeconds, isUncached, isMutable }: CachingLimits): string {
  if (isUncached) return 'no-store'
  const seconds = Number(/max-age=(\d+)/.exec(control)?.[1] ?? 0)
  if (seconds <= mostSeconds && !isMutable) return control
  return `${control.startsWith('private') ? 'private' : 'public'}, max-age=${Math.min(seconds, mostSeconds)}`
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

/** By these names a cache can forget all addresses of a file, or of a tenant. No shared cache keeps protected bytes. */
function tagsFor({ tenantId }: Site, { file }: FoundBytes, tagHeaders: Conditions['tagHeaders']) {
  if (file.isProtected) return {}
  const tags = [...(tenantId === undefined ? [] : [`t-${tenantId}`]), `f-${file.id}`]
  return Object.fromEntries(tagHeaders.map((name) => [name, tags.join(name === 'cache-tag' ? ',' : ' ')]))
}

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

/** The validators of RFC 9110, 8.8. */
interface Validators {
  etag: string
  modifiedAt: Date
  /** Two revisions may be of one second: then their times cannot tell them apart (RFC 9110, 8.8.2.2). */
  isTimeWeak?: boolean
}

/** When the bytes were uploaded, and when they were replaced, if they were. */
interface ByteTimes {
  createdAt: Date
  replacedAt: Date | undefined
}

/** The bytes of a key never change, so the hash of the key identifies them. The hash keeps the file's id secret. */
function validatorsOf(key: string, { createdAt, replacedAt }: ByteTimes): Validators {
  const etag = `"${hash('sha256', key, 'base64url').slice(0, 27)}"`
  // HTTP dates have whole seconds.
  const modifiedAt = new Date(Math.floor((replacedAt ?? createdAt).getTime() / 1_000) * 1_000)
  return { etag, modifiedAt, isTimeWeak: replacedAt !== undefined }
}

/** Evaluates the preconditions in the order of RFC 9110, 13.2.2. */
function conditionOf(
  headers: IncomingHttpHeaders,
  { etag, modifiedAt, isTimeWeak }: Validators,
): 'met' | 'unchanged' | 'failed' {
  const match = headers['if-match']
  if (match !== undefined) {
    if (match.trim() !== '*' && !tagsOf(match).includes(etag)) return 'failed'
  } else if (timeOf(headers['if-unmodified-since']) < modifiedAt.getTime()) return 'failed'

  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) {
    // A cache may have made the tag weak, which the weak comparison of If-None-Match ignores.
    const isKnown = noneMatch.trim() === '*' || tagsOf(noneMatch.replaceAll('W/"', '"')).includes(etag)
    return isKnown ? 'unchanged' : 'met'
  }
  if (isTimeWeak) return 'met'
  return timeOf(headers['if-modified-since']) >= modifiedAt.getTime() ? 'unchanged' : 'met'
}

/** Whether a range may be sent to a client that holds another range of the same bytes. */
function isSameState(ifRange: string | undefined, { etag, modifiedAt, isTimeWeak }: Validators): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return !isTimeWeak && timeOf(ifRange) === modifiedAt.getTime()
}

const tagsOf = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

/** NaN if the text is no HTTP date, so that every comparison is false. */
function timeOf(text: string | undefined): number {
  return text !== undefined && /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}

/**
 * The part of a file that a Range header names. An invalid header is ignored (RFC 9110, 14.2), and so is a list of
 * ranges: many small parts would cost more than the whole file.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'outside' {
  const [, first, last] = /^bytes=(\d{0,20})-(\d{0,20})$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  const end = sizeBytes - 1
  if (first === '')
    return Number(last) === 0 ? 'outside' : { start: Math.max(0, sizeBytes - Number(last)), end }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) > end) return 'outside'
  return { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) }
}
