import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Listening extends AsyncDisposable {
  port: number
}

interface Slowness {
  /** Of every piece that is passed on, in each direction. */
  delayMs: number
  bytesPerSecond?: number
}

/** Passes a TCP connection on, late and slowly: a distant database, a bucket behind a thin line. */
export async function startSlowProxy(
  port: number,
  { delayMs, bytesPerSecond }: Slowness,
): Promise<Listening> {
  const sockets = new Set<Socket>()
  const pass = async (from: Socket, to: Socket) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      await sleep(delayMs + (bytesPerSecond ? (chunk.length * 1_000) / bytesPerSecond : 0))
      if (!to.write(chunk)) await once(to, 'drain')
    }
    to.end()
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => sockets.delete(socket))
    }
    Promise.all([pass(client, upstream), pass(upstream, client)]).catch(end)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A name server that hears every question and answers none. */
export async function startSilentNameServer(): Promise<Listening & { questions(): number }> {
  const socket = createSocket('udp4')
  let questions = 0
  socket.on('message', () => {
    questions += 1
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    questions: () => questions,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

interface SlowReaders extends AsyncDisposable {
  /** How many the server has hung up on. */
  ended(): number
}

/** A little longer than the server's own patience, `SERVICE_ANSWER_STALL_SECONDS`. */
const silentMs = 250_000
const goodbyeMs = 2_000

/**
 * Connections that ask for a file and read nothing for four minutes. A socket that does not read cannot see that it was
 * closed: each one then reads, is counted if the server has hung up on it, and is replaced by a new one.
 */
export function openSlowReaders(port: number, count: number, request: string): SlowReaders {
  const sockets = new Set<Socket>()
  const over = new AbortController()
  let ended = 0
  const readSlowly = async () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    sockets.add(socket.on('error', () => {}).pause())
    await sleep(silentMs, undefined, { signal: over.signal })
    const closed = once(socket.resume(), 'close').then(() => true)
    if (await Promise.race([closed, sleep(goodbyeMs, false, { signal: over.signal })])) ended += 1
    socket.destroy()
    sockets.delete(socket)
  }
  const readers = Array.from({ length: count }, async () => {
    while (!over.signal.aborted) await readSlowly().catch(() => undefined)
  })
  return {
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      over.abort()
      for (const socket of sockets) socket.destroy()
      await Promise.all(readers)
    },
  }
}
