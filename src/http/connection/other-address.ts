import type { Server } from 'node:http'
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'

/**
 * The second address of a server with default settings, to which `localhost` may lead. A list of addresses may contain
 * the first one only, and must see no caller at another.
 */
export const otherHostOf = ({ listen, apiAllowList, trustedProxies }: Config): string | undefined =>
  apiAllowList.isEmpty && trustedProxies.isEmpty ? listen.otherHost : undefined

/**
 * A second address for a listening server, which gets the connections that are made to it. Undefined if the machine does
 * not have that address, or another program has the port there: the first address is enough to serve.
 */
export async function listenAtSecondAddress(
  server: Server,
  address: { host: string; port: number; reusePort: boolean },
): Promise<AsyncDisposable | undefined> {
  // With the options and the owner that the connections of Node's HTTP server have.
  const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    Object.assign(socket, { server })
    server.emit('connection', socket)
  })
  const { promise, resolve } = Promise.withResolvers<AsyncDisposable | undefined>()
  // Also of a failure later on: it must not end the process.
  other.on('error', () => resolve(undefined))
  other.listen({ ...address, ipv6Only: true }, () => resolve(other))
  return promise
}
