import { createServer } from 'node:net'
import type { App } from '../../app.ts'

interface SharedAddress {
  host: string
  port: number
  /** The processes of a server listen on one port, and the kernel gives each connection to one of them. */
  reusePort: boolean
}

/** The address on which every process of this server listens. */
export async function addressToShare({ config, processes }: App): Promise<SharedAddress> {
  const { host, port } = config.listen
  const reusePort = processes.count > 1
  if (reusePort && !processes.first) await checkIsFree(host, port)
  return { host, port, reusePort }
}

/** The kernel would let another server of this account share the port too, and each would get half of the connections. */
async function checkIsFree(host: string, port: number): Promise<void> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port }, resolve)
  await promise
  await new Promise((closed) => server.close(closed))
}
