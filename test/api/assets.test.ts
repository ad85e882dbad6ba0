import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { assetPath } from '../../src/ui/assets/assets.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'

const folder = fileURLToPath(new URL('../../build/web/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8'))

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }

onEachStore('an asset', (store) => {
  test('is answered on every host, in the form that the client takes, and for a year', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const path = assetPath('site.css')
    const plain = readFileSync(folder + path.slice('/_/assets/'.length))
    for (const host of ['cats.test', 'nobody.test', 'localhost']) {
      for (const [accepted, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip;q=0.5, br;q=0', 'gzip'],
        ['*', 'br'],
        ['identity', 'identity'],
        ['', 'identity'],
      ] as const) {
        const url = `http://${host}${path}`
        const got = await ask(app, url, { 'accept-encoding': accepted })
        assert.equal(got.status, 200)
        assert.equal(got.headers['content-encoding'] ?? 'identity', coding, accepted)
        assert.deepEqual(decoders[coding](got.bytes), plain)
        assert.equal(got.headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.equal(got.headers.vary, 'accept-encoding')
        assert.equal(got.headers['content-type'], 'text/css; charset=utf-8')
        assert.equal(got.headers['x-content-type-options'], 'nosniff')
        assert.equal(got.headers['cross-origin-resource-policy'], 'same-origin')
        const etag = String(got.headers.etag)
        const again = await ask(app, url, { 'accept-encoding': accepted, 'if-none-match': `"x", W/${etag}` })
        assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag])
        const head = await ask(app, url, { 'accept-encoding': accepted }, 'HEAD')
        assert.deepEqual(
          [head.status, head.bytes.length, head.headers['content-length']],
          [200, 0, got.headers['content-length']],
        )
      }
    }
  })

  test('of another name is not there, and that is not remembered', async () => {
    await using app = await startTestApp({ store })
    for (const name of [
      '',
      'site.css',
      'site-00000000.css',
      'manifest.json',
      '../main.js',
      '%2e%2e/main.js',
      '__proto__',
    ]) {
      const sent = await app.send('GET', `/_/assets/${name}`, { headers: { host: 'cats.test' } })
      assert.deepEqual([sent.status, sent.headers['cache-control']], [404, 'no-store'], name)
    }
    const posted = await app.send('POST', assetPath('site.css'), { headers: { host: 'cats.test' } })
    assert.equal(posted.status, 404)
  })
})

describe('the build', () => {
  test('lists its files, each with its compressed forms, and keeps those of the build before', () => {
    const listed = [...manifest.files, ...manifest.filesBefore]
    for (const file of listed)
      for (const ending of ['', '.gz', '.br']) assert.ok(existsSync(folder + file + ending), file + ending)
    for (const file of Object.values<string>(manifest.names)) assert.ok(manifest.files.includes(file))
    const found = readdirSync(folder).filter((name) => !/\.(gz|br|json)$/.test(name))
    assert.deepEqual(found.sort(), [...new Set(listed)].sort())
    assert.match(manifest.sources, /^[0-9a-f]{64}$/)
  })

  test('names a file by what is in it', () => {
    for (const file of manifest.files) assert.match(file, /^[a-z-]+-[A-Z0-9]{8}\.(js|css|svg)$/)
    const [icons] = manifest.files.filter((file: string) => file.startsWith('icons-'))
    const sum = createHash('sha256')
      .update(readFileSync(folder + icons))
      .digest('hex')
      .slice(0, 8)
    assert.equal(icons, `icons-${sum.toUpperCase()}.svg`)
  })

  /** In units of 1,000 bytes, compressed; drawings as they are. */
  const budgets: [name: string, ending: string, mostBytes: number][] = [
    ['start.js', '.gz', 3_000],
    ['site.css', '.gz', 10_000],
    ['docs.css', '.gz', 3_000],
    ['icons.svg', '', 6_000],
  ]

  test.for(budgets)('keeps %s%s within %i bytes', ([name, ending, mostBytes]) => {
    const { length } = readFileSync(folder + manifest.names[name] + ending)
    assert.ok(length > 0 && length <= mostBytes, `${length} bytes`)
  })

  test('keeps the script of the upload page within 18,000 bytes', () => {
    const [queue = ''] = manifest.files.filter((file: string) => /^upload-.*\.js$/.test(file))
    const files = new Set([manifest.names['start.js'], queue])
    // Grows while it is read: what a module imports at once is loaded with it.
    for (const file of files) {
      const code = readFileSync(folder + file, 'utf8')
      for (const [, name = ''] of code.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) files.add(name)
    }
    const sum = [...files].reduce((bytes, file) => bytes + readFileSync(`${folder}${file}.gz`).length, 0)
    assert.ok(files.size > 2 && sum <= 18_000, `${sum} bytes`)
  })
})
