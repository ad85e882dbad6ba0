import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type SharedBudget, shareBudget } from '../../lib/processes/shared-budget.ts'
import { boundKeyOf } from './reader-slots.ts'

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

/** A small body on a keep-alive connection is read to its end by Node. */
const smallBytes = 65_536
const mostBytes = 256 * 1_048_576
const longestMs = 60_000

const budgets = new WeakMap<App, SharedBudget>()

/** Bytes of refused bodies that are being read: of one address four whole ones at a time. */
export function shareRefusedBytes(app: App): SharedBudget {
  const limits = { mostBytes: 32 * mostBytes, mostBytesPerKey: 4 * mostBytes }
  const budget = shareBudget(app.processes, 'refused-bytes', limits)
  budgets.set(app, budget)
  return budget
}

/** Whether the caller is still sending a body that is worth reading before the connection ends. */
export function isStillSent(request: IncomingMessage): boolean {
  const { complete, readableEnded, headers, httpVersion } = request
  // A request without a connection is never complete, yet its body may have been read to the end.
  if (complete || readableEnded) return false
  // The next bytes may be the body or another request, which cannot be told apart: the connection must end.
  if (isAwaitingContinue(request)) return true
  if (headers['transfer-encoding'] !== undefined) return true
  const sizeBytes = Number(headers['content-length'] ?? 0)
  const isLasting = httpVersion === '1.1' && !/\bclose\b/i.test(headers.connection ?? '')
  return isLasting ? sizeBytes > smallBytes : sizeBytes > 0
}

/**
 * Whether a refusal must wait until the body was read. Proxies in Go (Caddy, Traefik) close a connection half a second after an
 * early response, while the client is still sending. A client without a proxy gets its response immediately.
 */
export function mustReadBodyFirst({ raw, client }: FastifyRequest): boolean {
  if (!client?.isFromProxy || !client.isForwarded || isAwaitingContinue(raw)) return false
  return Number(raw.headers['content-length'] ?? 0) <= mostBytes
}

/**
 * Reads the rest of a refused body and throws it away, within bounds. Closing while the caller is sending makes the kernel
 * reset the connection, and a caller that reads only after it has sent everything would lose the response.
 */
export async function discardBody(app: App, { raw, client }: FastifyRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const budget = budgets.get(app) ?? shareRefusedBytes(app)
  const account = budget.open(client && boundKeyOf(app.config, client.address))
  const timer = setTimeout(resolve, longestMs)
  let remainingBytes = mostBytes
  const onData = (chunk: Buffer) => {
    remainingBytes -= chunk.length
    if (remainingBytes < 0 || !account.take(chunk.length)) return resolve()
    void account.settle()?.then(
      (isTaken) => isTaken || resolve(),
      () => resolve(),
    )
  }
  const onEnd = () => resolve()
  raw.on('data', onData)
  for (const event of ['error', 'close', 'end']) raw.on(event, onEnd)
  raw.resume()
  try {
    await promise
  } finally {
    clearTimeout(timer)
    account.close()
    raw.off('data', onData)
  }
}
