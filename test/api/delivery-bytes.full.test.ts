import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { rename, truncate } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { createHotCache } from '../../src/delivery/hot-files.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { noise, picture, uploaded } from '../support/uploads.ts'

test('a hundred readers who go away leave no file open', async () => {
  await using app = await startTestApp()
  const file = await noise(1500, 1500)
  const { url } = await uploaded(app, await app.tenant('cats'), { file })
  for (let round = 0; round < 100; round += 1) await leaveEarly(app, url)
  for (let wait = 0; wait < 50 && openFiles(app).length > 0; wait += 1)
    await new Promise((done) => setTimeout(done, 100))
  assert.deepEqual(openFiles(app), [])
  assert.ok((await ask(app, url)).bytes.equals(file))
})

test('a file that becomes shorter while it is sent ends the connection, so that no client takes it for whole', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await noise(3000, 3000)
  const { url } = await uploaded(app, cats, { file })
  const path = await pathOnDisk(app, cats, url)
  const { host, pathname } = new URL(url)
  const socket = connect(app.port, '127.0.0.1')
  let received = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.on('error', () => undefined)
  socket.on('close', () => resolve())
  socket.once('data', async () => {
    socket.pause()
    await truncate(path, 10_000_000)
    socket.resume()
  })
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await promise
  assert.ok(received < file.length, `${received} of ${file.length}`)
})

test('files in a bucket are sent in whole and in parts, and a bucket in trouble is 503', async () => {
  await using stub = await startS3Stub()
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: stub.url } })
  const cats = await app.tenant('cats')
  const calls = (action: string) => stub.calls.filter((call) => call.action === action).length
  for (const file of [await picture({ seed: 8 }), await noise(300, 300)]) {
    const image = await uploaded(app, cats, { file })
    stub.setFault(() => 'truncate')
    assert.equal((await ask(app, image.url)).status, 503)
    stub.setFault(() => undefined)
    const { status, headers } = await ask(app, image.url, {}, 'HEAD')
    assert.deepEqual([status, headers['content-length'], calls('get')], [200, String(file.length), 0])
    for (let round = 0; round < 3; round += 1) assert.ok((await ask(app, image.url)).bytes.equals(file))
    assert.equal(calls('get'), 1)
    const piece = await ask(app, image.url, { range: 'bytes=5-9', 'x-terrace-accel': '/x' })
    assert.deepEqual([piece.status, piece.bytes], [206, file.subarray(5, 10)])
    stub.objects.clear()
    assert.equal((await ask(app, image.url)).status, 200)
    assert.equal((await ask(app, image.thumb.url)).status, 503)
  }
})

test('small files that are asked for again come from memory, but only while they are there', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await picture({ seed: 77 })
  const image = await uploaded(app, cats, { file })
  assert.ok((await ask(app, image.url)).bytes.equals(file))
  const path = await pathOnDisk(app, cats, image.url)
  await rename(path, `${path}.away`)
  assert.ok((await ask(app, image.url)).bytes.equals(file))
  assert.ok((await ask(app, image.url, { range: 'bytes=1-3' })).bytes.equals(file.subarray(1, 4)))
  assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
  assert.equal((await ask(app, image.url)).status, 404)
})

test('the memory for files is bounded and keeps what was used last', () => {
  const cache = createHotCache({ mostBytes: 10_000, mostEntryBytes: 1_000 })
  const put = (key: string, bytes: Buffer) => {
    const held = cache.reserve(key, bytes.length)?.fill(bytes)
    if (held) cache.release(held)
  }
  const get = (key: string) => {
    const held = cache.pin(key)
    if (held) cache.release(held)
    return held?.bytes
  }
  put('large', Buffer.alloc(1_001))
  assert.equal(get('large'), undefined)
  put('used', Buffer.from('used'))
  for (let at = 0; at < 100; at += 1) {
    put(String(at), Buffer.alloc(1_000, at))
    assert.equal(get('used')?.toString(), 'used')
  }
  const kept = Array.from({ length: 100 }, (_, at) => get(String(at))?.length ?? 0)
  assert.equal(
    kept.reduce((sum, length) => sum + length),
    6_000,
  )
  assert.ok(kept.slice(-6).every((length) => length === 1_000))
  // A piece of a larger buffer does not keep the larger one.
  assert.equal(get('used')?.buffer.byteLength, 4)
})

