import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../lib/refusal.ts'
import { answerOfRefusal, methodNotAllowed } from './errors.ts'

/** The answer that was begun last on each connection. */
const answers = new WeakMap<Duplex, ServerResponse>()

export function rememberAnswer(response: ServerResponse): void {
  answers.set(response.req.socket, response)
}

/** What never becomes a request is answered by hand, in the same envelope. */
export function answerByHand(server: Server): void {
  server.on('connect', answerConnect)
}

/** What cannot be read as a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || isInAnAnswer(socket)) return void socket.destroy()
  const code = clientErrorCodes[error.code ?? ''] ?? 'bad-request'
  writeRefusal(socket, new Refusal('invalid', code, 'The request cannot be read.'))
}

const clientErrorCodes: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
}

/** Whether the caller would take what we write now for a part of another answer, or for a second one. */
function isInAnAnswer(socket: Duplex): boolean {
  const last = answers.get(socket)
  if (!last) return false
  return last.req.complete ? !last.writableFinished : last.headersSent
}

const ownMethods = ['GET', 'HEAD', 'OPTIONS']

/** We are nobody's tunnel. */
function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  // Whoever asked may be gone by now.
  socket.on('error', () => undefined)
  writeRefusal(socket, methodNotAllowed(ownMethods), `Allow: ${ownMethods.join(', ')}\r\n`)
}

function writeRefusal(socket: Duplex, refusal: Refusal, headerLines = ''): void {
  if (!socket.writable) return void socket.destroy()
  const { status, body } = answerOfRefusal(refusal)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${body.status_txt}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `${headerLines}Connection: close\r\n\r\n${text}`,
  )
}
