import type { IncomingMessage, Server, ServerResponse } from 'node:http'

interface Waiting {
  response: ServerResponse
  keepsAlive: boolean
}

/** Requests whose sender waits for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, Waiting>()

/**
 * Delays `100 Continue` until a handler reads the body, so that a caller that is refused before need not send it. Node
 * would send it immediately.
 */
export function delayContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, { response, keepsAlive: response.shouldKeepAlive })
    // If the body is never read, the next bytes may be the body or another request: the connection must end.
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
}

/** Whether the sender still waits and has not sent its body. */
export const isAwaitingContinue = (request: IncomingMessage): boolean => waiting.has(request)

/** Must be called before the body is read. */
export function continueBody(request: IncomingMessage): void {
  const found = waiting.get(request)
  if (!found) return
  waiting.delete(request)
  found.response.shouldKeepAlive = found.keepsAlive
  found.response.writeContinue()
}
