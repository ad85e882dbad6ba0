import { connect } from 'node:net'

interface Answer {
  status: number
  size: number
  /** From the first byte of the request to the last one of the answer. */
  milliseconds: number
}

export interface Line extends Disposable {
  ask(request: string): Promise<Answer>
}

/** A kept connection that does next to nothing itself: a whole HTTP client takes longer than many an answer. */
export async function openLine(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let hear = (_: Buffer) => {}
  let fail = (_: Error) => {}
  socket.on('data', (chunk: Buffer) => hear(chunk))
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail(new Error('The server hung up.')))

  return {
    async ask(request) {
      const { promise, resolve, reject } = Promise.withResolvers<Omit<Answer, 'milliseconds'>>()
      let head = ''
      let body = 0
      let end: Omit<Answer, 'milliseconds'> | undefined
      fail = reject
      hear = (chunk) => {
        if (end) body += chunk.length
        else {
          head += chunk.toString('latin1')
          end = endOf(head)
          if (end) body = head.length - head.indexOf('\r\n\r\n') - 4
        }
        if (end && body >= end.size) resolve(end)
      }
      const started = performance.now()
      socket.write(request)
      const answer = await promise
      return { ...answer, milliseconds: performance.now() - started }
    },
    [Symbol.dispose]() {
      fail = () => {}
      socket.destroy()
    },
  }
}

/** Once the head is there. All answers here tell how long they are. */
function endOf(head: string): Omit<Answer, 'milliseconds'> | undefined {
  if (!head.includes('\r\n\r\n')) return undefined
  return { status: Number(head.slice(9, 12)), size: Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]) }
}
