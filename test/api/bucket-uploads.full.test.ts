import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask, browserHeaders } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { limit, md5Of, noise, picture, refusalOf, statsOf, upload, uploaded } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

/** Given to every server, so that none needs the data folder of another. */
const secrets = {
  SERVICE_TENANTS_API_REQUEST_SECRET: 'a secret of some length',
  SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
}

/** Servers of one installation that keep their files in a real bucket. */
async function onBucket(store: 'sqlite' | 'postgres' = 'postgres') {
  if (radosgw === undefined) throw new Error('There is no S3 server.')
  const bucket = await freshBucket(radosgw)
  const app = await startTestApp({ store, environment: { ...secrets, SERVICE_STORAGE_URL: bucket.url } })
  return { bucket, app, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const textOf = async (app: TestApp, url: string, headers: Record<string, string> = {}) => {
  const { status, headers: answered, bytes } = await ask(app, url, headers)
  return { status, type: answered['content-type'], md5: md5Of(bytes), sizeBytes: bytes.length }
}

bucketed.describe('with files in a bucket', () => {
  test('an upload is answered in every form, and its file and versions are served from there', async () => {
    await using installation = await onBucket()
    const { app, bucket } = installation
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    const image = await uploaded(app, cats, { file, fileName: 'a cat.jpg' })
    assert.equal(image.file.resource.type, 'url')
    assert.deepEqual([image.name, image.extension, image.md5], ['a-cat', 'jpg', md5Of(file)])
    assert.equal((await bucket.keys()).length, 3)

    assert.deepEqual(await textOf(app, image.url), {
      status: 200,
      type: 'image/jpeg',
      md5: md5Of(file),
      sizeBytes: file.length,
    })
    for (const version of [image.thumb, image.medium]) {
      const { status, sizeBytes } = await textOf(app, version.url)
      assert.deepEqual([status, sizeBytes], [200, version.size], version.url)
    }
    const txt = await upload(app, cats, { file, query: { format: 'txt' } })
    assert.equal(txt.status, 200)
    assert.equal((await textOf(app, txt.text)).md5, md5Of(file))
    const redirect = await upload(app, cats, { file, query: { format: 'redirect' } })
    assert.equal(redirect.status, 302)
    const viewer = await ask(app, `http://${cats.hostname}${redirect.headers.location}`, browserHeaders)
    assert.equal(viewer.status, 200)
    const thirdParty = await upload(app, cats, { file, fileField: 'image' })
    assert.deepEqual(
      [thirdParty.status, thirdParty.json.success, thirdParty.json.data.md5],
      [200, true, md5Of(file)],
    )
    const base64 = await uploaded(app, cats, { form: { source: file.toString('base64') } })
    assert.equal(base64.md5, md5Of(file))
    assert.equal((await bucket.keys()).length, 15)
    const { files, storage_used: used } = await statsOf(app, cats)
    assert.deepEqual([files, used], [5, 5 * (image.size + image.thumb_size + image.medium_size)])
  })

  test('a refused upload leaves nothing there', async () => {
    await using installation = await onBucket('sqlite')
    const { app, bucket } = installation
    const cats = await app.tenant('cats')
    assert.deepEqual(
      refusalOf(await upload(app, cats, { file: Buffer.from('no picture') })).slice(0, 2),
      [400, 612],
    )
    await limit(app, cats, { SERVICE_MAX_FILES: '1' })
    await uploaded(app, cats)
    assert.deepEqual(refusalOf(await upload(app, cats)).slice(0, 2), [403, 999])
    assert.equal((await bucket.keys()).length, 2)
  })

  test('ranges, conditions and HEAD are answered as from a disk', async () => {
    await using installation = await onBucket('sqlite')
    const { app } = installation
    const cats = await app.tenant('cats')
    const file = await noise(500, 400)
    const { url } = await uploaded(app, cats, { file })
    const whole = await ask(app, url)
    assert.ok(whole.bytes.equals(file))
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-99999', 100, 99_999],
      [`bytes=${file.length - 7}-`, file.length - 7, file.length - 1],
      ['bytes=-5', file.length - 5, file.length - 1],
      [`bytes=10-${file.length * 2}`, 10, file.length - 1],
    ] as const) {
      const part = await ask(app, url, { range })
      assert.deepEqual(
        [part.status, part.headers['content-range']],
        [206, `bytes ${start}-${end}/${file.length}`],
        range,
      )
      assert.ok(part.bytes.equals(file.subarray(start, end + 1)), range)
    }
    const outside = await ask(app, url, { range: `bytes=${file.length}-` })
    assert.deepEqual([outside.status, outside.headers['content-range']], [416, `bytes */${file.length}`])
    const known = await ask(app, url, { 'if-none-match': String(whole.headers.etag) })
    assert.deepEqual([known.status, known.bytes.length], [304, 0])
    const head = await ask(app, url, {}, 'HEAD')
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(file.length)])
  })

  test('a delete link takes the file out of the bucket', async () => {
    await using installation = await onBucket()
    const { app, bucket } = installation
    const cats = await app.tenant('cats')
    const kept = await uploaded(app, cats)
    const gone = await uploaded(app, cats, { file: await noise(520, 10) })
    assert.equal((await ask(app, gone.delete_url)).status, 200)
    assert.deepEqual([(await ask(app, gone.url)).status, (await ask(app, kept.url)).status], [404, 200])
    assert.equal((await bucket.keys()).length, 2)
    assert.equal((await statsOf(app, cats)).files, 1)
  })

  test('two servers serve, refuse and delete each other’s files at once', async () => {
    await using installation = await onBucket()
    const { app: here, bucket } = installation
    await using there = await startTestApp({ beside: here })
    const cats = await here.tenant('cats')
    const sent = await Promise.all(
      Array.from({ length: 12 }, async (_, seed) => {
        const file = await picture({ width: 40, seed: seed + 1 })
        const [from, other] = seed % 2 ? [here, there] : [there, here]
        const image = await uploaded(from, cats, { file })
        const seen = await ask(other, image.url)
        assert.ok(seen.bytes.equals(file), image.url)
        return { image, from, other, file }
      }),
    )
    for (const app of [here, there]) assert.equal((await statsOf(app, cats)).files, 12)
    for (const { image, from, other } of sent.slice(0, 4)) {
      assert.equal((await ask(other, image.delete_url)).status, 200)
      for (const app of [from, other]) assert.equal((await ask(app, image.url)).status, 404)
    }
    assert.equal((await bucket.keys()).length, 16)
  })

  test('a new process finds everything, with an empty data folder', async () => {
    await using installation = await onBucket()
    const { app } = installation
    const cats = await app.tenant('cats')
    const file = await picture({ width: 700 })
    const image = await uploaded(app, cats, { file })
    const environment = { SERVICE_DATA_DIR: `${app.dataDir}/another` }
    await using again = await startTestApp({ beside: app, environment })
    for (const url of [image.url, image.thumb.url, image.medium.url])
      assert.equal((await ask(again, url)).status, 200)
    assert.ok((await ask(again, image.url)).bytes.equals(file))
    assert.equal((await ask(again, image.delete_url)).status, 200)
    assert.equal((await ask(app, image.url)).status, 404)
  })
})
