import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { sendRaw, startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { multipartOf, noise, type TestTenant } from '../support/uploads.ts'

describe('a body that comes slowly', () => {
  let app: TestApp
  let cats: TestTenant
  let form: { type: string; bytes: Buffer }

  beforeAll(async () => {
    app = await startTestApp({
      environment: { SERVICE_BODY_STALL_SECONDS: '1', SERVICE_MIN_BYTES_PER_SECOND: '1000' },
    })
    cats = await app.tenant('cats')
    form = multipartOf([{ name: 'source', value: await noise(60, 60), fileName: 'cat.png' }])
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const headOf = (path: string, lengthBytes: number) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${cats.hostname}`,
      `X-API-Key: ${cats.apiKey}`,
      `Content-Type: ${form.type}`,
      `Content-Length: ${lengthBytes}`,
      'Connection: close',
      '',
      '',
    ].join('\r\n')

  async function opened(head: string): Promise<Socket> {
    const socket = connect(app.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(head)
    return socket
  }

  test('but keeps coming is taken, however long the whole takes', async () => {
    const socket = await opened(headOf('/api/1/upload', form.bytes.length))
    const answer = text(socket)
    const steps = 20
    const stepBytes = Math.ceil(form.bytes.length / steps)
    // Three times the stall time in all.
    for (let at = 0; at < form.bytes.length; at += stepBytes) {
      socket.write(form.bytes.subarray(at, at + stepBytes))
      await sleep(150)
    }
    assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n/)
  })

  for (const [what, bytesEachTime] of [
    ['stops coming', 0],
    ['comes below the least speed', 20],
  ] as const) {
    for (const [path, lengthBytes, status] of [
      ['/api/1/upload', 1_000_000, 408],
      ['/image/abc', 4_000, 408],
      ['/_/api/4/none', 4_000, 404],
    ] as const) {
      test(`and ${what} is refused, and the connection ended: ${path}`, async () => {
        const socket = await opened(headOf(path, lengthBytes))
        socket.write(form.bytes.subarray(0, 500))
        let received = ''
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('error', () => undefined)
        const timer = setInterval(() => bytesEachTime && socket.write(Buffer.alloc(bytesEachTime)), 100)
        await until(() => socket.destroyed, 'the connection is ended')
        clearInterval(timer)
        assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `))
        if (status !== 408) return
        assert.match(received, /\r\nAccess-Control-Allow-Origin: \*\r\n/i)
        assert.match(received, /must come at 1000 bytes per second or more, on average over 1 seconds/)
      })
    }
  }

  test('or headers that are too large get an answer with the limit, which pages may read', async () => {
    for (const line of [
      `GET /api/1/upload?source=${'a'.repeat(17_000)} HTTP/1.1\r\nHost: ${cats.hostname}\r\n\r\n`,
      `GET /api/1/upload HTTP/1.1\r\nHost: ${cats.hostname}\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`,
    ]) {
      const answer = await sendRaw(app.port, line)
      assert.match(answer, /^HTTP\/1\.1 431 /)
      assert.match(answer, /\r\nAccess-Control-Allow-Origin: \*\r\n/i)
      assert.match(answer, /address and the headers of a request must be at most 16384 bytes long together/)
    }
    const many = Array.from({ length: 101 }, (_, n) => `X-${n}: 1\r\n`).join('')
    const answer = await sendRaw(
      app.port,
      `GET /api/1/upload HTTP/1.1\r\nHost: ${cats.hostname}\r\nConnection: close\r\n${many}\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 431 /)
    assert.match(answer, /\r\nAccess-Control-Allow-Origin: \*\r\n/i)
  })

  test('or a URL as long as documented is read', async () => {
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: ${cats.hostname}\r\nConnection: close\r\n\r\n`
    const answer = await sendRaw(app.port, head(`/api/1/upload?key=${'a'.repeat(16_000)}`))
    assert.match(answer, /^HTTP\/1\.1 400 /)
  })
})
