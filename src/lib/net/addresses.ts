import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { parseWholeNumber } from '../sizes.ts'

/** Addresses and ranges of a setting. */
export interface AddressList {
  readonly isEmpty: boolean
  has(address: string): boolean
}

interface Range {
  readonly address: string
  readonly prefixBits: number
}

/** Reads a comma list of addresses and CIDR ranges. White space around an entry is ignored. */
export function parseAddressList(text: string): AddressList {
  // BlockList treats every IPv4 address as inside ::/0, so each family has its own list.
  const ranges4 = new BlockList()
  const ranges6 = new BlockList()
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim())
  for (const entry of entries) {
    const range = parseRange(entry)
    if (range === undefined) throw new Error(`"${entry}" is not an address or a CIDR range`)
    if (isIPv4(range.address)) ranges4.addSubnet(range.address, range.prefixBits, 'ipv4')
    else ranges6.addSubnet(range.address, range.prefixBits, 'ipv6')
  }
  const has = (address: string) => {
    const canonical = canonicalAddress(address)
    if (canonical === undefined) return false
    return isIPv4(canonical) ? ranges4.check(canonical, 'ipv4') : ranges6.check(canonical, 'ipv6')
  }
  return { isEmpty: entries.length === 0, has }
}

/** Whether the text is a range such as 10.0.0.0/8, and not a bare address. */
export function isCidr(text: string): boolean {
  return text.includes('/') && parseRange(text) !== undefined
}

/** Whether the address is a loopback address, in any spelling. */
export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address)
  return canonical !== undefined && (canonical === '::1' || canonical.startsWith('127.'))
}

/** The canonical form of an address: IPv4-mapped IPv6 becomes IPv4, a zone id is dropped. */
export function canonicalAddress(address: string): string | undefined {
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const canonical = compressIPv6(address)
  return mappedIPv4(canonical) ?? canonical
}

/**
 * The key by which clients are counted: an IPv4 address, or the /64 of an IPv6 address. One household or machine has a whole
 * /64 (RFC 6177), and would never run out of single addresses.
 */
export function addressKey(address: string): string {
  const canonical = canonicalAddress(address)
  if (canonical === undefined || isIPv4(canonical)) return canonical ?? address
  const [before = '', behind] = canonical.split('::')
  const groups = before === '' ? [] : before.split(':')
  const tail = behind === undefined || behind === '' ? [] : behind.split(':')
  const gap = behind === undefined ? [] : Array<string>(8 - groups.length - tail.length).fill('0')
  return `${[...groups, ...gap, ...tail].slice(0, 4).join(':')}::/64`
}

function parseRange(text: string): Range | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  // A zone would be dropped, and the entry would then match more than it says.
  if (rest.length > 0 || address.includes('%')) return undefined
  if (isIPv4(address)) return rangeOf(address, 32, prefix)
  return isIPv6(address) ? unmapRange(rangeOf(compressIPv6(address), 128, prefix)) : undefined
}

function rangeOf(address: string, widthBits: number, prefix: string | undefined): Range | undefined {
  const prefixBits = prefix === undefined ? widthBits : parseWholeNumber(prefix)
  if (prefixBits === undefined || prefixBits > widthBits) return undefined
  return { address, prefixBits }
}

function unmapRange(range: Range | undefined): Range | undefined {
  if (range === undefined || range.prefixBits < 96) return range
  const address = mappedIPv4(range.address)
  return address === undefined ? range : { address, prefixBits: range.prefixBits - 96 }
}

/** The spelling of RFC 5952, but always without dots. */
function compressIPv6(address: string): string {
  const withoutZone = address.split('%', 1).join()
  return domainToASCII(`[${withoutZone}]`).slice(1, -1)
}

function mappedIPv4(compressed: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(compressed) ?? []
  if (high === undefined || low === undefined) return undefined
  const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.')
}