test('the memory for files drops nothing that is lent, and takes no more while there is no room', () => {
  const cache = createHotCache({ mostBytes: 3_000, mostEntryBytes: 1_000 })
  const lent = ['a', 'b'].map((key) => cache.reserve(key, 900)?.fill(Buffer.alloc(900, key)))
  assert.equal(cache.reserve('c', 900), undefined)
  assert.equal(cache.pin('a')?.bytes.toString('latin1', 0, 1), 'a')
  for (const held of lent) if (held) cache.release(held)
  // Whoever borrowed it a second time has not given it back yet.
  assert.ok(cache.reserve('c', 900))
  assert.equal(cache.pin('b'), undefined)
  assert.equal(cache.pin('a')?.bytes.length, 900)
})

test('the memory for files has one place for what several are reading, and none for what could not be read', () => {
  const cache = createHotCache({ mostBytes: 3_000 })
  const place = cache.reserve('a', 900)
  assert.equal(cache.reserve('a', 900), undefined)
  assert.equal(cache.pin('a'), undefined)
  place?.cancel()
  for (const key of ['a', 'b']) assert.ok(cache.reserve(key, 900), key)
})

test('large files that are asked for again come from memory, but not those asked for once or in parts', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await noise(300, 300)
  for (const askedFirst of [{}, { range: 'bytes=0-9' }]) {
    const image = await uploaded(app, cats, { file })
    const path = await pathOnDisk(app, cats, image.url)
    for (let round = 0; round < 2; round += 1) assert.ok((await ask(app, image.url, askedFirst)).status < 300)
    await rename(path, `${path}.away`)
    const isHeld = !('range' in askedFirst)
    const { status, bytes } = await ask(app, image.url)
    assert.equal(status, isHeld ? 200 : 503)
    if (isHeld) assert.ok(bytes.equals(file))
    const piece = await ask(app, image.url, { range: 'bytes=70000-70009' })
    assert.deepEqual(
      [piece.status, isHeld && piece.bytes.equals(file.subarray(70_000, 70_010))],
      [isHeld ? 206 : 503, isHeld],
    )
    assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
    assert.equal((await ask(app, image.url)).status, 404)
  }
})

describe('a proxy on this machine', () => {
  const prefix = '/terrace-files'
  const proof = (app: TestApp, text = prefix) =>
    `${text} ${createHmac('sha256', app.secret).update(text).digest('hex')}`

  test('that is trusted and proves itself gets the path of the bytes in place of them', async () => {
    await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
    const file = await noise(200, 200)
    const image = await uploaded(app, await app.tenant('cats'), { file })
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes } = await ask(
        app,
        image.url,
        { 'x-terrace-accel': proof(app), range: 'bytes=0-1' },
        method,
      )
      assert.equal(status, 200)
      assert.equal(bytes.length, 0)
      const target = headers['x-accel-redirect']?.toString() ?? ''
      assert.ok(target.startsWith(`${prefix}/sites/`), target)
      assert.ok(readFileSync(join(app.dataDir, target.slice(prefix.length))).equals(file))
      assert.equal(headers['content-type'], 'image/png')
      assert.match(headers['cache-control'] ?? '', /immutable/)
    }
    const missing = new URL('/images/no.png', image.url).href
    assert.equal((await ask(app, missing, { 'x-terrace-accel': proof(app) })).status, 404)
    const wrong = [
      prefix,
      `${prefix} ${'0'.repeat(64)}`,
      proof(app, prefix).replace('terrace', 'other'),
      proof(app, '/a b'),
      `${proof(app)}, ${proof(app)}`,
    ]
    for (const header of wrong) {
      const { headers, bytes } = await ask(app, image.url, { 'x-terrace-accel': header })
      assert.equal(headers['x-accel-redirect'], undefined, header)
      assert.ok(bytes.equals(file))
    }
  })

  test('that is not trusted is sent the bytes', async () => {
    await using app = await startTestApp()
    const image = await uploaded(app, await app.tenant('cats'))
    const { headers, bytes } = await ask(app, image.url, { 'x-terrace-accel': proof(app) })
    assert.equal(headers['x-accel-redirect'], undefined)
    assert.equal(bytes.length, image.size)
  })
})

async function leaveEarly(app: TestApp, url: string): Promise<void> {
  const { host, pathname } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(app.port, '127.0.0.1', () =>
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  )
  socket.on('error', () => undefined)
  socket.on('close', () => resolve())
  socket.once('data', () => (Math.random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()))
  await promise
}

/** Files of sites that this process holds open. */
function openFiles(app: TestApp): string[] {
  const links = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })
  return links.filter((path) => path.startsWith(join(app.dataDir, 'sites')) && path.includes('/files/'))
}
