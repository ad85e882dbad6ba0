import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { until } from '../until.ts'

interface Asking {
  port: number
  url: string
  headers?: Record<string, string>
  /** Sent as a form by POST. */
  form?: Record<string, string>
}

/** A client that has requested a file and reads only as much as the test says, at first nothing. */
export interface SlowReader {
  socket: Socket
  /** Resolves with the first line of the answer. */
  begun: Promise<string>
  /** Reads at this rate until the end, and returns how many bytes there were. A late timer is caught up with. */
  readSteadily(bytesPerSecond: number): Promise<number>
}

export async function slowReader({ port, url, headers = {}, form }: Asking): Promise<SlowReader> {
  const { hostname, pathname, search } = new URL(url)
  const socket = connect(port, '127.0.0.1')
  // The server may cut the connection off with a reset.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const body = form ? new URLSearchParams(form).toString() : ''
  const ofForm = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
  const lines = Object.entries({
    host: hostname,
    connection: 'close',
    ...headers,
    ...(form && ofForm),
  }).map((pair) => pair.join(': '))
  socket.write([`${form ? 'POST' : 'GET'} ${pathname}${search} HTTP/1.1`, ...lines, '', body].join('\r\n'))
  let readBytes = 0
  const begun = once(socket, 'readable').then(() => {
    const start: Buffer | null = socket.read(64)
    readBytes += start?.length ?? 0
    return start?.toString('latin1').split('\r\n', 1).join() ?? ''
  })
  return {
    socket,
    begun,
    async readSteadily(bytesPerSecond) {
      const start = performance.now()
      const firstBytes = readBytes
      const due = () => firstBytes + ((performance.now() - start) / 1_000) * bytesPerSecond
      while (!socket.readableEnded && !socket.destroyed) {
        const left = Math.floor(due() - readBytes)
        if (left > 0 && socket.readableLength > 0) {
          const chunk: Buffer | null = socket.read(Math.min(left, socket.readableLength))
          readBytes += chunk?.length ?? 0
        }
        // Asks the system for more, which comes with the next turn of the event loop.
        socket.read(0)
        if (due() - readBytes < bytesPerSecond / 20) await sleep(50)
        else await setImmediate()
      }
      return readBytes
    },
  }
}

/**
 * Sees the end of a lasting connection without reading what came before it: empty lines between requests are no fault,
 * and where nobody is any more they are answered by a reset.
 */
export async function endOfUnread(socket: Socket): Promise<void> {
  const timer = setInterval(() => socket.write('\r\n'), 100)
  await until(() => socket.destroyed, 'the connection is ended')
  clearInterval(timer)
}
