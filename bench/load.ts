import { connect, type Socket } from 'node:net'
import { cpuOfTree } from './processes.ts'
import type { ChildServer } from './servers/child.ts'

interface Load {
  request: string
  requests: number
  connections?: number
}

/** Sends the same request again and again over kept connections; the answer is the server's CPU time for each. */
export async function cpuPerRequest(server: ChildServer, load: Load): Promise<number> {
  await sendAll(server.port, { ...load, requests: Math.ceil(load.requests / 4) })
  const before = await server.cpuMicroseconds()
  await sendAll(server.port, load)
  return ((await server.cpuMicroseconds()) - before) / load.requests
}

export async function sendAll(port: number, { request, requests, connections = 8 }: Load): Promise<void> {
  let left = requests
  const take = () => left-- > 0
  await Promise.all(
    Array.from({ length: Math.min(connections, requests) }, () => sendOver(port, request, take)),
  )
}

/** CPU time of processes and their children while something is done, in milliseconds. */
export async function cpuOf(pids: readonly number[], work: () => Promise<void>): Promise<number> {
  const sum = () => pids.reduce((total, pid) => total + cpuOfTree(pid), 0)
  const before = sum()
  await work()
  return sum() - before
}

/** Every answer of a server is equally long here, so that its end is found by counting. */
async function sendOver(port: number, request: string, take: () => boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.on('error', reject)
  let length: number | undefined
  let received = 0
  let head = ''
  const next = () => (take() ? void socket.write(request) : void finish(socket, resolve))
  socket.on('connect', next)
  socket.on('data', (chunk) => {
    received += chunk.length
    if (length === undefined) {
      head += chunk.toString('latin1')
      length = lengthOf(head, reject)
    }
    if (length === undefined || received < length) return
    received -= length
    next()
  })
  await promise
}

function lengthOf(head: string, reject: (error: Error) => void): number | undefined {
  const end = head.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  if (!head.startsWith('HTTP/1.1 200')) reject(new Error(`The server answered: ${head.slice(0, 300)}`))
  return end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
}

function finish(socket: Socket, resolve: () => void): void {
  socket.end()
  resolve()
}
