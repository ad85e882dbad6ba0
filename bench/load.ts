import { openConnection } from './connection.ts'
import { cpuOfTree } from './processes.ts'
import type { ChildServer } from './servers/child.ts'

interface Load {
  request: string
  requests: number
  connections?: number
}

/** Repeats one request over keep-alive connections and returns the server's CPU time per request. */
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

async function sendOver(port: number, request: string, take: () => boolean): Promise<void> {
  using connection = openConnection(port)
  while (take()) {
    const { status } = await connection.ask(request)
    if (status !== 200) throw new Error(`The server answered with ${status}.`)
  }
}
