import type { IncomingMessage } from 'node:http'
import { sendGuarded } from '../../../lib/net/guarded-request.ts'
import type { ResolveName } from '../../../lib/net/name-resolver.ts'
import type { UrlAllowList } from '../../../lib/net/url-allow.ts'
import { addressesOf, readTarget, type UrlTarget } from '../../../lib/net/url-guard.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { SpooledFile } from '../../../media/index.ts'
import { fileTooBig } from '../reading/form-errors.ts'
import type { Spool, SpoolWriter } from './spool.ts'

export interface FetchOptions {
  /** The file is written into its folder. */
  spool: Pick<Spool, 'newFile'>
  maxBytes: number
  allow: UrlAllowList
  /** Whether a hostname is one of this installation's sites, which do not fetch from each other. */
  ownHostnames?: (hostname: string) => Promise<boolean>
  resolve: ResolveName
  /** Waits until another hostname may be looked up. */
  takeSlot?: (signal: AbortSignal) => Promise<Disposable>
  signal?: AbortSignal
  /** Called before the first DNS look-up or connection. */
  onBegin?: () => void
  times?: Partial<FetchTimes>
}

export interface FetchTimes {
  dnsMs: number
  /** To the end of the TLS handshake. */
  connectMs: number
  idleMs: number
  totalMs: number
}

interface Fetching extends FetchOptions {
  times: FetchTimes
  signal: AbortSignal
}

const TIMES: FetchTimes = { dnsMs: 3000, connectMs: 5000, idleMs: 10_000, totalMs: 30_000 }
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])
const MOST_REDIRECTS = 3
// Interim responses and the framing of chunks are not part of the file, so that the file's limit does not bound them.
const mostWireBytes = (maxBytes: number) => 2 * maxBytes + 1_000_000

/** An error of this server (disk, database), which must not be reported as a refusal of the URL. */
class OwnFault extends Error {}

/** Fetches a URL into a spooled file. The target must be public or on the allow list. */
export async function fetchToSpool(url: string, options: FetchOptions): Promise<SpooledFile> {
  const times = { ...TIMES, ...options.times }
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error('The whole took too long.')), times.totalMs)
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const file = options.spool.newFile(options.maxBytes)
  try {
    const target = readTarget(url, options.allow)
    options.onBegin?.()
    const response = await follow(target, { ...options, times, signal })
    return { ...(await spoolBody(response, file)), name: nameIn(target.url) }
  } catch (error) {
    // If the file cannot be removed now, it is removed with the spool's folder; the first error is the one to report.
    await Promise.resolve(file[Symbol.asyncDispose]()).catch(() => {})
    throw refusalFor(error)
  } finally {
    clearTimeout(timer)
    // Ends the connection if it is still open.
    stop.abort()
  }
}

async function follow(first: UrlTarget, fetching: Fetching): Promise<IncomingMessage> {
  let target = first
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    await refuseOwn(target, fetching)
    fetching.signal.throwIfAborted()
    const addresses = await addressesOf(target, { ...fetching, timeMs: fetching.times.dnsMs })
    const response = await sendGuarded(target, {
      ...fetching,
      addresses,
      mostWireBytes: mostWireBytes(fetching.maxBytes),
    })
    if (!REDIRECTS.has(response.statusCode)) return checkResponse(response, fetching.maxBytes)
    response.destroy()
    target = readTarget(locationOf(response), fetching.allow, target.url)
  }
  throw new Error(`There are more than ${MOST_REDIRECTS} redirects.`)
}

async function refuseOwn({ hostname }: UrlTarget, { ownHostnames }: Fetching): Promise<void> {
  const isOwn = ownHostnames !== undefined && (await orOwnFault(ownHostnames(hostname)))
  if (isOwn) throw new Error(`${hostname} is one of our own sites.`)
}

function locationOf({ headers: { location } }: IncomingMessage): string {
  if (location === undefined) throw new Error('The redirect leads nowhere.')
  return Buffer.from(location, 'latin1').toString()
}

function checkResponse(response: IncomingMessage, maxBytes: number): IncomingMessage {
  const { statusCode, headers } = response
  if (statusCode !== 200) throw new Error(`The server answered ${statusCode}.`)
  const contentEncoding = headers['content-encoding'] || 'identity'
  const transferEncoding = headers['transfer-encoding'] ?? 'chunked'
  if (
    contentEncoding.trim().toLowerCase() !== 'identity' ||
    transferEncoding.trim().toLowerCase() !== 'chunked'
  )
    throw new Error(`The response is encoded: ${contentEncoding}, ${transferEncoding}.`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw fileTooBig(maxBytes)
  return response
}

/** Writes the response's body through the same spool writer as the body of a form. */
async function spoolBody(response: IncomingMessage, file: SpoolWriter) {
  for await (const chunk of response as AsyncIterable<Buffer>) {
    file.write(chunk)
    await orOwnFault(file.flush())
  }
  if (!response.complete) throw new Error('The response was cut off.')
  return await orOwnFault(file.finish())
}

function nameIn({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1) ?? ''
  // An escaped slash separates folders too.
  return decodePart(last).split(/[/\\]/).at(-1) || undefined
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Escapes that are not UTF-8 stay as they are.
    return part
  }
}

async function orOwnFault<T>(work: Promise<T> | T): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new OwnFault('Not the fault of the URL.', { cause })
  }
}

function refusalFor(error: unknown): unknown {
  if (error instanceof OwnFault) return error.cause
  // One message for every reason: the caller must not learn what is on our network.
  return error instanceof Refusal ? error : urlRefused(error)
}

const urlRefused = (cause: unknown) =>
  new Refusal('invalid', 'url-refused', 'The URL could not be fetched.', { cause })
