import { createServer, type Server } from 'node:http'
import { fastPath } from '../../../src/delivery/fast-path.ts'
import { sendRaw, type TestApp } from '../harness.ts'

/** A request for the path of a URL, on a connection of its own. */
export const requestOf = (url: string) => {
  const { pathname, search, hostname } = new URL(url)
  return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`
}

/** The same address with an escaped letter in the name of the file, which is left to the long way. */
export const longWayTo = (path: string) =>
  path.replace(/[a-z](?=[^/?]*(?:\?|$))/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)

export const notTaken = 'left to the long way'

/** The whole response without its Date header. */
export async function answerTo(port: number, request: string): Promise<string> {
  const answer = (await sendRaw(port, request)).replaceAll(/\r\nDate: [^\r]*/g, '')
  return answer.includes('599 Left') ? notTaken : answer
}

interface RunningFastPath extends AsyncDisposable {
  port: number
}

/** A server that has nothing but the fast path, over the same application. */
export async function startFastPath({ app }: TestApp): Promise<RunningFastPath> {
  const server: Server = createServer(
    { requireHostHeader: false, keepAliveTimeout: 5_000 },
    (request, response) => {
      const leave = () => response.writeHead(599, 'Left').end()
      if (!answer(request, response, leave)) leave()
    },
  )
  const answer = fastPath(app, server, () => undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
