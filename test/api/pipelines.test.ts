import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { longWayTo } from '../support/clients/fast-path.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { noise, type TestTenant, uploaded } from '../support/uploads.ts'

describe('requests that are sent without reading answers', () => {
  let app: TestApp
  let cats: TestTenant
  let paths: Record<'the fast path' | 'the long way', string>

  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await noise(700, 700) })
    const path = new URL(image.url).pathname
    // The fast path answers no address with a query.
    paths = { 'the fast path': path, 'the long way': longWayTo(path) }
    for (const path of Object.values(paths))
      assert.equal((await app.send('GET', path, { headers: { host: cats.hostname } })).status, 200)
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${cats.hostname}\r\n\r\n`

  async function openRequests(): Promise<number> {
    const { text } = await app.send('GET', '/_/metrics')
    return Number(/^terrace_open_requests (\d+)$/m.exec(text)?.[1])
  }

  async function unread(path: string): Promise<Socket> {
    const socket = connect(app.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    socket.write(requestOf(path).repeat(2_000))
    return socket
  }

  for (const kind of ['the fast path', 'the long way'] as const) {
    test(`are prepared four at a time for each connection, and the others are not handled: ${kind}`, async () => {
      const sockets = await Promise.all(Array.from({ length: 5 }, () => unread(paths[kind])))
      // The request for the metrics is one of them.
      const most = 4 * sockets.length + 1
      const counts: number[] = []
      await until(
        async () => counts.push(await openRequests()) > 20 && counts.at(-1) === most,
        'all have four',
      )
      assert.equal(Math.max(...counts), most)
      for (const socket of sockets) socket.destroy()
      await until(async () => (await openRequests()) === 1, 'no request is left of a client that has gone')
    })
  }

  test('are all answered, in order, once the client reads', async () => {
    const socket = connect(app.port, '127.0.0.1')
    const count = 500
    const numbered = Array.from({ length: count }, (_, number) => requestOf(`/none-${number}`))
    socket.write(numbered.join(''))
    let received = ''
    socket.on('data', (chunk) => (received += chunk))
    await until(() => received.split('HTTP/1.1 404 ').length === count + 1, 'every request is answered')
    socket.write(requestOf('/none'))
    await until(() => received.split('HTTP/1.1 404 ').length === count + 2, 'the connection is still read')
    socket.destroy()
  })
})
