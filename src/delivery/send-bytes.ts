import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'
import type { OpenedFile } from '../storage/index.ts'
import type { CountSent } from './count-traffic.ts'

interface Sending {
  log: App['log']
  key: string
  content: Readable
  lengthBytes: number
  count: CountSent
}

/** If the stream ends too early, the connection is closed, so that the client does not take the file for complete. */
export function sendStream(reply: FastifyReply, { log, key, content, lengthBytes, count }: Sending) {
  let remainingBytes = lengthBytes
  content.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length
    count(chunk.length)
  })
  content.on('error', (error) => {
    // A client that leaves ends the stream too.
    if (reply.raw.destroyed) return
    log.error({ key, error: error.message }, 'A stored file could not be read to its end')
  })
  content.on('end', () => {
    if (remainingBytes === 0) return
    log.error({ key, remainingBytes }, 'A stored file is shorter than its row says')
    reply.raw.destroy()
  })
  return reply.header('content-length', lengthBytes).send(content)
}

/** Without a body. Fastify would add `Content-Length: 0`, which is wrong for HEAD and 304. */
export function sendEmpty(reply: FastifyReply) {
  return reply.send(reply.request.method === 'HEAD' ? Readable.from([]) : undefined)
}

/** A large file that is open, with its first chunk read. It must be sent or closed. */
export interface OpenedChunks {
  file: OpenedFile
  buffer: Buffer
  /** Bytes of the first chunk in the buffer. */
  filledBytes: number
}

interface SendingChunks extends OpenedChunks {
  status: number
  headers: OutgoingHttpHeaders
  log: App['log']
  key: string
  start: number
  lengthBytes: number
  count: CountSent
}

const chunkBytes = 262_144
/** With many readers: a thousand slow ones take 64 MB and not four times as much. */
const smallChunkBytes = 65_536
const mostSpare = 16
const spare: Buffer[] = []

/** Reads the first chunk before the response begins, so that a read error can still be refused. */
export async function readFirstChunk(
  file: OpenedFile,
  { start, lengthBytes, isCrowded }: { start: number; lengthBytes: number; isCrowded: boolean },
): Promise<OpenedChunks> {
  const buffer = isCrowded
    ? Buffer.allocUnsafeSlow(smallChunkBytes)
    : (spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes))
  return { file, buffer, filledBytes: await file.read(buffer.subarray(0, lengthBytes), start) }
}

/**
 * Sends a file through one buffer: a new buffer for each chunk cost two thirds of the sending. If the file ends too early,
 * the connection is closed, so that the client does not take the file for complete.
 */
export async function sendChunks(response: ServerResponse, sending: SendingChunks): Promise<void> {
  const { log, key, file, buffer, start, lengthBytes } = sending
  const writer = writerOf(response)
  let sentBytes = 0
  try {
    response.writeHead(sending.status, sending.headers)
    for (let filled = sending.filledBytes; filled > 0; ) {
      await writer(buffer.subarray(0, filled))
      // A write on a connection that has ended may still use the buffer, so it is not reused.
      if (response.destroyed) return
      sentBytes += filled
      sending.count(filled)
      const nextBytes = Math.min(buffer.length, lengthBytes - sentBytes)
      filled = nextBytes > 0 ? await file.read(buffer.subarray(0, nextBytes), start + sentBytes) : 0
    }
    if (sentBytes < lengthBytes) throw new Error(`The file ends ${lengthBytes - sentBytes} bytes too early.`)
    response.end()
    if (spare.length < mostSpare && buffer.length === chunkBytes) spare.push(buffer)
  } catch (error) {
    log.error({ key, error: String(error) }, 'A stored file could not be read to its end')
    response.destroy()
  } finally {
    // Node ends the process if an open FileHandle is garbage collected.
    await file.close().catch((error) => log.error({ key, error: String(error) }, 'A file was not closed'))
  }
}

/** Resolves when the bytes were written, or the connection has ended. */
function writerOf(response: ServerResponse): (bytes: Buffer) => Promise<void> {
  let wake = () => {}
  response.once('close', () => wake())
  return (bytes) =>
    new Promise((resolve) => {
      wake = resolve
      if (response.destroyed) resolve()
      else response.write(bytes, () => resolve())
    })
}
