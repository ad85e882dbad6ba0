import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Slot of Node's HTTP parser for a callback at the start of a message. Node itself leaves it empty. */
const messageBegins = 0

interface Parser {
  [messageBegins]?: unknown
}

const beganAt = new WeakMap<Parser, number>()

function recordBegin(this: Parser): void {
  beganAt.set(this, performance.now())
}

const parserOf = (socket: Socket) => (socket as { parser?: Parser | null }).parser ?? undefined

/** Records when the first byte of each request arrives: Node emits a request only after all its headers. */
export function recordFirstBytes(server: Server): void {
  server.on('connection', (socket: Socket) => {
    const parser = parserOf(socket)
    if (parser && !parser[messageBegins]) parser[messageBegins] = recordBegin
  })
}

/** When the first byte of a request arrived; now, if that was not recorded. Call it in the turn of the request event. */
export function firstByteAt({ socket }: IncomingMessage): number {
  const parser = parserOf(socket)
  return (parser && beganAt.get(parser)) ?? performance.now()
}
