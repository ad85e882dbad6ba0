import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../lib/refusal.ts'
import { headersTooLarge, methodNotAllowed, responseOfRefusal, tooSlowHeaders } from '../responses/errors.ts'
import { firstHeaders } from '../responses/headers.ts'

/** The latest response on each connection. */
const latest = new WeakMap<Duplex, ServerResponse>()

export function trackResponse(response: ServerResponse): void {
  latest.set(response.req.socket, response)
}

export const lastResponseOn = (socket: Duplex): ServerResponse | undefined => latest.get(socket)

/** CONNECT never reaches the router, so it is refused here. */
export function handleConnect(server: Server): void {
  server.on('connect', refuseConnect)
}

/** Refuses bytes that Node cannot parse as a request. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || isMidResponse(socket)) return void socket.destroy()
  const refusal = clientErrors[error.code ?? '']?.()
  writeRefusal(socket, refusal ?? new Refusal('invalid', 'bad-request', 'The request cannot be read.'))
}

const clientErrors: Readonly<Record<string, () => Refusal>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlowHeaders,
}

/** Whether the caller would take bytes that we write now for a part of another response, or for a second one. */
function isMidResponse(socket: Duplex): boolean {
  const last = latest.get(socket)
  if (!last) return false
  return last.req.complete ? !last.writableFinished : last.headersSent
}

/** Refuses a request while its body is coming in; if its response has begun, ends the connection instead. */
export function sendRawRefusal(socket: Duplex, refusal: Refusal): void {
  if (isMidResponse(socket)) socket.destroy()
  else writeRefusal(socket, refusal)
}

const ownMethods = ['GET', 'HEAD', 'OPTIONS']

/** This server is no proxy. */
function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  // The client may be gone by now.
  socket.on('error', () => undefined)
  writeRefusal(socket, methodNotAllowed(ownMethods), `Allow: ${ownMethods.join(', ')}\r\n`)
}

/** Closing while the caller is sending would reset the connection and lose the response; this is the longest wait. */
const longestCloseMs = 5_000

const firstLines = Object.entries(firstHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

function writeRefusal(socket: Duplex, refusal: Refusal, headerLines = ''): void {
  if (!socket.writable) return void socket.destroy()
  const { status, body } = responseOfRefusal(refusal)
  const text = JSON.stringify(body)
  // The path may not be known yet; pages of every origin may read this, since it holds nothing but an error.
  socket.end(
    `HTTP/1.1 ${status} ${body.status_txt}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n${firstLines}` +
      `Access-Control-Allow-Origin: *\r\n${headerLines}Connection: close\r\n\r\n${text}`,
  )
  const timer = setTimeout(() => socket.destroy(), longestCloseMs)
  socket.once('close', () => clearTimeout(timer))
}

/** The kernel of a client that is gone resets the connection at the first interim response; the second write notices. */
const probeEveryMs = 500

/**
 * A client that closed its sending half either waits for its response or is gone, which looks alike until something is
 * sent. Interim responses find out, so that no work is done for a client that is gone.
 * RFC 9110, 15.2: "A client MUST be able to parse one or more 1xx responses received prior to a final response".
 */
export function probeHalfClosed(server: Server): void {
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = lastResponseOn(socket)
      // HTTP/1.0 has no interim responses.
      if (!response?.req.complete || response.req.httpVersion !== '1.1') return
      probe(response)
      const timer = setInterval(() => probe(response), probeEveryMs).unref()
      response.once('close', () => clearInterval(timer))
    })
  })
}

function probe(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing()
}

/**
 * Answers requests before the framework. Returns true if it has answered this one, or will do so: if it then cannot, it calls `leave`, which
 * gives the request to the framework.
 */
export type FastPath = (request: IncomingMessage, response: ServerResponse, leave: () => void) => boolean
