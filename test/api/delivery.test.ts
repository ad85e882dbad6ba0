import assert from 'node:assert/strict'
import { rename, truncate } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { rangeOf } from '../../src/delivery/file-response.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { noise, picture, set, storedBytes, uploaded } from '../support/uploads.ts'

onEachStore('a direct address', (store) => {
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
    assert.match(String(headers['content-security-policy']), /^default-src 'none'.*; sandbox(;|$)/)
    assert.doesNotMatch(String(headers['content-security-policy']), /script|allow-/)
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

  test('is answered only while the file is there, and no cache may keep it longer', async () => {
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
    strange.push('cat.png%00', 'cat%20.png', 'c%C3%A4t.png', '..%2f..%2fcat.png', '.%5ccat.png', '*', '%25')
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
      const path = await pathOnDisk(app, cats, image.url)
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
  test('gets a 304 by the tag or the time, and the file when they differ', async () => {
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
