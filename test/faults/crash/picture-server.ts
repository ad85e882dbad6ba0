import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PictureServer extends AsyncDisposable {
  url: string
  /** What the allow list must say to let it through. */
  urlAllow: string
}

/** Somebody else's server, with one picture. */
export async function servePicture(read: () => Promise<Buffer>): Promise<PictureServer> {
  const server = createServer(async (_, response) => {
    response.end(await read())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const urlAllow = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${urlAllow}/cat.jpg`,
    urlAllow,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
