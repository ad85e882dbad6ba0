import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { findBytes } from '../../src/media/index.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { noise, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** What may become of a file behind our back. Each undoes itself by the file being written anew. */
const damages: Record<string, (path: string) => Promise<unknown>> = {
  'cut short by a byte': async (path) => truncate(path, (await readFile(path)).length - 1),
  'without a byte': (path) => truncate(path, 0),
  'longer by a byte': (path) => writeFile(path, '.', { flag: 'a' }),
  missing: (path) => rm(path),
  'a folder': async (path) => {
    await rm(path)
    await mkdir(path)
  },
  'a link to another file': async (path) => {
    await rename(path, `${path}.elsewhere`)
    await symlink(`${path}.elsewhere`, path)
  },
}

describe('a stored file that is not as it was stored', () => {
  let app: TestApp
  let cats: TestTenant
  let other: { url: string }
  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    other = await uploaded(app, cats, { file: await picture({ seed: 99 }) })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const sizes = { small: () => noise(60, 50), large: () => noise(400, 300) }
  for (const [size, draw] of Object.entries(sizes)) {
    for (const [damage, inflict] of Object.entries(damages)) {
      test(`is not served, and nothing else suffers: ${size}, ${damage}`, async () => {
        const file = await draw()
        const image = await uploaded(app, cats, { file })
        const path = await pathOnDiskOf(image.url)
        await inflict(path)
        for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=-5' }]) {
          const answer = await ask(image.url, headers)
          assert.deepEqual([answer.status, answer.retryAfter], [503, '5'])
          assert.ok(!file.includes(answer.body), 'no byte of it')
        }
        assert.equal(
          (await app.send('HEAD', pathOf(image.url), { headers: { host: cats.hostname } })).status,
          503,
        )
        for (const url of [image.thumb.url, other.url]) assert.equal((await ask(url)).status, 200)
        assert.equal(
          (await app.send('GET', '/_/health/ready', { headers: { host: 'localhost' } })).status,
          200,
        )

        for (const left of [path, `${path}.elsewhere`]) await rm(left, { recursive: true, force: true })
        await writeFile(path, file)
        const mended = await ask(image.url)
        assert.ok(
          mended.status === 200 && mended.body.equals(file),
          'as soon as it is mended it is there again',
        )
      })
    }
  }

  test('does not depend on what was asked for lately', async () => {
    const file = await noise(60, 50)
    const image = await uploaded(app, cats, { file })
    assert.equal((await ask(image.url)).status, 200)
    await truncate(await pathOnDiskOf(image.url), 10)
    const { status, body } = await ask(image.url)
    assert.ok(status === 503 || body.equals(file))
  })

  test('breaks the connection when it becomes shorter while it is sent', async () => {
    const file = await sharp(await noise(2_600, 2_000))
      .png({ compressionLevel: 0 })
      .toBuffer()
    const image = await uploaded(app, cats, { file })
    const path = await pathOnDiskOf(image.url)
    const options = {
      port: app.port,
      path: pathOf(image.url),
      headers: { host: cats.hostname },
      agent: false,
    }
    const [answer] = (await once(get({ host: '127.0.0.1', ...options }), 'response')) as [IncomingMessage]
    // So much is on its way already, and the rest is not read before this is.
    await truncate(path, Math.floor(file.length / 2))
    await assert.rejects(buffer(answer), { code: 'ECONNRESET' })
    assert.equal((await ask(other.url)).status, 200)
  })

  const pathOf = (url: string) => new URL(url).pathname

  async function ask(url: string, headers: Record<string, string> = {}) {
    const options = { port: app.port, path: pathOf(url), headers: { host: cats.hostname, ...headers } }
    const asked = get({ host: '127.0.0.1', agent: false, ...options })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return {
      status: answer.statusCode,
      retryAfter: answer.headers['retry-after'],
      body: await buffer(answer),
    }
  }

  /** On the disk. */
  function pathOnDiskOf(url: string): Promise<string> {
    return onSiteOf(app, cats, async (site) => {
      const [, folder = '', name = ''] = /^\/(.*)\/([^/]+)$/.exec(pathOf(url)) ?? []
      const found = await findBytes(site, { folder, fileName: name })
      return site.storage.localPath?.(found?.key ?? '') ?? ''
    })
  }
})
