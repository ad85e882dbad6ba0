import { connect } from 'node:net'

interface Answer {
  status: number
  size: number
  /** From the first byte of the request to the last one of the answer. */
  milliseconds: number
}

interface Connection extends Disposable {
  ask(request: string): Promise<Answer>
}

/** A kept connection that does next to nothing itself: a whole HTTP client takes longer than many an answer. */
export function openConnection(port: number): Connection {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let onMessage = (_: Buffer) => {}
  let fail = (_: Error) => {}
  socket.on('data', (chunk: Buffer) => onMessage(chunk))
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail(new Error('The server hung up.')))

  return {
    async ask(request) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      let text = ''
      let received = 0
      let tail = ''
      let head: Head | undefined
      fail = reject
      onMessage = (chunk) => {
        received += chunk.length
        if (!head) {
          text += chunk.toString('latin1')
          head = headOf(text)
          if (head && Number.isNaN(head.size)) reject(new Error(`An answer of no length: ${text}`))
        }
        if (!head) return
        if (head.size === undefined) {
          tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - lastChunk.length))).slice(
            -lastChunk.length,
          )
          if (tail === lastChunk) resolve()
        } else if (received >= head.bytes + head.size) resolve()
      }
      const started = performance.now()
      socket.write(request)
      await promise
      const { status = 0, bytes = 0, size = received - bytes } = head ?? {}
      return { status, size, milliseconds: performance.now() - started }
    },
    [Symbol.dispose]() {
      fail = () => {}
      socket.destroy()
    },
  }
}

interface Head {
  status: number
  /** Undefined if the answer is chunked. */
  size: number | undefined
  /** Of the head itself. */
  bytes: number
}

const lastChunk = '\r\n0\r\n\r\n'

/** Nothing before all of it is there. */
function headOf(text: string): Head | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const status = Number(text.slice(9, 12))
  const bytes = end + 4
  if (/\r\ntransfer-encoding: chunked/i.test(text)) return { status, size: undefined, bytes }
  return { status, size: status === 204 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]), bytes }
}
