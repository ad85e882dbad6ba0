import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parseWholeNumber } from '../sizes.ts'
import { canonicalAddress } from './addresses.ts'

/** A Host header; the name is normalised as tenants' hostnames are stored. */
export interface Host {
  readonly hostname: string
  readonly port: number | undefined
}

const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const LONGEST_NAME = 253
const LONGEST_LABEL = 63
// Ignored characters can make the text longer than the name; this limits the work.
const LONGEST_TEXT = 1024
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The normalised form of a tenant's hostname; undefined if the text is not a DNS name. */
export function normaliseHostname(text: string): string | undefined {
  const name = readName(text)
  return name !== undefined && survivesUnicode(name) ? name : undefined
}

/** Reads a Host header as Node gives it, one character per byte. */
export function readHostHeader(value: string): Host | undefined {
  const [, host, digits] = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(decodeBytes(value)) ?? []
  if (host === undefined) return undefined
  const hostname = readIPv6(host) ?? readIPv4(host) ?? readName(host)
  if (hostname === undefined) return undefined
  // RFC 3986 allows a colon without a port after it.
  if (digits === undefined || digits === '') return { hostname, port: undefined }
  const port = parseWholeNumber(digits)
  return port !== undefined && port >= 1 && port <= 65_535 ? { hostname, port } : undefined
}

/** Whether a hostname can only mean this machine. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  if (isIPv4(name)) return name.startsWith('127.')
  return canonicalAddress(name.replace(/^\[(.*)\]$/, '$1')) === '::1'
}

/** Loopback addresses become `localhost`: browsers use either, and no tenant has an address as its hostname. */
export function localName(hostname: string): string {
  const isLoopback = hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  return isLoopback ? 'localhost' : hostname
}

function readName(text: string): string | undefined {
  // domainToASCII reads its text as part of a URL: it decodes percent escapes, skips tabs and stops at a slash.
  if (text.length > LONGEST_TEXT || !/^[A-Za-z0-9.\u0080-\uffff-]+$/.test(text)) return undefined
  const name = domainToASCII(text).replace(/\.$/, '')
  if (name.length > LONGEST_NAME || !NAME.test(name)) return undefined
  const labels = name.split('.')
  // A last label of digits makes it an IPv4 address, which domainToASCII has normalised by now.
  if (/^[0-9]+$/.test(labels.at(-1) ?? '')) return undefined
  return labels.every((label) => label.length <= LONGEST_LABEL) ? name : undefined
}

/** Whether each xn-- label stands for a name that is written with exactly that label. */
function survivesUnicode(name: string): boolean {
  const unicode = domainToUnicode(name)
  if (unicode.split('.').some((label) => label.startsWith('xn--'))) return false
  return domainToASCII(unicode) === name
}

function readIPv4(text: string): string | undefined {
  const address = text.replace(/\.$/, '')
  return isIPv4(address) ? address : undefined
}

function readIPv6(text: string): string | undefined {
  if (!text.startsWith('[') || text.includes('%') || !isIPv6(text.slice(1, -1))) return undefined
  return domainToASCII(text)
}

function decodeBytes(value: string): string {
  if (/^[ -~]*$/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  // Text with characters above 255 did not come from bytes.
  if (bytes.toString('latin1') !== value) return value
  try {
    return utf8.decode(bytes)
  } catch {
    // Not UTF-8, so it can only be Latin-1.
    return value
  }
}
