import { isIP, isIPv6 } from 'node:net'
import { type AddressList, isCidr, parseAddressList } from './addresses.ts'
import { parseWholeNumber } from './sizes.ts'

/** Places that an operator lets uploads be fetched from, though they are not public. */
export interface UrlAllowList {
  /** Whether the name itself is listed, so that it may stand for any address. */
  hasName(hostname: string, port: number): boolean
  hasAddress(address: string, port: number): boolean
  /** Whether a name that is not listed may still lead to an address that is. */
  hasRanges(port: number): boolean
}

interface Entry {
  readonly name: string | undefined
  readonly addresses: AddressList | undefined
  readonly port: number | undefined
}

const WEB_PORTS: readonly number[] = [80, 443]
// Underscores are no host name's, but are used in real ones.
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

export const isWebPort = (port: number): boolean => WEB_PORTS.includes(port)

/** Reads a comma list of host names, addresses and CIDR ranges, each with or without a port. */
export function parseUrlAllow(text: string): UrlAllowList {
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => readEntry(entry.trim()))
  // An entry without a port opens the usual ones, and one with a port opens no other.
  const at = (port: number) =>
    entries.filter((entry) => (entry.port === undefined ? isWebPort(port) : entry.port === port))
  return {
    hasName: (hostname, port) => at(port).some(({ name }) => name === hostname),
    hasAddress: (address, port) => at(port).some(({ addresses }) => addresses?.has(address)),
    hasRanges: (port) => at(port).some(({ addresses }) => addresses !== undefined),
  }
}

/** The one spelling of a host name as WHATWG reads it, or undefined when no DNS can know it. */
export function plainName(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, '')
  return NAME.test(name) && isIP(name) === 0 ? name : undefined
}

function readEntry(text: string): Entry {
  const { place, port } = splitPort(text)
  const isPort = port === undefined || (port >= 1 && port <= 65_535)
  const addresses = isIP(place) !== 0 || isCidr(place) ? parseAddressList(place) : undefined
  const name = addresses === undefined ? readName(place) : undefined
  if (!isPort || (addresses === undefined && name === undefined))
    throw new Error(`"${text}" is not a host name, an address or a CIDR range, with or without a port`)
  return { name, addresses, port }
}

function splitPort(text: string): { place: string; port: number | undefined } {
  const [, inBrackets, prefix = '', bare, digits] =
    /^(?:\[([^[\]/]+(?:\/[0-9]+)?)\](\/[0-9]+)?|([^:[\]]+))(?::([0-9]+))?$/.exec(text) ?? []
  // What is not of this form can still be an IPv6 address without a port, whose colons are its own.
  const place = inBrackets === undefined ? (bare ?? text) : `${inBrackets}${prefix}`
  const isWrong = inBrackets !== undefined && !isIPv6(place.split('/', 1).join())
  if (isWrong) return { place: '', port: undefined }
  return { place, port: digits === undefined ? undefined : (parseWholeNumber(digits) ?? 0) }
}

function readName(text: string): string | undefined {
  // A URL would also take escapes, credentials, a path and more as parts of its host.
  if (!/^[A-Za-z0-9._\u0080-\uffff-]+$/.test(text) || !URL.canParse(`http://${text}`)) return undefined
  return plainName(new URL(`http://${text}`).hostname)
}
