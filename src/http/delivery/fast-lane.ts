import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import { findBytesAtOnce } from '../../media/index.ts'
import { siteAtOnce } from '../../tenants/index.ts'
import { fileCors, firstHeaders } from '../first-headers.ts'
import type { Measure } from '../metrics.ts'
import { rememberAnswer } from '../raw-answers.ts'
import { hostnameOf } from '../visitor.ts'
import { accelOf } from './accel.ts'
import { answerOf, type FileAnswer } from './file-answer.ts'
import { filePlace } from './file-place.ts'
import type { Held } from './hot-cache.ts'
import { borrow, hotCacheOf } from './hot-files.ts'
import { isStoredAtOnce } from './read-bytes.ts'

/** True when the request has been answered. */
export type Lane = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Answers what is asked for most without the framework: a file whose bytes are in memory, or that a proxy sends. It asks
 * the same questions by the same functions as the long way does, and leaves to that whatever is refused, unusual or not
 * at hand at once.
 */
export function fastLane(app: App, server: Server, measure: Measure): Lane {
  // Elsewhere the row is a question to another machine, beside which the framework costs little.
  if (app.control.store.kind !== 'sqlite') return () => false
  const cache = hotCacheOf(app)
  const findReady = readyAnswers(app)
  return (request, response) => {
    // While we close, connections are told so.
    if (!server.listening || !isPlain(request)) return false
    const ready = findReady(request, response)
    if (!ready) return false
    const { answer, held } = ready
    const startedAt = performance.now()
    response.on('close', () => {
      if (held) cache.giveBack(held)
      const elapsedMs = performance.now() - startedAt
      measure({ method: 'GET', route: '/images/*', status: answer.status, elapsedMs })
    })
    rememberAnswer(response)
    send(response, ready)
    return true
  }
}

const prefix = '/images/'

function isPlain({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    url?.startsWith(prefix) === true &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  )
}

interface Ready {
  answer: FileAnswer
  held?: Held
  redirect?: string
}

function readyAnswers(app: App) {
  const accelerated = accelOf(app)

  function answerAtOnce(request: IncomingMessage, response: ServerResponse): Ready | undefined {
    const place = filePlace(request.url?.slice(prefix.length) ?? '')
    const site = place && siteAtOnce(app.control, hostnameOf(request, app.config))
    const found = site && findBytesAtOnce(site, place.folder, place.fileName)
    if (!found) return undefined
    const redirect = accelerated(request, site, found.key)
    const answer = answerOf(site, found, { headers: request.headers, mayBePart: redirect === undefined })
    if (answer.status === 304) return { answer }
    if (answer.status > 304) return undefined
    const reading = { app, site, found }
    if (redirect !== undefined) return isStoredAtOnce(reading) ? { answer, redirect } : undefined
    const held = borrow(reading, response)
    return held && { answer, held }
  }

  return (request: IncomingMessage, response: ServerResponse): Ready | undefined => {
    try {
      return answerAtOnce(request, response)
    } catch {
      // Whatever it is, the long way meets it too and has the words for it.
      return undefined
    }
  }
}

function send(response: ServerResponse, { answer, held, redirect }: Ready): void {
  const { status, headers, piece } = answer
  if (held) {
    const bytes = piece ? held.bytes.subarray(piece.start, piece.end + 1) : held.bytes
    response.writeHead(status, [...listOf(headers), 'content-length', String(bytes.length)])
    response.end(bytes)
    return
  }
  const place = redirect === undefined ? [] : ['x-accel-redirect', redirect, 'content-length', '0']
  response.writeHead(status, [...listOf(headers), ...place])
  response.end()
}

const lists = new WeakMap<FileAnswer['headers'], readonly string[]>()

/** Names and values in turn, as they are sent. */
function listOf(headers: FileAnswer['headers']): readonly string[] {
  const list = lists.get(headers) ?? Object.entries({ ...firstHeaders, ...fileCors, ...headers }).flat()
  lists.set(headers, list)
  return list
}
