import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** What can go wrong with one call. `Before`: the call is not forwarded; `After`: it is forwarded and its response is lost. */
export const s3Faults = [
  'hangBefore',
  'hangAfter',
  'error',
  'slowDown',
  'resetBefore',
  'resetAfter',
  'errorAfter',
  'truncate',
  'slow',
] as const

export type S3Fault = (typeof s3Faults)[number]

export interface S3Proxy extends AsyncDisposable {
  port: number
  /** How many calls have come so far. */
  calls(): number
  /** Called for every call, by its number from 1 on. */
  onCall(fault: (number: number) => S3Fault | undefined): void
}

/** Stands before a real S3 server and does to its calls what networks and overload do. */
export async function startS3Proxy(endpoint: string): Promise<S3Proxy> {
  let count = 0
  let faultOf: (number: number) => S3Fault | undefined = () => undefined
  const server = createServer((incoming, outgoing) => {
    pass(endpoint, incoming, outgoing, faultOf(++count)).catch(() => outgoing.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    calls: () => count,
    onCall(fault) {
      faultOf = fault
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const slowMs = 700

async function pass(
  endpoint: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: S3Fault | undefined,
): Promise<void> {
  const body = await buffer(incoming)
  if (fault === 'hangBefore') return
  if (fault === 'resetBefore') return void incoming.socket.resetAndDestroy()
  if (fault === 'error') return refuse(outgoing, 500, 'InternalError')
  if (fault === 'slowDown') return refuse(outgoing, 503, 'SlowDown')

  const answer = await forward(endpoint, incoming, body)
  const bytes = await buffer(answer)
  if (fault === 'hangAfter') return
  if (fault === 'resetAfter') return void incoming.socket.resetAndDestroy()
  if (fault === 'errorAfter') return refuse(outgoing, 500, 'InternalError')
  if (fault === 'slow') await sleep(slowMs)
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
  if (fault !== 'truncate' || bytes.length < 2) return void outgoing.end(bytes)
  outgoing.write(bytes.subarray(0, bytes.length / 2))
  await sleep(20)
  incoming.socket.resetAndDestroy()
}

/** With the very headers, since they are signed. */
async function forward(endpoint: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { expect: _, connection: __, ...headers } = incoming.headers
  const { hostname, port } = new URL(endpoint)
  const call = request({ hostname, port, method: incoming.method, path: incoming.url, headers, agent: false })
  call.end(body)
  const [answer] = await once(call, 'response')
  return answer
}

function refuse(outgoing: ServerResponse, status: number, code: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/xml' })
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}
