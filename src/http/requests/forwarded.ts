import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type AddressList, canonicalAddress } from '../../lib/net/addresses.ts'

/** As the address bar of a browser shows it. */
export type Scheme = 'http' | 'https'

const forwardingHeader =
  /^(forwarded|via|x[-_]forwarded.*|(x[-_])?(real|client|cluster[-_]client)[-_]ip|x[-_]original.*|x[-_]rewrite[-_]url|true[-_]client[-_]ip|cf[-_].*)$/

/** Whether any header says that a proxy passed the request on. */
export function hasForwarding({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (forwardingHeader.test(name)) return true
  return false
}

/**
 * The client's address from the headers of trusted proxies: the right-most hop that is not a trusted proxy, because the
 * client may have made up the hops left of it. Empty if a hop cannot be read: the address of the proxy would give every
 * client the rights of the proxy.
 */
export function forwardedAddress(headers: IncomingHttpHeaders, trustedProxies: AddressList): string {
  let nearest = ''
  for (const hop of hopsOf(headers).toReversed()) {
    const address = addressOfHop(hop)
    if (address === undefined) return ''
    nearest = address
    if (!trustedProxies.has(address)) return address
  }
  return nearest
}

/** In the order of how many proxies write the header; the first header that is not empty counts alone. */
function hopsOf(headers: IncomingHttpHeaders): readonly string[] {
  const hops = entriesOf(headers['x-forwarded-for'])
  if (hops.length > 0) return hops
  if (textOf(headers.forwarded).trim() !== '') return hopsOfForwarded(textOf(headers.forwarded))
  return entriesOf(headers['x-real-ip'])
}

/** Azure and other proxies add the client's port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOfHop(hop: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([^\]]*:[^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(hop) ?? []
  return canonicalAddress(bracketed ?? plain ?? hop)
}

const unreadable = ['']

/**
 * The `for` of each element, RFC 7239. A header that is not well-formed is unreadable as a whole: a quote that the client
 * left open must not hide the elements that a proxy added after it.
 */
function hopsOfForwarded(header: string): readonly string[] {
  const elements = splitUnquoted(header, ',')
  return elements?.map(forOf) ?? unreadable
}

function forOf(element: string): string {
  const values = (splitUnquoted(element, ';') ?? []).flatMap((pair) => {
    const [, name, quoted, token] = /^\s*([\w-]+)=(?:"([^"\\]*)"|([^\s"]+))\s*$/.exec(pair) ?? []
    return name?.toLowerCase() === 'for' ? [quoted ?? token ?? ''] : []
  })
  return values.length === 1 ? (values[0] ?? '') : ''
}

/** Undefined if a quote is left open. */
function splitUnquoted(text: string, separator: string): string[] | undefined {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (text[at] !== separator || isQuoted) continue
    parts.push(text.slice(start, at))
    start = at + 1
  }
  return isQuoted ? undefined : [...parts, text.slice(start)]
}

/** The last entry of the list, which the nearest proxy added. */
export const forwardedHost = (headers: IncomingHttpHeaders): string | undefined =>
  entriesOf(headers['x-forwarded-host']).at(-1)

export function forwardedScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  const scheme = entriesOf(headers['x-forwarded-proto']).at(-1)?.toLowerCase()
  return scheme === 'http' || scheme === 'https' ? scheme : undefined
}

const textOf = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value.join(',') : (value ?? '')

const entriesOf = (value: string | string[] | undefined): readonly string[] =>
  textOf(value)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
