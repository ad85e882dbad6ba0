import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { multipartOf, noise, picture } from '../support/uploads.ts'

const live = 'GET /_/health/live HTTP/1.1\r\nHost: a\r\n\r\n'

test('an idle connection outlives the pool of every proxy, unless the operator says otherwise', async () => {
  for (const [setting, seconds] of [
    ['', 150],
    ['700', 700],
  ] as const) {
    await using app = await startTestApp({ environment: { SERVICE_KEEP_ALIVE_SECONDS: setting } })
    const { headers } = await app.send('GET', '/_/health/live', { headers: { connection: 'keep-alive' } })
    // nginx 60 s, Traefik 90 s, Caddy 120 s.
    assert.equal(headers['keep-alive'], `timeout=${seconds}`)
  }
  await using app = await startTestApp({ environment: { SERVICE_KEEP_ALIVE_SECONDS: '1' } })
  const socket = connect(app.port, '127.0.0.1')
  socket.write(live)
  assert.match(await text(socket), /^HTTP\/1\.1 200 /)
})

/** Behind the interim answer by which the server asks whether the client is still there. */
const finalAnswer = (answers: string) => answers.replace(/^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+/, '')

test('a client that closes its sending half still gets its answer', async () => {
  // Answers late, so that the half is closed by then.
  const source = createServer(async (_request, response) => {
    await halfClosed.promise
    response.end(await picture({ seed: 3 }))
  }).listen(0, '127.0.0.1')
  await once(source, 'listening')
  const halfClosed = Promise.withResolvers<void>()
  const address = source.address()
  const port = typeof address === 'object' ? address?.port : 0
  await using app = await startTestApp({
    environment: { SERVICE_UPLOAD_URL_ALLOW: `127.0.0.1/32:${port}` },
  })
  const cats = await app.tenant('cats')
  const head = (method: string, more: string) =>
    `${method} HTTP/1.1\r\nHost: ${cats.hostname}\r\nX-API-Key: ${cats.apiKey}\r\n${more}\r\n`

  const byUrl = connect(app.port, '127.0.0.1')
  byUrl.end(head(`GET /api/1/upload?source=http://127.0.0.1:${port}/a.png`, ''), async () => {
    await once(source, 'request').catch(() => undefined)
  })
  await once(source, 'request')
  halfClosed.resolve()
  assert.match(finalAnswer(await text(byUrl)), /^HTTP\/1\.1 200 OK\r\n/)

  const { type, bytes } = multipartOf([{ name: 'source', value: await noise(300, 300), fileName: 'cat.png' }])
  const byForm = connect(app.port, '127.0.0.1')
  byForm.write(head('POST /api/1/upload', `Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n`))
  byForm.end(bytes)
  assert.match(finalAnswer(await text(byForm)), /^HTTP\/1\.1 200 OK\r\n/)

  const byPipeline = connect(app.port, '127.0.0.1')
  byPipeline.end(live.repeat(3))
  assert.equal((await text(byPipeline)).match(/HTTP\/1\.1 200 OK/g)?.length, 3)
  source.close()
})
