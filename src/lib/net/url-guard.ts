import { isIP } from 'node:net'
import type { ResolveName } from './name-resolver.ts'
import { isPublicUnicast } from './public-addresses.ts'
import { isWebPort, plainName, type UrlAllowList } from './url-allow.ts'

/** A parsed URL. The look-up, the connection and the request all use it, so that they cannot differ. */
export interface UrlTarget {
  readonly url: URL
  readonly isTls: boolean
  /** A name without a dot at its end, or an address without brackets. */
  readonly hostname: string
  readonly port: number
  /** Whether every public address is allowed; else only those of the allow list. */
  readonly isPublic: boolean
}

interface LookUpOptions {
  allow: UrlAllowList
  resolve: ResolveName
  /** Limits concurrent look-ups. The wait for a slot does not count towards `timeMs`. */
  takeSlot?: ((signal: AbortSignal) => Promise<Disposable>) | undefined
  timeMs: number
  signal: AbortSignal
}

const LONGEST_URL = 2048
// A name may have thousands, and a connection to each would be tried.
const MOST_ADDRESSES = 6

/** Top-level names that are never public. */
const INNER_ENDINGS = new Set(
  'localhost local internal localdomain lan home corp arpa onion test example invalid'.split(' '),
)

/** Parses a URL, or a redirect relative to one. Throws if it is refused before any DNS look-up. */
export function readTarget(text: string, allow: UrlAllowList, from?: URL): UrlTarget {
  if (text.length > LONGEST_URL) throw new Error(`The URL has more than ${LONGEST_URL} characters.`)
  const url = new URL(text, from)
  const isTls = url.protocol === 'https:'
  if (!isTls && url.protocol !== 'http:') throw new Error(`The scheme ${url.protocol} is not fetched.`)
  if (url.username !== '' || url.password !== '') throw new Error('The URL has credentials.')

  const hostname = readHostname(url)
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const isPublic = isWebPort(port) && (isIP(hostname) !== 0 || isPublicName(hostname))
  // If the allow list has ranges, the addresses of the name decide.
  if (!isPublic && !allow.hasName(hostname, port) && !allow.hasRanges(port))
    throw new Error(`${hostname} at port ${port} is not public.`)
  return { url, isTls, hostname, port, isPublic }
}

/** Whether a connection for the target may go to this address. */
export function mayReach(target: UrlTarget, address: string, allow: UrlAllowList): boolean {
  if (isIP(address) === 0) return false
  if (allow.hasName(target.hostname, target.port) || allow.hasAddress(address, target.port)) return true
  return target.isPublic && isPublicUnicast(address)
}

/** Looks the name up once. If one of its addresses is not allowed, the name is refused: that is no accident. */
export async function addressesOf(target: UrlTarget, options: LookUpOptions): Promise<readonly string[]> {
  const { hostname } = target
  const { allow } = options
  const addresses = isIP(hostname) === 0 ? await lookUp(target, options) : [hostname]
  const refused = addresses.find((address) => !mayReach(target, address, allow))
  if (refused !== undefined) throw new Error(`${hostname} leads to ${refused}, which may not be reached.`)
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`)
  return addresses.slice(0, MOST_ADDRESSES)
}

async function lookUp(target: UrlTarget, options: LookUpOptions): Promise<readonly string[]> {
  const { allow, resolve, takeSlot } = options
  const { hostname, port, isPublic } = target
  using _slot = await takeSlot?.(options.signal)
  // Only names on the allow list may be completed by the search list of the resolver.
  const usesSearchList = !isPublic || allow.hasName(hostname, port)
  return await inTime((signal) => resolve(hostname, { signal, usesSearchList }), options)
}

/** Rejects when the time is up, even if the work ignores its signal. */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeMs, signal }: LookUpOptions,
): Promise<T> {
  signal.throwIfAborted()
  const stop = new AbortController()
  const { promise: end, reject } = Promise.withResolvers<never>()
  const onEnd = (reason: unknown) => {
    reject(reason)
    stop.abort(reason)
  }
  const onAbort = () => onEnd(signal.reason)
  const timer = setTimeout(() => onEnd(new Error(`The DNS took more than ${timeMs} ms.`)), timeMs)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([end, work(stop.signal)])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function readHostname(url: URL): string {
  const bare = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const hostname = isIP(bare) === 0 ? plainName(bare) : bare
  if (hostname === undefined) throw new Error(`${url.hostname} is not a hostname.`)
  return hostname
}

function isPublicName(name: string): boolean {
  const labels = name.split('.')
  return labels.length > 1 && !INNER_ENDINGS.has(labels.at(-1) ?? '')
}
