import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { LruMap } from '../../lib/lru.ts'
import { type AddressList, canonicalAddress, isLoopback } from '../../lib/net/addresses.ts'
import { type Host, isLocalName, localName, readHostHeader } from '../../lib/net/hosts.ts'
import { badHost, badRequest, badTarget, tooManyHeaders, wrongHost } from '../responses/errors.ts'

/** The caller of a request and the host it is for, after the headers of trusted proxies were applied. */
export interface ClientInfo {
  /** As the request names it. */
  host: string
  /** The hostname of a tenant at this host. */
  hostname: string
  /** Empty if a trusted proxy forwards the request without a readable client address. */
  address: string
  /** From the header of a trusted proxy. */
  scheme: Scheme | undefined
  /** A header names a proxy, trusted or not. */
  isForwarded: boolean
  /** The connection comes from a trusted proxy. */
  isFromProxy: boolean
  /** The caller is on this machine and not behind a proxy. */
  isLocal: boolean
}

/** Node silently drops headers beyond its own limit, and the headers of a proxy with them. */
const mostHeaders = 100

const hosts = new LruMap<string, Host>(1_000)

function readHost(text: string): Host | undefined {
  const known = hosts.get(text)
  if (known) return known
  const host = readHostHeader(text)
  if (host) hosts.set(text, host)
  return host
}

/** Throws when the request does not say clearly which host it is for. */
export function clientInfoOf(request: IncomingMessage, config: Config): ClientInfo {
  const checked = checkedHost(request)
  const { address: peer, isProxy: isFromProxy } = peerOf(request.socket, config)
  const isForwarded = hasForwarding(request)
  const host = requestedHost(request, config, { checked, isFromProxy })
  return {
    host,
    hostname: localName(host),
    // A proxy that sends no forwarding header is the caller itself.
    address: isFromProxy && isForwarded ? forwardedAddress(request.headers, config.trustedProxies) : peer,
    scheme: isFromProxy ? forwardedScheme(request.headers) : undefined,
    isForwarded,
    isFromProxy,
    isLocal: isLoopback(peer) && isLocalName(checked.hostname) && !isForwarded,
  }
}

/** The hostname alone, for the fast path. */
export function hostnameOf(request: IncomingMessage, config: Config): string {
  const checked = checkedHost(request)
  const { isProxy: isFromProxy } = peerOf(request.socket, config)
  return localName(requestedHost(request, config, { checked, isFromProxy }))
}

interface HostSources {
  checked: Host
  isFromProxy: boolean
}

/** Many proxies forward an X-Forwarded-Host that the client made up, so the operator must say that it is trusted. */
function requestedHost(
  { headers }: IncomingMessage,
  { isForwardedHostTrusted }: Config,
  { checked, isFromProxy }: HostSources,
): string {
  const forwarded = isFromProxy && isForwardedHostTrusted ? forwardedHost(headers) : undefined
  return (forwarded !== undefined && readHost(forwarded)?.hostname) || checked.hostname
}

/** Whether the client's line is encrypted, as far as the operator or a trusted proxy says so. */
export const isUnderHttps = (request: IncomingMessage, config: Config): boolean =>
  (config.publicScheme ?? (isFromProxy(request, config) && forwardedScheme(request.headers))) === 'https'

/** Whether the connection comes from a trusted proxy. */
export const isFromProxy = (request: IncomingMessage, config: Config): boolean =>
  peerOf(request.socket, config).isProxy

function checkedHost(request: IncomingMessage): Host {
  if (request.httpVersionMajor !== 1) throw badRequest('The request must be in HTTP/1.1 or HTTP/1.0.')
  if (request.rawHeaders.length > 2 * mostHeaders) throw tooManyHeaders(mostHeaders)
  const host = hostOf(request)
  checkTarget(request, host)
  return host
}

interface Peer {
  address: string
  isProxy: boolean
}

const peers = new WeakMap<Socket, Peer>()

/** A connection has one peer for its whole life, so that its address is checked once. */
function peerOf(socket: Socket, { trustedProxies }: Config): Peer {
  const known = peers.get(socket)
  if (known) return known
  const address = canonicalAddress(socket.remoteAddress ?? '') ?? ''
  const peer = { address, isProxy: !trustedProxies.isEmpty && trustedProxies.has(address) }
  // Node reports no address once the connection has ended.
  if (address !== '') peers.set(socket, peer)
  return peer
}

function hostOf(request: IncomingMessage): Host {
  let count = 0
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  const host = count === 1 ? readHost(request.headers.host ?? '') : undefined
  if (!host) throw badHost()
  return host
}

const targets = new WeakMap<IncomingMessage, string>()

/** The path of a request target in absolute form. Its host is kept, since it must agree with the Host header. */
export function pathOfTarget(request: IncomingMessage): string {
  const target = request.url ?? '/'
  const [, authority, path] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? []
  if (authority === undefined || path === undefined) return target
  targets.set(request, authority)
  return path.startsWith('/') ? path : `/${path}`
}

function checkTarget(request: IncomingMessage, host: Host): void {
  const isOfServer = request.url === '*' && request.method === 'OPTIONS'
  if (!request.url?.startsWith('/') && !isOfServer) throw badTarget()
  const authority = targets.get(request)
  if (authority === undefined) return
  const target = readHost(authority)
  if (target?.hostname !== host.hostname) throw wrongHost()
}

/** As the address bar of a browser shows it. */
export type Scheme = 'http' | 'https'

const forwardingHeader =
  /^(forwarded|via|x[-_]forwarded.*|(x[-_])?(real|client|cluster[-_]client)[-_]ip|x[-_]original.*|x[-_]rewrite[-_]url|true[-_]client[-_]ip|cf[-_].*)$/

/** Whether any header says that a proxy passed the request on. */
function hasForwarding({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (forwardingHeader.test(name)) return true
  return false
}

/**
 * The client's address from the headers of trusted proxies: the right-most hop that is not a trusted proxy, because the
 * client may have made up the hops left of it. Empty if a hop cannot be read: the address of the proxy would give every
 * client the rights of the proxy.
 */
function forwardedAddress(headers: IncomingHttpHeaders, trustedProxies: AddressList): string {
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
const forwardedHost = (headers: IncomingHttpHeaders): string | undefined =>
  entriesOf(headers['x-forwarded-host']).at(-1)

function forwardedScheme(headers: IncomingHttpHeaders): Scheme | undefined {
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
