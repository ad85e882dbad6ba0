import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { rename, truncate } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { rangeOf } from '../src/http/delivery/byte-range.ts'
import { createHotCache } from '../src/http/delivery/hot-cache.ts'
import { findBytes } from '../src/media/index.ts'
import { ask } from './delivered.ts'
import { onBothStores, startTestApp, type TestApp } from './harness.ts'
import { noise, onSiteOf, picture, set, storedBytes, type TestTenant, uploaded } from './uploads.ts'

onBothStores('a direct address', (store) => {
  test('gives the bytes that were sent, and those of every version, with the type of the kind', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    const image = await uploaded(app, cats, { file, fileName: 'cat.html.png' })

    const whole = await ask(app, image.url)
    assert.equal(whole.status, 200)
    assert.ok(whole.bytes.equals(file))
    assert.equal(whole.headers['content-type'], 'image/jpeg')
    assert.equal(whole.headers['content-length'], String(file.length))
    for (const version of [image.thumb, image.medium]) {
      const { status, headers, bytes } = await ask(app, version.url)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], version.mime)
      assert.ok((await storedBytes(app, cats, version.url))?.equals(bytes))
    }
  })

  test('has headers under which nothing in a file can run, and no cookie', async () => {
    await using app = await startTestApp({ store })
    const image = await uploaded(app, await app.tenant('cats'))
    const { headers } = await ask(app, image.url)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'.*; sandbox(;|$)/)
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /script|allow-/)
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-credentials'], undefined)
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers['set-cookie'], undefined)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')

    const preflight = await ask(app, image.url, { origin: 'https://a.example' }, 'OPTIONS')
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.match(preflight.headers['access-control-allow-headers'] ?? '', /range/)
  })

  test('is answered only while the file is there, and no cache is told to keep it longer', async () => {
    await using app = await startTestApp({ store })
    const image = await uploaded(app, await app.tenant('cats'), { fields: { expiration: 'PT5M' } })
    const maxAge = async () => {
      const { status, headers } = await ask(app, image.url)
      return [status, Number(/max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1])]
    }
    const [status, seconds = 0] = await maxAge()
    assert.equal(status, 200)
    assert.ok(seconds > 280 && seconds <= 300, String(seconds))
    app.wait(200)
    assert.ok(((await maxAge())[1] ?? 0) <= 100)
    app.wait(100)
    for (const url of [image.url, image.thumb.url]) {
      const gone = await ask(app, url)
      assert.equal(gone.status, 404)
      assert.equal(gone.headers['cache-control'], 'no-store')
      assert.equal(gone.headers.etag, undefined)
    }
  })

  test('is not there for other names, other sites, files that wait for approval, or with anything strange in it', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const image = await uploaded(app, cats, { fileName: 'cat.png' })
    const folder = image.url.slice(0, image.url.lastIndexOf('/'))
    const strange = [
      'cat.jpg',
      'CAT.png',
      'cat',
      'cat.lg.png',
      'cat.md.png',
      'cat.th.gif',
      '',
      '..',
      '%00',
      '%00.png',
    ]
    strange.push(
      'cat.png%00',
      'cat%20.png',
      'c%C3%A4t.png',
      '..%2f..%2fcat.png',
      '.%5ccat.png',
      '*',
      '%25',
    )
    for (const name of strange) assert.equal((await ask(app, `${folder}/${name}`)).status, 404, name)
    const { pathname } = new URL(image.url)
    const there = (path: string) => app.send('GET', path, { headers: { host: cats.hostname } })
    for (const path of [pathname, `${pathname}/`, `/${pathname}`, `${pathname}?x=1`])
      assert.equal((await there(path)).status, 200, path)
    for (const path of ['/images', '/images/', `/images/../..${pathname}`, `/images/%2e%2e${pathname}`])
      assert.equal((await there(path)).status, 404, path)
    assert.equal((await app.send('GET', pathname, { headers: { host: dogs.hostname } })).status, 404)

    await set(app, cats, { moderation: 'guest', public_key: 'a-public-key-of-cats' })
    const waiting = await uploaded(app, cats, { key: 'a-public-key-of-cats', fileName: 'dog.png' })
    assert.equal((await ask(app, waiting.url)).status, 404)
    assert.equal((await ask(app, waiting.thumb.url)).status, 404)
  })

  test('a file whose bytes are missing or of another length is 503 and never other bytes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [small, large] = [await picture({ seed: 5 }), await noise(200, 200)]
    for (const file of [small, large]) {
      const image = await uploaded(app, cats, { file, fileName: 'cat.png' })
      const path = await pathOf(app, cats, image.url)
      await truncate(path, file.length - 1)
      for (const [method, headers] of [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { range: 'bytes=0-9' }],
      ] as const) {
        const answer = await ask(app, image.url, headers, method)
        assert.equal(answer.status, 503, method)
        assert.equal(answer.headers['cache-control'], 'no-store')
        assert.equal(answer.headers.etag, undefined)
        assert.equal(answer.headers['retry-after'], '5')
      }
      await rename(path, `${path}.away`)
      assert.equal((await ask(app, image.url)).status, 503)
      assert.equal((await ask(app, image.url, {}, 'HEAD')).status, 503)
    }
  })
})

