import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { UrlAllowList } from './url-allow.ts'
import { mayReach, type UrlTarget } from './url-guard.ts'

export interface RequestTimes {
  /** To the end of the TLS handshake. */
  connectMs: number
  idleMs: number
}

export interface GuardedRequest {
  /** Of the target, as `addressesOf` has checked them. */
  addresses: readonly string[]
  allow: UrlAllowList
  times: RequestTimes
  signal: AbortSignal
  /** All bytes of the connection: interim responses and the framing of chunks too, which no limit on the body bounds. */
  mostWireBytes: number
  method?: string | undefined
  headers?: Readonly<Record<string, string>>
  body?: string
}

const MOST_HEADER_BYTES = 16_384

/** Sends a request to one of the checked addresses. No redirect is followed. */
export function sendGuarded(target: UrlTarget, guarded: GuardedRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { allow, times, mostWireBytes, body } = guarded
  const request = (target.isTls ? httpsRequest : httpRequest)(requestOptions(target, guarded))
  const fail = (message: string) => void request.destroy(new Error(message))
  const timer = setTimeout(fail, times.connectMs, 'The connection took too long.')
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      const address = socket.remoteAddress ?? ''
      if (!mayReach(target, address, allow)) fail(`The connection went to ${address}.`)
    })
    // The request is sent after the address and the certificate were checked.
    socket.once(target.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      socket.setTimeout(times.idleMs, () => fail('The server was silent for too long.'))
      request.end(body)
    })
    socket.on('data', () => {
      if (socket.bytesRead > mostWireBytes) fail('The server sends too much around the file.')
    })
  })
  request.once('response', (response) => {
    // Node reports an error after the response has begun, such as too many bytes, to the request alone.
    request.on('error', (error) => response.destroy(error))
    response.on('error', () => {})
    resolve(response)
  })
  request.on('error', reject)
  request.once('close', () => {
    clearTimeout(timer)
    reject(new Error('The connection was closed without a response.'))
  })
  return promise
}

function requestOptions(target: UrlTarget, { addresses, signal, method, headers }: GuardedRequest) {
  const { url, hostname, port } = target
  const isName = isIP(hostname) === 0
  const host = isName ? hostname : url.hostname
  return {
    // No agent: neither a connection pool nor a proxy from the environment.
    agent: false,
    host: hostname,
    port,
    path: `${url.pathname}${url.search}`,
    ...(method !== undefined && { method }),
    headers: {
      host: url.port === '' ? host : `${host}:${port}`,
      'user-agent': 'Terrace',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...headers,
    },
    lookup: lookupOf(addresses),
    servername: isName ? hostname : '',
    rejectUnauthorized: true,
    maxHeaderSize: MOST_HEADER_BYTES,
    insecureHTTPParser: false,
    signal,
  }
}

/** Gives the socket the addresses that were checked: a second look-up could return others (DNS rebinding). */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, { all: isAll }, callback) => {
    const [first] = all
    if (isAll) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
}
