import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { limit, multipartOf, noise, type TestTenant, upload } from '../support/uploads.ts'

describe('uploads whose caller is not known yet', () => {
  let app: TestApp
  let cats: TestTenant
  let file: Buffer

  beforeAll(async () => {
    app = await startTestApp({
      environment: {
        SERVICE_UNAUTHENTICATED_BYTES: '3M',
        SERVICE_UNAUTHENTICATED_BYTES_PER_ADDRESS: '2M',
        SERVICE_TRUSTED_PROXIES: '127.0.0.1',
      },
    })
    cats = await app.tenant('cats')
    file = await noise(600, 600)
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const formOf = (fields: Record<string, string> = {}) =>
    multipartOf([
      ...Object.entries(fields).map(([name, value]) => ({ name, value })),
      { name: 'source', value: file, fileName: 'cat.png' },
    ])
  const spool = () => join(app.dataDir, 'spool')
  const spooledBytes = () =>
    readdirSync(spool(), { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(spool(), name), { throwIfNoEntry: false }))
      .reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0)

  /** Sends all but the last bytes of a form, and waits until they are taken. */
  async function sendMost(address: string): Promise<{ socket: Socket; end(): Promise<string> }> {
    const { type, bytes } = formOf()
    const before = spooledBytes()
    const socket = connect(app.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const lines = [
      'POST /api/1/upload HTTP/1.1',
      `Host: ${cats.hostname}`,
      `X-Forwarded-For: ${address}`,
      `Content-Type: ${type}`,
      `Content-Length: ${bytes.length}`,
      'Connection: close',
      '',
      '',
    ]
    socket.write(lines.join('\r\n'))
    socket.write(bytes.subarray(0, -10))
    await until(() => spooledBytes() >= before + 500_000, 'the file is read')
    return {
      socket,
      end() {
        socket.write(bytes.subarray(-10))
        return text(socket)
      },
    }
  }

  const sendFrom = (address: string, sending: Parameters<typeof upload>[2] = {}) =>
    upload(app, cats, { key: null, file, ...sending, headers: { 'x-forwarded-for': address } })

  test('have a budget for each address and one for all, and give it back', async () => {
    const later = { later: { key: cats.apiKey } }
    const first = await sendMost('2001:db8::1')
    const refused = await sendFrom('2001:db8::2', later)
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
    assert.match(refused.json.error.message, /X-API-Key/)
    assert.equal(refused.headers['access-control-allow-origin'], '*')

    const second = await sendMost('2001:db8:0:1::1')
    assert.equal((await sendFrom('2001:db8:0:2::1', later)).status, 503)
    // A caller who is known from the start, or by then, is no part of it.
    assert.equal((await sendFrom('2001:db8::2', { key: cats.apiKey })).status, 200)
    assert.equal((await sendFrom('2001:db8::2', { fields: { key: cats.apiKey } })).status, 200)
    assert.equal((await sendFrom('2001:db8::2', { query: { key: cats.apiKey } })).status, 200)

    assert.match(await first.end(), /^HTTP\/1\.1 400 /)
    second.socket.destroy()
    const isTaken = async (address: string) => (await sendFrom(address, later)).status === 200
    for (const address of ['2001:db8::2', '2001:db8:0:1::2'])
      await until(() => isTaken(address), 'all of it is given back')
  })

  test('are refused for long parameters as for files', async () => {
    const form = Array.from({ length: 40 }, (_, n) => `p${n}=${'a'.repeat(60_000)}`).join('&')
    assert.equal((await sendFrom('192.0.2.1', { form })).status, 503)
  })

  test('and the proxy itself has no bound of its own', async () => {
    const held = await sendMost('127.0.0.1')
    assert.equal((await sendFrom('127.0.0.1', { later: { key: cats.apiKey } })).status, 200)
    held.socket.destroy()
  })
})

describe('an upload that can be refused before its file is read', () => {
  let app: TestApp
  let cats: TestTenant

  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_MAX_UPLOAD_SIZE: '1M' })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  /** What comes back before any of the body is sent. */
  async function answerTo(lines: readonly string[]): Promise<string> {
    const socket = connect(app.port, '127.0.0.1')
    const { type } = multipartOf([])
    const head = [
      'POST /api/1/upload HTTP/1.1',
      `Host: ${cats.hostname}`,
      `Content-Type: ${type}`,
      ...lines,
      '',
      '',
    ]
    socket.write(head.join('\r\n'))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return chunk.toString()
  }
  const expecting = 'Expect: 100-continue'

  test('gets 100 Continue with a good key, or when its key is yet to come', async () => {
    assert.match(
      await answerTo([expecting, 'Content-Length: 1000', `X-API-Key: ${cats.apiKey}`]),
      /^HTTP\/1\.1 100 /,
    )
    assert.match(await answerTo([expecting, 'Content-Length: 1000']), /^HTTP\/1\.1 100 /)
  })

  test('is refused at once with a wrong key, or with a length over the limit', async () => {
    for (const [lines, status] of [
      [[expecting, 'Content-Length: 1000', 'X-API-Key: trc_1_wrong'], 400],
      [[expecting, 'Transfer-Encoding: chunked', 'X-API-Key: trc_1_wrong'], 400],
      [[expecting, 'Content-Length: 9000000', `X-API-Key: ${cats.apiKey}`], 413],
      [[expecting, 'Content-Length: 9000000'], 413],
      [['Content-Length: 9000000'], 413],
    ] as const) {
      const answer = await answerTo(lines)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), lines.join())
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.match(answer, /\r\naccess-control-allow-origin: \*\r\n/i)
    }
  })

  test('is refused where a file begins whose length is over the limit', async () => {
    const { type, bytes } = multipartOf([
      { name: 'source', value: Buffer.alloc(2_300_000), fileName: 'cat.png' },
    ])
    const socket = connect(app.port, '127.0.0.1')
    socket.write(
      [
        'POST /api/1/upload HTTP/1.1',
        `Host: ${cats.hostname}`,
        `X-API-Key: ${cats.apiKey}`,
        `Content-Type: ${type}`,
        `Content-Length: ${bytes.length}`,
        '',
        '',
      ].join('\r\n'),
    )
    socket.write(bytes.subarray(0, 1_000))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    assert.match(chunk.toString(), /^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  test('is refused in the format that was asked for before the file', async () => {
    for (const value of [Buffer.alloc(1_200_000), Buffer.alloc(2_300_000), Buffer.alloc(9_000_000)]) {
      for (const format of ['txt', 'redirect']) {
        const answer = await upload(app, cats, { fields: { format }, file: value })
        assert.deepEqual(
          [answer.status, answer.headers['content-type'], answer.text],
          [413, 'text/plain; charset=utf-8', 'File too big - max 1 MB'],
        )
      }
      const answer = await upload(app, cats, {
        query: { format: 'txt' },
        fields: { format: 'json' },
        file: value,
      })
      assert.deepEqual([answer.status, answer.json.error.code], [413, 400])
    }
  })
})
