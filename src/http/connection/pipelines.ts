import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Responses of one connection that are prepared at a time: a client that pipelines may never read them. */
const mostOpen = 4

interface Pipeline {
  openCount: number
  waiting: [IncomingMessage, ServerResponse][]
}

const pipelines = new WeakMap<Socket, Pipeline>()

let openCount = 0

/** Requests of all connections that are being handled, or whose response is being sent. */
export const countOpenRequests = (): number => openCount

/**
 * Handles at most a few requests of a connection at a time. The others wait, and nothing more is read from the connection
 * meanwhile. Node stops reading too when responses pile up, but only after it has emitted every request of a chunk: some
 * two thousand in 64 kB.
 */
export function limitPipelines(handle: RequestListener): RequestListener {
  function start(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    pipeline.openCount += 1
    openCount += 1
    response.once('close', () => {
      // The end of the connection has been counted already.
      if (!pipelines.has(request.socket)) return
      pipeline.openCount -= 1
      openCount -= 1
      // Not in this turn: a connection with many requests would keep all others waiting.
      if (pipeline.waiting.length > 0) setImmediate(startNext, pipeline, request.socket)
    })
    handle(request, response)
  }

  function startNext(pipeline: Pipeline, socket: Socket): void {
    const { waiting } = pipeline
    if (waiting.length === 0 || socket.destroyed) return
    while (waiting.length > 0 && pipeline.openCount < mostOpen) {
      const next = waiting.shift()
      if (next) start(pipeline, ...next)
    }
    if (waiting.length === 0) resumeReading(socket)
  }

  return (request, response) => {
    const pipeline = pipelines.get(request.socket) ?? openPipeline(request.socket)
    if (pipeline.openCount < mostOpen && pipeline.waiting.length === 0)
      return start(pipeline, request, response)
    pipeline.waiting.push([request, response])
    stopReading(request.socket)
  }
}

function openPipeline(socket: Socket): Pipeline {
  const pipeline: Pipeline = { openCount: 0, waiting: [] }
  pipelines.set(socket, pipeline)
  // Node resumes a connection whose written bytes have been taken.
  socket.on('drain', () => {
    if (pipeline.waiting.length > 0) stopReading(socket)
  })
  // Responses that wait for an earlier one get no close event then.
  socket.once('close', () => {
    pipelines.delete(socket)
    openCount -= pipeline.openCount
    pipeline.waiting = []
  })
  return pipeline
}

/** What Node's HTTP server itself uses to stop reading a connection; its parser is paused after the present chunk. */
interface Internals {
  _paused?: boolean
  parser?: { resume(): void } | null
}

function stopReading(socket: Socket & Internals): void {
  socket._paused = true
  socket.pause()
}

function resumeReading(socket: Socket & Internals): void {
  socket.parser?.resume()
  socket._paused = false
  socket.resume()
}
