import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import type { Site } from '../../src/site/index.ts'
import { ask, type Delivered } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { behind } from '../support/servers/proxies.ts'
import { until } from '../support/until.ts'
import { limit, noise, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** Where the only kept picture of a site lies on the disk, and what its row says. */
const keptOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db, storage }) => {
    const [row, ...more] = await db.selectFrom('derived').selectAll().execute()
    assert.ok(row && more.length === 0)
    return { row, path: storage.localPath?.(`derived/${row.id}.${row.extension}`) ?? '' }
  })

const flipped = async (path: string) => {
  const bytes = await readFile(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return bytes
}

const damages: Record<string, (path: string) => Promise<void>> = {
  missing: (path) => rm(path),
  truncated: async (path) => truncate(path, (await readFile(path)).length - 1),
  empty: (path) => truncate(path, 0),
  longer: (path) => writeFile(path, 'x', { flag: 'a' }),
  'changed in one bit': async (path) => writeFile(path, await flipped(path)),
}

/** Below and above the size up to which files are read whole. */
const sizes = { short: 'width=320&format=webp', long: 'width=960&format=jpeg' }

/** How often the picture is asked for before it is damaged: from then on it is known, and the third time it may be in memory. */
const earlier = [1, 2, 3]

onEachStore('kept pictures whose bytes are not those of their row', (store) => {
  for (const [size, query] of Object.entries(sizes))
    test(`are made again, and never sent, where they are ${size}`, async () => {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const key = await keyOf(app, cats, 'admin')
      const { url } = await uploaded(app, cats, { file: await noise(1000, 700) })
      const first = await ask(app, `${url}?${query}`)
      assert.equal(first.bytes.length > 65_536, size === 'long')
      for (const [name, damage] of Object.entries(damages))
        for (const times of earlier) {
          for (let time = 0; time < times; time += 1)
            assert.equal((await ask(app, `${url}?${query}`)).status, 200)
          const before = await keptOf(app, cats)
          await damage(before.path)
          const about = `${name}, asked for ${times} times`
          const head = await ask(app, `${url}?${query}`, {}, 'HEAD')
          assert.deepEqual([head.status, head.headers.etag], [200, first.headers.etag], about)
          const part = await ask(app, `${url}?${query}`, { range: 'bytes=100-899' })
          assert.deepEqual(
            [part.status, part.bytes.equals(first.bytes.subarray(100, 900))],
            [206, true],
            about,
          )
          const whole = await ask(app, `${url}?${query}`)
          assert.deepEqual([whole.status, whole.bytes.equals(first.bytes)], [200, true], about)
          assert.deepEqual(whole.headers.etag, first.headers.etag, about)
          assert.equal(whole.headers['cache-control'], first.headers['cache-control'], about)
        }
      const { row } = await keptOf(app, cats)
      const { json } = await ask5(app, cats, 'GET stats', { key })
      assert.deepEqual([json.derived_files, json.derived_bytes], [1, row.sizeBytes])
    })
})

/** What a proxy sends that follows the answer. */
async function throughProxy(app: TestApp, url: string): Promise<Delivered> {
  const proof = createHmac('sha256', app.secret).update('/terrace-files').digest('hex')
  const answer = await ask(app, url, { 'x-terrace-accel': `/terrace-files ${proof}` })
  const redirect = answer.headers['x-accel-redirect']
  if (redirect === undefined) return answer
  assert.equal(answer.bytes.length, 0)
  const bytes = await readFile(join(app.dataDir, String(redirect).replace(/^\/terrace-files/, '')))
  return { ...answer, bytes }
}

test('a proxy is never led to bytes that are not those of the row, whatever the memory holds', async () => {
  await using app = await startTestApp({ environment: behind(80) })
  const cats = await app.tenant('cats')
  const { url } = await uploaded(app, cats, { file: await noise(1000, 700) })
  for (const query of Object.values(sizes)) {
    const first = await ask(app, `${url}?${query}`)
    for (const [name, damage] of Object.entries(damages))
      for (const times of [0, 1, 2]) {
        // With bytes in memory, too.
        for (let time = 0; time < 3; time += 1) await ask(app, `${url}?${query}`)
        for (let time = 0; time < times; time += 1) {
          const { headers, bytes } = await throughProxy(app, `${url}?${query}`)
          assert.ok(headers['x-accel-redirect'])
          assert.ok(bytes.equals(first.bytes))
        }
        await damage((await keptOf(app, cats)).path)
        const about = `${name}, redirected ${times} times`
        const answer = await throughProxy(app, `${url}?${query}`)
        assert.deepEqual([answer.status, answer.bytes.equals(first.bytes)], [200, true], about)
        assert.equal(answer.headers.etag, first.headers.etag)
      }
    await limit(app, cats, { SERVICE_MAX_DERIVED: '1' })
    await ask(app, `${url}?width=500`)
    await limit(app, cats, {})
  }
})

test('AVIF that no budget holds is not made by every request', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const { url } = await uploaded(app, cats, { file: await picture({ width: 600, height: 400 }) })
  const countMade = async () => (await ask5(app, cats, 'GET stats', { key })).json.transforms
  const askAvif = async (width: number) => {
    const { headers } = await ask(app, `${url}?width=${width}`, { accept: 'image/avif,image/webp' })
    assert.equal(headers['content-type'], 'image/webp')
  }
  await limit(app, cats, { SERVICE_MAX_DERIVED: '1' })
  await askAvif(320)
  await until(async () => (await countMade()) === 2, 'WebP and AVIF are made')
  for (let time = 0; time < 3; time += 1) await askAvif(320)
  await limit(app, cats, {})
  // What nobody waits for is made in turn, so this AVIF is the last.
  await askAvif(500)
  const isKept = async ({ db }: Pick<Site, 'db'>) =>
    (await db.selectFrom('derived').select('mime').execute()).some(({ mime }) => mime === 'image/avif')
  await until(() => onSiteOf(app, cats, isKept), 'AVIF is kept')
  assert.equal(await countMade(), 2 + 3 + 2)
})