describe('a caller who has the file already', () => {
  test('is told so by the tag or the time, and gets the file when they differ', async () => {
    await using app = await startTestApp()
    const image = await uploaded(app, await app.tenant('cats'), {
      file: await picture({ width: 600, height: 10 }),
    })
    const { etag = '', 'last-modified': modified = '' } = (await ask(app, image.url)).headers
    assert.match(etag, /^"[\w-]{20,}"$/)
    assert.ok(!etag.includes(image.id_encoded))
    assert.notEqual((await ask(app, image.thumb.url)).headers.etag, etag)
    assert.notEqual((await ask(app, image.medium.url)).headers.etag, etag)
    const before = new Date(Date.parse(modified) - 1_000).toUTCString()
    const after = new Date(Date.parse(modified) + 1_000).toUTCString()
    const known: [Record<string, string>, number][] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `"x", W/${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"x"' }, 200],
      [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200],
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': after }, 304],
      [{ 'if-modified-since': before }, 200],
      [{ 'if-modified-since': 'yesterday' }, 200],
      [{ 'if-match': etag }, 200],
      [{ 'if-match': '*' }, 200],
      [{ 'if-match': `W/${etag}` }, 412],
      [{ 'if-match': '"x"' }, 412],
      [{ 'if-unmodified-since': before }, 412],
      [{ 'if-unmodified-since': modified }, 200],
    ]
    for (const method of ['GET', 'HEAD']) {
      for (const [headers, status] of known) {
        const answer = await ask(app, image.url, headers, method)
        assert.equal(answer.status, status, `${method} ${JSON.stringify(headers)}`)
        if (status !== 304) continue
        assert.equal(answer.bytes.length, 0)
        assert.equal(answer.headers.etag, etag)
        assert.match(answer.headers['cache-control'] ?? '', /immutable/)
        assert.equal(answer.headers['content-length'], undefined)
      }
    }
  })

  test('asks for the headers alone and gets them without the bytes', async () => {
    await using app = await startTestApp()
    for (const file of [await picture(), await noise(300, 300)]) {
      const image = await uploaded(app, await app.tenant(`t${file.length}`), { file })
      const { status, headers, bytes } = await ask(app, image.url, { range: 'bytes=0-1' }, 'HEAD')
      assert.equal(status, 200)
      assert.equal(bytes.length, 0)
      assert.equal(headers['content-length'], String(file.length))
      const { date: _, ...expected } = (await ask(app, image.url)).headers
      assert.deepEqual({ ...headers, date: undefined }, { ...expected, date: undefined })
    }
  })
})

describe('a part of a file', () => {
  test('is given for one range, the whole for several, and 416 beyond the end', async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    for (const file of [await picture({ seed: 9 }), await noise(300, 300)]) {
      const { url } = await uploaded(app, cats, { file })
      const { etag = '', 'last-modified': modified = '' } = (await ask(app, url)).headers
      const end = file.length - 1
      const pieces: [string, number, number][] = [
        ['bytes=0-0', 0, 0],
        ['bytes=0-', 0, end],
        ['bytes=10-19', 10, 19],
        ['BYTES=10-99999999999999999999', 10, end],
        ['bytes=-5', end - 4, end],
        ['bytes=-99999999', 0, end],
      ]
      for (const [range, first, last] of pieces) {
        const { status, headers, bytes } = await ask(app, url, { range })
        assert.equal(status, 206, range)
        assert.equal(headers['content-range'], `bytes ${first}-${last}/${file.length}`)
        assert.equal(headers['content-length'], String(last - first + 1))
        assert.ok(bytes.equals(file.subarray(first, last + 1)), range)
      }
      for (const range of [`bytes=${file.length}-`, 'bytes=99999999-', 'bytes=-0']) {
        const { status, headers, bytes } = await ask(app, url, { range })
        assert.equal(status, 416, range)
        assert.equal(headers['content-range'], `bytes */${file.length}`)
        assert.equal(bytes.length, 0)
      }
      const many = `bytes=${Array.from({ length: 1_500 }, (_, at) => `${at}-${at}`).join(',')}`
      const strange = [
        'bytes=0-1,3-4',
        many,
        'bytes=5-1',
        'bytes=a-b',
        'bytes=-',
        'items=0-1',
        'bytes 0-1',
        'bytes=0x1-2',
      ]
      for (const range of strange)
        assert.equal((await ask(app, url, { range })).bytes.length, file.length, range)

      const ifRange: [string, number][] = [
        [etag, 206],
        [modified, 206],
        [`W/${etag}`, 200],
        ['"x"', 200],
      ]
      ifRange.push([new Date(Date.parse(modified) + 1_000).toUTCString(), 200])
      for (const [value, status] of ifRange)
        assert.equal((await ask(app, url, { range: 'bytes=0-1', 'if-range': value })).status, status, value)
    }
  })

  test('is always within the file', () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => `bytes=${a}-${b}`),
      fc.nat().map((n) => `bytes=-${n}`),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 1_000_000 }), (header, sizeBytes) => {
        const range = rangeOf(header, sizeBytes)
        if (typeof range === 'string') return
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < sizeBytes)
      }),
    )
  })
})

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

test('small files that are asked for again come from memory, but only while they are there', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await picture({ seed: 77 })
  const image = await uploaded(app, cats, { file })
  assert.ok((await ask(app, image.url)).bytes.equals(file))
  const path = await pathOf(app, cats, image.url)
  await rename(path, `${path}.away`)
  assert.ok((await ask(app, image.url)).bytes.equals(file))
  assert.ok((await ask(app, image.url, { range: 'bytes=1-3' })).bytes.equals(file.subarray(1, 4)))
  assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
  assert.equal((await ask(app, image.url)).status, 404)
})

test('the memory for small files is bounded and keeps what was used last', () => {
  const cache = createHotCache({ mostBytes: 10_000, mostEntryBytes: 1_000 })
  cache.put('large', Buffer.alloc(1_001))
  assert.equal(cache.get('large'), undefined)
  cache.put('used', Buffer.from('used'))
  for (let at = 0; at < 100; at += 1) {
    cache.put(String(at), Buffer.alloc(1_000, at))
    assert.equal(cache.get('used')?.toString(), 'used')
  }
  const kept = Array.from({ length: 100 }, (_, at) => cache.get(String(at))?.length ?? 0)
  assert.equal(
    kept.reduce((sum, length) => sum + length),
    6_000,
  )
  assert.ok(kept.slice(-6).every((length) => length === 1_000))
  // A piece of a larger buffer does not keep the larger one.
  assert.equal(cache.get('used')?.buffer.byteLength, 4)
})

describe('a proxy on this machine', () => {
  const prefix = '/terrace-files'
  const proof = (app: TestApp, text = prefix) =>
    `${text} ${createHmac('sha256', app.secret).update(text).digest('hex')}`

  test('that is trusted and proves itself is told where the bytes lie, in place of them', async () => {
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

const pathOf = (app: TestApp, tenant: TestTenant, url: string): Promise<string> =>
  onSiteOf(app, tenant, async (site) => {
    const path = new URL(url).pathname.slice(1)
    const at = path.lastIndexOf('/')
    const found = await findBytes(site, path.slice(0, at), path.slice(at + 1))
    return site.storage.localPath?.(found?.key ?? '') ?? ''
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
