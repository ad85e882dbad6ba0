import { isIP, isIPv6 } from 'node:net'
import { parseWholeNumber } from '../sizes.ts'
import { type AddressList, isCidr, parseAddressList } from './addresses.ts'

/** Internal hosts that uploads may be fetched from, as the operator allows them. */
export interface UrlAllowList {
  /** Whether the name itself is listed; it may then resolve to any address. */
  hasName(hostname: string, port: number): boolean
  hasAddress(address: string, port: number): boolean
  /** Whether a name that is not listed may resolve to a listed address. */
  hasRanges(port: number): boolean
}

interface Entry {
  readonly name: string | undefined
  readonly addresses: AddressList | undefined
  readonly port: number | undefined
}

const WEB_PORTS: readonly number[] = [80, 443]
// Underscores are not allowed in hostnames, but used in real ones.
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

export const isWebPort = (port: number): boolean => WEB_PORTS.includes(port)

/** Reads a comma list of hostnames, addresses and CIDR ranges, each with or without a port. */
export function parseUrlAllow(text: string): UrlAllowList {
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => readEntry(entry.trim()))
  // An entry without a port allows the web ports; one with a port allows only that port.
  const at = (port: number) =>
    entries.filter((entry) => (entry.port === undefined ? isWebPort(port) : entry.port === port))
  return {
    hasName: (hostname, port) => at(port).some(({ name }) => name === hostname),
    hasAddress: (address, port) => at(port).some(({ addresses }) => addresses?.has(address)),
    hasRanges: (port) => at(port).some(({ addresses }) => addresses !== undefined),
  }
}

/** For URLs that the operator has set. */
export const everyAddress: UrlAllowList = {
  hasName: () => true,
  hasAddress: () => true,
  hasRanges: () => true,
}

/** The hostname of a WHATWG URL without its trailing dot; undefined if it cannot be a DNS name. */
export function plainName(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, '')
  return NAME.test(name) && isIP(name) === 0 ? name : undefined
}

function readEntry(text: string): Entry {
  const { host, port } = splitPort(text)
  const isPort = port === undefined || (port >= 1 && port <= 65_535)
  const addresses = isIP(host) !== 0 || isCidr(host) ? parseAddressList(host) : undefined
  const name = addresses === undefined ? readName(host) : undefined
  if (!isPort || (addresses === undefined && name === undefined))
    throw new Error(`"${text}" is not a hostname, an address or a CIDR range, with or without a port`)
  return { name, addresses, port }
}

function splitPort(text: string): { host: string; port: number | undefined } {
  const [, inBrackets, prefix = '', bare, digits] =
    /^(?:\[([^[\]/]+(?:\/[0-9]+)?)\](\/[0-9]+)?|([^:[\]]+))(?::([0-9]+))?$/.exec(text) ?? []
  // Other text can still be an IPv6 address without brackets and port.
  const host = inBrackets === undefined ? (bare ?? text) : `${inBrackets}${prefix}`
  const isWrong = inBrackets !== undefined && !isIPv6(host.split('/', 1).join())
  if (isWrong) return { host: '', port: undefined }
  return { host, port: digits === undefined ? undefined : (parseWholeNumber(digits) ?? 0) }
}

function readName(text: string): string | undefined {
  // `new URL` would also accept escapes, credentials or a path here.
  if (!/^[A-Za-z0-9._\u0080-\uffff-]+$/.test(text) || !URL.canParse(`http://${text}`)) return undefined
  return plainName(new URL(`http://${text}`).hostname)
}
