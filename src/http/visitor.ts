import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'
import { canonicalAddress, isLoopback } from '../lib/addresses.ts'
import { type Host, isLocalName, readHostHeader } from '../lib/hosts.ts'
import { LruMap } from '../lib/lru.ts'
import { badHost, badRequest, badTarget, tooManyHeaders, wrongHost } from './errors.ts'

/** Who asks, and for which host, after what proxies may say about it was weighed. */
export interface Visitor {
  hostname: string
  address: string
  /** Straight from this machine, not by way of a proxy on it. */
  isLocal: boolean
}

/** Node drops the headers beyond its own count without a word, and with them what a proxy says of itself. */
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
export function visitorOf(request: IncomingMessage, config: Config): Visitor {
  const host = checkedHost(request)
  const { address: peer, isProxy } = peerOf(request.socket, config)
  return {
    hostname: (isProxy && forwardedHost(request)?.hostname) || host.hostname,
    address: isProxy ? forwardedAddress(request, config, peer) : peer,
    isLocal: isLoopback(peer) && isLocalName(host.hostname) && !hasForwarding(request),
  }
}

/** The same where nothing else of the visitor matters. */
export function hostnameOf(request: IncomingMessage, config: Config): string {
  const host = checkedHost(request)
  const { isProxy } = peerOf(request.socket, config)
  return (isProxy && forwardedHost(request)?.hostname) || host.hostname
}

/** Whether a proxy that the operator trusts is at the other end. */
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

/** Who is at the other end stays the same for as long as there is one. */
function peerOf(socket: Socket, { trustedProxies }: Config): Peer {
  const known = peers.get(socket)
  if (known) return known
  const address = canonicalAddress(socket.remoteAddress ?? '') ?? ''
  const peer = { address, isProxy: !trustedProxies.isEmpty && trustedProxies.has(address) }
  // The address of a connection that has ended is not told any more.
  if (address !== '') peers.set(socket, peer)
  return peer
}

function hostOf(request: IncomingMessage): Host {
  let count = 0
  for (let place = 0; place < request.rawHeaders.length; place += 2) {
    const name = request.rawHeaders[place]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  const host = count === 1 ? readHost(request.headers.host ?? '') : undefined
  if (!host) throw badHost()
  return host
}

const targets = new WeakMap<IncomingMessage, string>()

/** The path of a target in absolute form; its host is remembered and must agree with the header's. */
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

function forwardedHost(request: IncomingMessage): Host | undefined {
  const value = request.headers['x-forwarded-host']
  return typeof value === 'string' ? readHost(value) : undefined
}

/** The right-most hop that is none of our proxies: what stands left of it may be made up. */
function forwardedAddress(request: IncomingMessage, config: Config, peer: string): string {
  const value = request.headers['x-forwarded-for']
  const hops = (Array.isArray(value) ? value.join(',') : (value ?? ''))
    .split(',')
    .filter((hop) => hop.trim() !== '')
  let nearest = peer
  for (const hop of hops.toReversed()) {
    const address = canonicalAddress(hop.trim())
    // Nobody's address: the proxy's own would let in whoever made it up.
    if (address === undefined) return ''
    nearest = address
    if (!config.trustedProxies.has(address)) return address
  }
  return nearest
}

const forwardingHeader =
  /^(forwarded|via|x[-_]forwarded.*|x[-_](real|client|cluster[-_]client)[-_]ip|x[-_]original.*|x[-_]rewrite[-_]url|true[-_]client[-_]ip|cf[-_].*)$/

function hasForwarding(request: IncomingMessage): boolean {
  for (const name in request.headers) if (forwardingHeader.test(name)) return true
  return false
}
