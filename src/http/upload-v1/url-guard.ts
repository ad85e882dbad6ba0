import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicUnicast } from '../../lib/public-addresses.ts'
import { isWebPort, plainName, type UrlAllowList } from '../../lib/url-allow.ts'

/** Where a URL leads, read once: whatever is asked or sent later comes from here. */
export interface UrlTarget {
  readonly url: URL
  readonly isTls: boolean
  /** A name without a dot at its end, or an address without brackets. */
  readonly hostname: string
  readonly port: number
  /** Whether any public address will do; else only what the allow list holds. */
  readonly isPublic: boolean
}

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

interface Question {
  allow: UrlAllowList
  resolve?: Resolve
  timeMs: number
  signal: AbortSignal
}

const LONGEST_URL = 2048
// A name may have thousands, and each would be knocked at.
const MOST_ADDRESSES = 6

/** Endings that are never a public site's. */
const INNER_ENDINGS = new Set(
  'localhost local internal localdomain lan home corp arpa onion test example invalid'.split(' '),
)

/** Reads a URL, or where a redirect leads from one. Throws when it is refused without asking the DNS. */
export function readTarget(text: string, allow: UrlAllowList, from?: URL): UrlTarget {
  if (text.length > LONGEST_URL) throw new Error(`The URL has more than ${LONGEST_URL} characters.`)
  const url = new URL(text, from)
  const isTls = url.protocol === 'https:'
  if (!isTls && url.protocol !== 'http:') throw new Error(`The scheme ${url.protocol} is not fetched.`)
  if (url.username !== '' || url.password !== '') throw new Error('The URL has credentials.')

  const hostname = readHostname(url)
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const isPublic = isWebPort(port) && (isIP(hostname) !== 0 || isPublicName(hostname))
  // With a range on the list, it takes the addresses of a name to know.
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

/** Asks the DNS once. One address that may not be reached spoils the name, since it is not there by chance. */
export async function addressesOf(target: UrlTarget, question: Question): Promise<readonly string[]> {
  const { hostname } = target
  const { allow, resolve = resolveAll } = question
  const addresses = isIP(hostname) === 0 ? await inTime(resolve(hostname), question) : [hostname]
  const refused = addresses.find((address) => !mayReach(target, address, allow))
  if (refused !== undefined) throw new Error(`${hostname} leads to ${refused}, which may not be reached.`)
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`)
  return addresses.slice(0, MOST_ADDRESSES)
}

async function resolveAll(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true })
  return answers.map(({ address }) => address)
}

/** The work itself cannot be stopped, only no longer be waited for. */
async function inTime<T>(work: Promise<T>, { timeMs, signal }: Question): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  const timer = setTimeout(() => reject(new Error(`The DNS took more than ${timeMs} ms.`)), timeMs)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([end, work])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function readHostname(url: URL): string {
  const bare = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const hostname = isIP(bare) === 0 ? plainName(bare) : bare
  if (hostname === undefined) throw new Error(`${url.hostname} is not a host name.`)
  return hostname
}

function isPublicName(name: string): boolean {
  const labels = name.split('.')
  return labels.length > 1 && !INNER_ENDINGS.has(labels.at(-1) ?? '')
}
