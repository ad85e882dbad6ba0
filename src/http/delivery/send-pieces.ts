import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import type { OpenedFile } from '../../storage/index.ts'

/** A long file that is open, with its first bytes read. It must be sent or closed. */
export interface Begun {
  file: OpenedFile
  buffer: Buffer
  /** How much of the buffer is filled. */
  filledBytes: number
}

interface Sending extends Begun {
  status: number
  headers: OutgoingHttpHeaders
  log: App['log']
  key: string
  start: number
  lengthBytes: number
}

const pieceBytes = 262_144
const mostSpare = 16
const spare: Buffer[] = []

/** The first bytes are read before anything is answered, so that what keeps us from reading is known by then. */
export async function beginPieces(file: OpenedFile, start: number, lengthBytes: number): Promise<Begun> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  return { file, buffer, filledBytes: await file.read(buffer.subarray(0, lengthBytes), start) }
}

/**
 * Sends a file through one buffer that is filled again and again: new memory for each piece would cost more than all the
 * rest. One that ends too early ends the connection, so that nobody takes it for whole.
 */
export async function sendPieces(response: ServerResponse, sending: Sending): Promise<void> {
  const { log, key, file, buffer, start, lengthBytes } = sending
  const writer = writerOf(response)
  let sentBytes = 0
  try {
    response.writeHead(sending.status, sending.headers)
    for (let filled = sending.filledBytes; filled > 0; ) {
      await writer(buffer.subarray(0, filled))
      // What is underway on a connection that has ended may still look at the buffer.
      if (response.destroyed) return
      sentBytes += filled
      const left = Math.min(pieceBytes, lengthBytes - sentBytes)
      filled = left > 0 ? await file.read(buffer.subarray(0, left), start + sentBytes) : 0
    }
    if (sentBytes < lengthBytes) throw new Error(`It ends ${lengthBytes - sentBytes} bytes too early.`)
    response.end()
    if (spare.length < mostSpare) spare.push(buffer)
  } catch (error) {
    log.error({ key, error: String(error) }, 'A stored file broke off')
    response.destroy()
  } finally {
    // Node ends a process that forgets an open file.
    await file.close().catch((error) => log.error({ key, error: String(error) }, 'A file was not closed'))
  }
}

/** Resolves when the bytes are out, or nobody is there any more to take them. */
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
