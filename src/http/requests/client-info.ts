import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { LruMap } from '../../lib/lru.ts'
import { canonicalAddress, isLoopback } from '../../lib/net/addresses.ts'
import { type Host, isLocalName, localName, readHostHeader } from '../../lib/net/hosts.ts'
import { badHost, badRequest, badTarget, tooManyHeaders, wrongHost } from '../responses/errors.ts'
import { forwardedAddress, forwardedHost, forwardedScheme, hasForwarding, type Scheme } from './forwarded.ts'

/** The caller of a request and the host it is for, after the headers of trusted proxies were applied. */
export interface ClientInfo {
  /** As the request names it. */
  host: string
  /** The host name of a tenant at this host. */
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

/** The host name alone, for the fast path. */
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
