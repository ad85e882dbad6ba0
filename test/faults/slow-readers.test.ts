import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { endOfUnread, slowReader } from '../support/clients/slow-clients.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { noise, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** Much more than the system holds for a reader. */
const longPicture = () => noise(2200, 2200)

const lasting = { connection: 'keep-alive' }

describe('a reader of an answer', () => {
  let app: TestApp
  let cats: TestTenant
  let long: { url: string; size: number }
  let hot: { url: string; size: number }

  beforeAll(async () => {
    app = await startTestApp({
      environment: { SERVICE_ANSWER_STALL_SECONDS: '6', SERVICE_MIN_BYTES_PER_SECOND: '20000' },
    })
    cats = await app.tenant('cats')
    long = await uploaded(app, cats, { file: await longPicture() })
    hot = await uploaded(app, cats, { file: await noise(1100, 1100) })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test('that takes nothing for the stall time is ended', async () => {
    const reader = await slowReader({ port: app.port, url: long.url, headers: lasting })
    assert.equal(await reader.begun, 'HTTP/1.1 200 OK')
    await endOfUnread(reader.socket)
  })

  test('that takes nothing from memory is ended too', async () => {
    for (let round = 0; round < 3; round += 1) assert.equal((await ask(app, hot.url)).status, 200)
    const { hostname, pathname } = new URL(hot.url)
    const socket = connect(app.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    // One of these fits into what the system holds, all of them do not.
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(8))
    await once(socket, 'readable')
    await endOfUnread(socket)
  })

  // The system takes 4 MB at once and asks for more when a third of it is gone. At 8 kB/s that is three minutes; this
  // reader needs 1.4 seconds of the 6 that it has.
  test('that is slow and steady gets all of it', async () => {
    const reader = await slowReader({ port: app.port, url: long.url })
    await reader.begun
    assert.ok((await reader.readSteadily(1_000_000)) > long.size)
  })
})

test('one address reads a bounded number of long files at once, and others are not kept waiting', async () => {
  await using app = await startTestApp({
    environment: { SERVICE_READERS_PER_ADDRESS: '2', SERVICE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const cats = await app.tenant('cats')
  const { url, size } = await uploaded(app, cats, { file: await longPicture() })
  const from = (address: string) => ({
    port: app.port,
    url,
    headers: { 'x-forwarded-for': address },
  })
  const first = await slowReader(from('2001:db8::1'))
  const second = await slowReader(from('2001:db8::2'))
  assert.deepEqual(await Promise.all([first.begun, second.begun]), ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])

  const third = await slowReader(from('2001:db8::3'))
  let isAnswered = false
  void third.begun.then(() => {
    isAnswered = true
  })
  // Another network, and the proxy for itself.
  const other = await slowReader(from('2001:db8:0:1::1'))
  assert.ok((await other.readSteadily(200_000_000)) > size)
  for (let round = 0; round < 3; round += 1) {
    const itself = await slowReader({ port: app.port, url })
    assert.equal(await itself.begun, 'HTTP/1.1 200 OK')
    itself.socket.destroy()
  }
  assert.equal(isAnswered, false)

  first.socket.destroy()
  assert.equal(await third.begun, 'HTTP/1.1 200 OK')
  assert.ok((await third.readSteadily(200_000_000)) > size)
  second.socket.destroy()
})

test('downloads as a zip count with files, and one that its client breaks off is no error', async () => {
  await using app = await startTestApp({ environment: { SERVICE_READERS_PER_ADDRESS: '2' } })
  const cats = await app.tenant('cats')
  const logged: unknown[] = []
  for (const level of ['error', 'warn'] as const)
    app.app.log[level] = (...entry: unknown[]) => void logged.push(entry)
  const key = await keyOf(app, cats, 'admin')
  const made = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip', privacy: 'public' } })
  const fields = { album_id: made.json.id }
  const { url, id_encoded: id } = await uploaded(app, cats, { file: await longPicture(), fields })
  const ada = await visitAs(app, cats)
  const headers = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
  const asked = (path: string, form?: Record<string, string>) => ({
    port: app.port,
    url: new URL(path, url).href,
    headers,
    ...(form && { form: { ...form, csrf: ada.csrf } }),
  })
  const ways = [
    asked(`/album/${made.json.id}/zip`),
    asked('/-/zip', { ids: id }),
    asked('/settings/export', { part: '1' }),
    asked(url),
  ]
  for (const way of ways) {
    const readers = [await slowReader(way), await slowReader(way)]
    for (const { begun } of readers) assert.equal(await begun, 'HTTP/1.1 200 OK')
    const third = await slowReader(asked(`/album/${made.json.id}/zip`))
    const fourth = await slowReader(asked(url))
    let answered = 0
    for (const { begun } of [third, fourth]) void begun.then(() => (answered += 1))
    assert.equal((await ada.show('/settings')).status, 200)
    assert.equal(answered, 0)
    for (const { socket } of readers) socket.destroy()
    assert.equal(await third.begun, 'HTTP/1.1 200 OK')
    assert.equal(await fourth.begun, 'HTTP/1.1 200 OK')
    for (const { socket } of [third, fourth]) socket.destroy()
  }
  // All have been released, and the last one is read to its end.
  const [whole] = ways
  assert.ok(whole && (await (await slowReader(whole)).readSteadily(200_000_000)) > 1_000_000)
  assert.deepEqual(logged, [])
})

test('a client that leaves a file or a zip in a bucket is no error', async () => {
  await using stub = await startS3Stub()
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: stub.url } })
  const cats = await app.tenant('cats')
  const logged: unknown[] = []
  for (const level of ['error', 'warn'] as const)
    app.app.log[level] = (...entry: unknown[]) => void logged.push(entry)
  const key = await keyOf(app, cats, 'admin')
  const made = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip', privacy: 'public' } })
  const fields = { album_id: made.json.id }
  const { url } = await uploaded(app, cats, { file: await longPicture(), fields })
  for (const path of [url, `/album/${made.json.id}/zip`]) {
    const reader = await slowReader({ port: app.port, url: new URL(path, url).href })
    assert.equal(await reader.begun, 'HTTP/1.1 200 OK')
    reader.socket.destroy()
    // The next answer comes when the server has seen that the other client is gone.
    const next = await slowReader({ port: app.port, url: new URL(path, url).href })
    assert.ok((await next.readSteadily(200_000_000)) > 1_000_000)
  }
  assert.deepEqual(logged, [])
})

test('readers of a bucket have connections of their own', async () => {
  await using stub = await startS3Stub()
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: stub.url } })
  const cats = await app.tenant('cats')
  const { url } = await uploaded(app, cats, { file: await longPicture() })
  const readers = await Promise.all(Array.from({ length: 8 }, () => slowReader({ port: app.port, url })))
  await Promise.all(readers.map(({ begun }) => begun))
  await uploaded(app, cats, { file: await picture({ seed: 4 }) })
  const portsOf = (isRead: boolean) =>
    new Set(stub.calls.filter(({ action }) => (action === 'get') === isRead).map(({ peerPort }) => peerPort))
  const shared = portsOf(true).intersection(portsOf(false))
  assert.deepEqual([portsOf(true).size, [...shared]], [8, []])
  for (const { socket } of readers) socket.destroy()
})
