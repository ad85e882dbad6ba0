import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { join } from 'node:path'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { UrlAllowList } from '../../lib/url-allow.ts'
import type { SpooledFile } from '../../media/index.ts'
import { fileTooBig, spoolFault } from './form-errors.ts'
import { addressesOf, mayReach, type Resolve, readTarget, type UrlTarget } from './url-guard.ts'

export interface FetchOptions {
  /** Exists already; the file is written into it. */
  folder: string
  maxBytes: number
  allow: UrlAllowList
  /** Whether a name is one of our own sites, which do not fetch from each other. */
  ownHostnames?: (hostname: string) => Promise<boolean>
  resolve?: Resolve
  signal?: AbortSignal
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
const MOST_HEADER_BYTES = 16_384
// Interim answers and the frames of chunks are no part of the file, but they may have no end.
const mostWireBytes = (maxBytes: number) => 2 * maxBytes + 1_000_000

/** Trouble of our own, which is not told as a refusal of the URL. */
class OwnFault extends Error {}

/** Fetches a URL from the public internet, or from where the allow list leads, into a file. */
export async function fetchToSpool(url: string, options: FetchOptions): Promise<SpooledFile> {
  const times = { ...TIMES, ...options.times }
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error('The whole took too long.')), times.totalMs)
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const path = join(options.folder, randomId())
  try {
    const target = readTarget(url, options.allow)
    const answer = await follow(target, { ...options, times, signal })
    return { path, ...(await spool(answer, path, options.maxBytes)), name: nameIn(target.url) }
  } catch (error) {
    // What keeps it from being removed is no news, and the folder goes with all that is in it.
    await rm(path, { force: true }).catch(() => {})
    throw refusalFor(error)
  } finally {
    clearTimeout(timer)
    // Whatever connection is still open goes with it.
    stop.abort()
  }
}

async function follow(first: UrlTarget, fetching: Fetching): Promise<IncomingMessage> {
  let target = first
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    await refuseOwn(target, fetching)
    fetching.signal.throwIfAborted()
    const addresses = await addressesOf(target, { ...fetching, timeMs: fetching.times.dnsMs })
    const answer = await send(target, addresses, fetching)
    if (!REDIRECTS.has(answer.statusCode)) return checkAnswer(answer, fetching.maxBytes)
    answer.destroy()
    target = readTarget(locationOf(answer), fetching.allow, target.url)
  }
  throw new Error(`There are more than ${MOST_REDIRECTS} redirects.`)
}

async function refuseOwn({ hostname }: UrlTarget, { ownHostnames }: Fetching): Promise<void> {
  const isOwn = ownHostnames !== undefined && (await orOwnFault(ownHostnames(hostname)))
  if (isOwn) throw new Error(`${hostname} is one of our own sites.`)
}

function send(target: UrlTarget, addresses: readonly string[], fetching: Fetching): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { allow, maxBytes, times } = fetching
  const request = (target.isTls ? httpsRequest : httpRequest)(
    requestOptions(target, addresses, fetching.signal),
  )
  const fail = (message: string) => void request.destroy(new Error(message))
  const timer = setTimeout(fail, times.connectMs, 'The connection took too long.')
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      const address = socket.remoteAddress ?? ''
      if (!mayReach(target, address, allow)) fail(`The connection went to ${address}.`)
    })
    // Nothing is sent before the other end is known.
    socket.once(target.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      socket.setTimeout(times.idleMs, () => fail('The server was silent for too long.'))
      request.end()
    })
    socket.on('data', () => {
      if (socket.bytesRead > mostWireBytes(maxBytes)) fail('The server sends too much around the file.')
    })
  })
  request.once('response', (answer) => {
    // A fault behind the answer's end, such as too many bytes, is told to the request alone.
    request.on('error', (error) => answer.destroy(error))
    answer.on('error', () => {})
    resolve(answer)
  })
  request.on('error', reject)
  request.once('close', () => {
    clearTimeout(timer)
    reject(new Error('The connection was closed without an answer.'))
  })
  return promise
}

function requestOptions(target: UrlTarget, addresses: readonly string[], signal: AbortSignal) {
  const { url, hostname, port } = target
  const isName = isIP(hostname) === 0
  const host = isName ? hostname : url.hostname
  return {
    // No pool, and with it no proxy of the environment.
    agent: false,
    host: hostname,
    port,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.port === '' ? host : `${host}:${port}`,
      'user-agent': 'Terrace',
      accept: '*/*',
      'accept-encoding': 'identity',
    },
    lookup: answerWith(addresses),
    servername: isName ? hostname : '',
    rejectUnauthorized: true,
    maxHeaderSize: MOST_HEADER_BYTES,
    insecureHTTPParser: false,
    signal,
  }
}

/** Hands the socket the addresses that were checked, so that no second question can get another answer. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, { all: isAll }, callback) => {
    const [first] = all
    if (isAll) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
}

function locationOf({ headers: { location } }: IncomingMessage): string {
  if (location === undefined) throw new Error('The redirect leads nowhere.')
  return Buffer.from(location, 'latin1').toString()
}

function checkAnswer(answer: IncomingMessage, maxBytes: number): IncomingMessage {
  const { statusCode, headers } = answer
  if (statusCode !== 200) throw new Error(`The server answered ${statusCode}.`)
  const contentEncoding = headers['content-encoding'] || 'identity'
  const transferEncoding = headers['transfer-encoding'] ?? 'chunked'
  if (
    contentEncoding.trim().toLowerCase() !== 'identity' ||
    transferEncoding.trim().toLowerCase() !== 'chunked'
  )
    throw new Error(`The answer is encoded: ${contentEncoding}, ${transferEncoding}.`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw fileTooBig(maxBytes)
  return answer
}

async function spool(answer: IncomingMessage, path: string, maxBytes: number) {
  const file = await orDiskFault(open(path, 'wx', 0o600))
  try {
    return await writeAnswer(answer, file, maxBytes)
  } finally {
    await orDiskFault(file.close())
  }
}

async function writeAnswer(answer: IncomingMessage, file: FileHandle, maxBytes: number) {
  const md5 = createHash('md5')
  let sizeBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw fileTooBig(maxBytes)
    md5.update(chunk)
    await orDiskFault(file.writeFile(chunk))
  }
  if (!answer.complete) throw new Error('The answer was cut off.')
  return { sizeBytes, md5: md5.digest('hex') }
}

function nameIn({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1) ?? ''
  // An escaped slash is no part of a name either.
  return decodePart(last).split(/[/\\]/).at(-1) || undefined
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Escapes that are no UTF-8 stay as they are.
    return part
  }
}

function orDiskFault<T>(work: Promise<T>): Promise<T> {
  return orOwnFault(work.catch((error) => Promise.reject(spoolFault(error))))
}

function orOwnFault<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause) => Promise.reject(new OwnFault('Not the fault of the URL.', { cause })))
}

function refusalFor(error: unknown): unknown {
  if (error instanceof OwnFault) return error.cause
  // One text for all: whoever asks must not learn what is behind our walls.
  return error instanceof Refusal ? error : urlRefused(error)
}

const urlRefused = (cause: unknown) =>
  new Refusal('invalid', 'url-refused', 'The URL could not be fetched.', { cause })
