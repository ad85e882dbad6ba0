import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionLimits } from '../../lib/net/connection-limits.ts'
import { Refusal } from '../../lib/refusal.ts'
import { lastResponseOn, sendRawRefusal } from './raw-responses.ts'

/** What the server waits for on a connection: the rest of a body, or the client taking the rest of a response. */
type Work = 'body' | 'response'

interface Progress {
  work: Work | undefined
  /** Received or sent, as `work` says. */
  movedBytes: number
  movedAt: number
  checkedAt: number
  /** Time that the peer has left. Bytes add to it, up to the stall time. */
  creditMs: number
}

const progressOf = new WeakMap<Socket, Progress>()

/**
 * Ends a connection whose peer is too slow: a body or a response needs the minimum speed on average over the stall time.
 * There is no limit on the whole duration.
 */
export function watchProgress(server: Server, limits: ConnectionLimits): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    progressOf.set(socket, { work: undefined, movedBytes: 0, movedAt: now, checkedAt: now, creditMs: 0 })
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const everyMs = Math.min(1_000, limits.bodyStallMs / 4, limits.answerStallMs / 4)
  const timer = setInterval(() => {
    for (const socket of sockets) checkProgress(socket, limits, everyMs)
  }, everyMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** For how long the client has taken nothing of the response on this connection. */
export function silentMsOf(socket: Socket): number {
  const progress = progressOf.get(socket)
  return progress?.work === 'response' ? performance.now() - progress.movedAt : 0
}

function checkProgress(socket: Socket, limits: ConnectionLimits, everyMs: number): void {
  const progress = progressOf.get(socket)
  if (!progress) return
  const now = performance.now()
  const work = workOn(socket)
  const stallMs = work === 'body' ? limits.bodyStallMs : limits.answerStallMs
  const movedBytes = work === 'body' ? socket.bytesRead : sentBytes(socket)
  const gainedBytes = movedBytes - progress.movedBytes
  const isNew = work !== progress.work
  // After a pause of this process (SIGSTOP, suspend), the pause must not count as silence of the peers.
  const elapsedMs = Math.min(now - progress.checkedAt, 2 * everyMs)
  const gainedMs = (gainedBytes / limits.minBytesPerSecond) * 1_000
  progress.creditMs = isNew ? stallMs : Math.min(stallMs, progress.creditMs - elapsedMs + gainedMs)
  if (isNew || gainedBytes > 0) progress.movedAt = now
  progress.work = work
  progress.movedBytes = movedBytes
  progress.checkedAt = now
  if (work === undefined || progress.creditMs > 0) return
  // Not checked again, so that the client has time to read the refusal.
  progressOf.delete(socket)
  if (work === 'response') socket.destroy()
  else sendRawRefusal(socket, tooSlowBody(limits))
}

/** What the peer has to do. Undefined while this server is the slow side, or between requests. */
function workOn(socket: Socket): Work | undefined {
  const last = lastResponseOn(socket)
  if (!last) return undefined
  if (last.headersSent && !last.writableFinished && socket.writableLength > 0) return 'response'
  // If received bytes wait to be read, the disk or the decoder is slow and not the sender.
  return !last.req.complete && last.req.readableLength === 0 ? 'body' : undefined
}

interface Internals {
  _bytesDispatched?: number
  _handle?: { writeQueueSize?: number } | null
}

/**
 * Bytes that the kernel has taken. The documented counters change only after a whole chunk was written, which takes
 * minutes for 4 MB at 8 kB/s; Node's own idle timer reads the queue of the handle for the same reason.
 */
function sentBytes(socket: Socket): number {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as unknown as Internals
  if (dispatched === undefined) return socket.bytesWritten - socket.writableLength
  return dispatched - (handle?.writeQueueSize ?? 0)
}

const tooSlowBody = ({ minBytesPerSecond, bodyStallMs }: ConnectionLimits) =>
  new Refusal(
    'invalid',
    'too-slow',
    `The body came too slowly: it must come at ${minBytesPerSecond} bytes per second or more, ` +
      `on average over ${bodyStallMs / 1_000} seconds.`,
  )
