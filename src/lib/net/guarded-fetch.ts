import type { IncomingMessage } from 'node:http'
import { sendGuarded } from './guarded-request.ts'
import type { ResolveName } from './name-resolver.ts'
import type { UrlAllowList } from './url-allow.ts'
import { addressesOf, readTarget, type UrlTarget } from './url-guard.ts'

interface FetchLimits {
  allow: UrlAllowList
  resolve: ResolveName
  /** Waits until another request may be sent. */
  takeSlot: (signal: AbortSignal) => Promise<Disposable>
}

export interface SmallRequest {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: unknown
  signal?: AbortSignal | undefined
}

/** A fetch of small documents, such as those of a log-in provider. */
export type GuardedFetch = (url: string, request: SmallRequest) => Promise<Response>

/** No usable answer: refused by the guard, out of reach, too slow or too large. The cause is for the log alone. */
export class FetchFailed extends Error {}

const times = { dnsMs: 3_000, connectMs: 5_000, idleMs: 8_000, totalMs: 10_000 }
const mostBytes = 262_144

/**
 * Fetches with the rules of uploads by URL: public targets, and internal ones on the allow list. Plain http is for the latter
 * alone. Redirects are answers like others.
 */
export const guardedFetch =
  (limits: FetchLimits): GuardedFetch =>
  async (url, request) => {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new Error('The whole took too long.')), times.totalMs)
    const signal = AbortSignal.any([stop.signal, ...(request.signal ? [request.signal] : [])])
    try {
      return await fetchSmall(url, { ...request, signal }, limits)
    } catch (cause) {
      throw new FetchFailed(`${url} could not be fetched.`, { cause })
    } finally {
      clearTimeout(timer)
      // Ends the connection if it is still open.
      stop.abort()
    }
  }

async function fetchSmall(
  url: string,
  { method, headers = {}, body, signal }: SmallRequest & { signal: AbortSignal },
  { allow, resolve, takeSlot }: FetchLimits,
): Promise<Response> {
  const target = readTarget(url, allow)
  using _slot = await takeSlot(signal)
  const addresses = await addressesOf(target, { allow, resolve, signal, timeMs: times.dnsMs })
  if (!target.isTls && !isListed(target, addresses, allow)) throw new Error('Plain http is not encrypted.')
  const text = body === undefined || body === null ? undefined : String(body)
  const length = text === undefined ? undefined : { 'content-length': String(Buffer.byteLength(text)) }
  const response = await sendGuarded(target, {
    addresses,
    allow,
    times,
    signal,
    method,
    mostWireBytes: 2 * mostBytes,
    headers: { ...headers, ...length },
    ...(text !== undefined && { body: text }),
  })
  return answerOf(response, await readAll(response))
}

const isListed = (target: UrlTarget, addresses: readonly string[], allow: UrlAllowList): boolean =>
  allow.hasName(target.hostname, target.port) ||
  addresses.every((address) => allow.hasAddress(address, target.port))

async function readAll(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`The answer has more than ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  if (!response.complete) throw new Error('The response was cut off.')
  return Buffer.concat(chunks)
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Response {
  const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304
  const headerList = Object.entries(headers).flatMap(([name, value = '']) =>
    Array.isArray(value)
      ? value.map((each): [string, string] => [name, each])
      : [[name, value] as [string, string]],
  )
  return new Response(isEmpty ? null : body, { status: statusCode, headers: headerList })
}
