import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import {
  limit,
  noise,
  nowOf,
  onSiteOf,
  picture,
  type TestTenant,
  uploaded,
  writeViews,
} from '../support/uploads.ts'

const avif = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
const webp = 'image/webp,*/*;q=0.5'
const plain = '*/*'

const rowsOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ db }) => db.selectFrom('derived').selectAll().orderBy('createdAt').execute())

const derivedKeys = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ storage }) =>
    (await storage.list('', undefined, 1_000))
      .map(({ key }) => key)
      .filter((key) => key.startsWith('derived/')),
  )

async function signed(
  app: TestApp,
  tenant: TestTenant,
  key: string,
  url: string,
  expiresAt?: string,
): Promise<string> {
  const body = { urls: [url], ...(expiresAt && { expires_at: expiresAt }) }
  const { json, text } = await ask5(app, tenant, 'POST sign', { key, body })
  assert.ok(json.urls, text)
  return json.urls[0]
}

const sizeOf = async (bytes: Buffer) => {
  const { format, width, height } = await sharp(bytes).metadata()
  return [format === 'heif' ? 'avif' : format, width, height]
}

onEachStore('transforms', (store) => {
  test('a width of the ladder is made once, for everybody, and sent from then on', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const first = await ask(app, `${url}?width=640&format=webp`)
    assert.equal(first.status, 200)
    assert.deepEqual(await sizeOf(first.bytes), ['webp', 640, 427])
    assert.equal(first.headers['content-type'], 'image/webp')
    assert.equal(first.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(first.headers.vary?.includes('Accept') ?? false, false)
    const again = await ask(app, `${url}?f=webp&w=640&utm_source=x`)
    assert.deepEqual([again.status, again.headers.etag], [200, first.headers.etag])
    assert.deepEqual(again.bytes, first.bytes)
    assert.equal((await rowsOf(app, cats)).length, 1)
    assert.equal((await derivedKeys(app, cats)).length, 1)
    const known = await ask(app, `${url}?width=640&format=webp`, {
      'if-none-match': String(first.headers.etag),
    })
    assert.deepEqual([known.status, known.bytes.length], [304, 0])
    const part = await ask(app, `${url}?width=640&format=webp`, { range: 'bytes=0-9' })
    assert.deepEqual([part.status, part.bytes.equals(first.bytes.subarray(0, 10))], [206, true])
    const head = await ask(app, `${url}?width=320&format=webp`, {}, 'HEAD')
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    assert.equal((await rowsOf(app, cats)).length, 2)
    const other = await ask(app, `${url}?width=320&format=webp`)
    assert.equal(Number(head.headers['content-length']), other.bytes.length)
  })

  test('the file itself, and versions, are as they were', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600 })
    const { url, medium } = await uploaded(app, cats, { file })
    for (const address of [url, `${url}?v=1`, `${url}?utm_source=x`, `${url}?Width=640`])
      assert.deepEqual((await ask(app, address)).bytes, file)
    const version = await ask(app, medium.url)
    assert.deepEqual((await ask(app, `${medium.url}?width=320`)).bytes, version.bytes)
    assert.equal((await ask(app, `${medium.url}?width=no`)).status, 200)
    assert.deepEqual(await rowsOf(app, cats), [])
    for (let time = 0; time < 2; time += 1) await ask(app, `${url}?width=320`)
    assert.deepEqual((await ask(app, `${medium.url}?width=320`)).bytes, version.bytes)
  })

  test('what is not open to everybody needs a signature for exactly that', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const other = await uploaded(app, cats, { file: await picture({ width: 900, height: 600, seed: 2 }) })
    const closed = [
      'width=641',
      'w=640&h=320',
      'width=640&quality=80',
      'width=640&fit=scale-down',
      'height=320',
      'format=webp',
      'width=640&anim=0',
    ]
    for (const query of closed) {
      const refused = await ask(app, `${url}?${query}`)
      assert.equal(refused.status, 403, query)
      assert.deepEqual(
        [JSON.parse(refused.text).code, refused.headers['cache-control']],
        ['transform-not-allowed', 'no-store'],
      )
      assert.equal(refused.headers.etag, undefined)
      assert.equal((await ask(app, `${url}?${query}`, {}, 'HEAD')).status, 403)
    }
    const address = await signed(app, cats, key, `${url}?w=300&h=300&fit=crop&q=63&f=png`)
    const made = await ask(app, address)
    assert.deepEqual(await sizeOf(made.bytes), ['png', 300, 300])
    for (const wrong of [
      address.replace('w=300', 'w=301'),
      address.replace(new URL(url).pathname, new URL(other.url).pathname),
      address.replace(/s=.{4}/, 's=0000'),
      `${address}&dpr=2`,
    ])
      assert.equal((await ask(app, wrong)).status, 403, wrong)
    const ending = await signed(
      app,
      cats,
      key,
      `${url}?w=301`,
      new Date(nowOf(app).getTime() + 90_000).toISOString(),
    )
    const early = await ask(app, ending)
    assert.equal(early.status, 200)
    const [, age = '999'] = /^public, max-age=(\d+)$/.exec(String(early.headers['cache-control'])) ?? []
    assert.ok(Number(age) <= 90, String(early.headers['cache-control']))
    app.wait(91)
    assert.equal((await ask(app, ending)).status, 410)
    // A wrong signature does no harm where none is needed.
    assert.equal((await ask(app, `${url}?width=320&s=00000000000000000000000000000000`)).status, 200)
  })

  test('a fault is named by the option as it was spelled', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const faulty: [query: string, parameter: string][] = [
      ['width=0', 'width'],
      ['w=4097', 'w'],
      ['width=0640', 'width'],
      ['width=%2B640', 'width'],
      ['width=640.5', 'width'],
      ['width=', 'width'],
      ['width=640&w=640', 'w'],
      ['width=640&width=640', 'width'],
      ['dpr=2', 'dpr'],
      ['width=2000&dpr=3', 'width'],
      ['width=20&dpr=1.234', 'dpr'],
      ['width=20&dpr=0.5', 'dpr'],
      ['quality=101', 'quality'],
      ['q=1.5', 'q'],
      ['fit=fill', 'fit'],
      ['resize=COVER', 'resize'],
      ['format=gif', 'format'],
      ['position=middle', 'position'],
      ['background=fff', 'background'],
      ['background=red', 'background'],
      ['anim=2', 'anim'],
      ['preset=none', 'preset'],
      ['fit=constructor', 'fit'],
    ]
    for (const [query, parameter] of faulty) {
      const { status, text, headers } = await ask(app, `${url}?${query}`)
      assert.equal(status, 400, query)
      const { code, errors } = JSON.parse(text)
      assert.deepEqual([code, errors[0].parameter], ['invalid', parameter], query)
      assert.equal(headers['cache-control'], 'no-store')
      const sign = await ask5(app, cats, 'POST sign', { key, body: { urls: [url, `${url}?${query}`] } })
      assert.equal(sign.status, 400, query)
      assert.equal(sign.json.errors[0].pointer, '#/urls/1')
    }
    assert.equal((await ask(app, `${url.replace(/\.[a-z]+$/, 'x$&')}?width=0`)).status, 404)
    const page = await ask(app, `${url}?width=0`, { accept: 'text/html' })
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.deepEqual(await rowsOf(app, cats), [])
  })

  test('auto follows Accept, and AVIF is made behind the request', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const clear = await sharp({ create: { width: 700, height: 400, channels: 4, background: '#12345680' } })
      .png()
      .toBuffer()
    const { url: alpha } = await uploaded(app, cats, { file: clear })
    const formatOf = async (address: string, accept?: string) => {
      const { status, headers, bytes } = await ask(
        app,
        `${address}?width=500&format=auto`,
        accept ? { accept } : {},
      )
      assert.equal(status, 200)
      assert.match(String(headers.vary), /\bAccept\b/)
      return [(await sizeOf(bytes))[0], String(headers['cache-control'])] as const
    }
    const lasting = 'public, max-age=31536000, immutable'
    assert.deepEqual(await formatOf(url, webp), ['webp', lasting])
    assert.deepEqual(await formatOf(url, plain), ['jpeg', lasting])
    assert.deepEqual(await formatOf(url), ['jpeg', lasting])
    assert.deepEqual(await formatOf(url, 'image/avif;q=0, image/webp;q=0, image/*'), ['jpeg', lasting])
    assert.deepEqual(await formatOf(alpha, plain), ['png', lasting])
    assert.deepEqual(await formatOf(url, avif), ['webp', 'public, max-age=60'])
    await until(
      async () => (await rowsOf(app, cats)).some(({ mime }) => mime === 'image/avif'),
      'AVIF is made',
    )
    assert.deepEqual(await formatOf(url, avif), ['avif', lasting])
    assert.deepEqual(await formatOf(url, webp), ['webp', lasting])
    const named = await ask(app, `${url}?width=500&format=avif`)
    assert.deepEqual(
      [(await sizeOf(named.bytes))[0], named.headers.vary?.includes('Accept') ?? false],
      ['avif', false],
    )
  })

  test('a picture is not enlarged, and AVIF of more than two million pixels stays WebP', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const small = await uploaded(app, cats, { file: await picture({ width: 400, height: 300 }) })
    const same = await ask(app, `${small.url}?width=1280&format=webp`)
    assert.deepEqual(await sizeOf(same.bytes), ['webp', 400, 300])
    const large = await uploaded(app, cats, { file: await picture({ width: 2000, height: 1500 }) })
    const big = await ask(app, `${large.url}?width=1920&format=avif`)
    assert.deepEqual(await sizeOf(big.bytes), ['webp', 1920, 1440])
    assert.equal(big.headers['cache-control'], 'public, max-age=31536000, immutable')
  })

  test('many who ask at once get one picture, made once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { url } = await uploaded(app, cats, { file: await noise(1600, 1200) })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => ask(app, `${url}?width=960&format=webp`)),
    )
    for (const { status, bytes } of answers)
      assert.deepEqual([status, bytes.equals(answers[0]?.bytes ?? bytes)], [200, true])
    assert.equal((await rowsOf(app, cats)).length, 1)
    const { json } = await ask5(app, cats, 'GET stats', { key })
    const [row] = await rowsOf(app, cats)
    await ask(app, `${url}?width=960&format=webp`)
    const { done } = app.app.control.counters
    assert.deepEqual([done.transforms, done.transformFallbacks], [1, 0])
    assert.ok(done.transformHits >= 1)
    const { limits } = (await ask5(app, cats, 'GET me', { key })).json
    assert.deepEqual(limits.SERVICE_MAX_TRANSFORMS, { value: null, used: 1 })
    assert.deepEqual(limits.SERVICE_MAX_DERIVED, { value: 1_000_000_000, used: row?.sizeBytes })
    assert.deepEqual([json.transforms, json.derived_files, json.derived_bytes], [1, 1, row?.sizeBytes])
  })

  test('nothing is left of what was derived from a file that is replaced, in the trash, removed or expired', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const make = async (seed: number, fields = {}) => {
      const image = await uploaded(app, cats, {
        file: await picture({ width: 900, height: 600, seed }),
        fields,
      })
      assert.equal((await ask(app, `${image.url}?width=320&format=webp`)).status, 200)
      return image
    }
    const gone = async () => {
      await doDueJobs(app, cats)
      assert.deepEqual([(await rowsOf(app, cats)).length, await derivedKeys(app, cats)], [0, []])
      const { json } = await ask5(app, cats, 'GET stats', { key })
      assert.deepEqual([json.derived_bytes, json.derived_files], [0, 0])
    }
    const trashed = await make(1)
    assert.equal((await ask5(app, cats, `DELETE files/${trashed.id_encoded}`, { key })).status, 204)
    assert.equal((await ask(app, `${trashed.url}?width=320&format=webp`)).status, 404)
    await gone()
    const removed = await make(2)
    await ask5(app, cats, `DELETE files/${removed.id_encoded}?permanent=true`, { key })
    assert.equal((await ask(app, `${removed.url}?width=320&format=webp`)).status, 404)
    await gone()
    const expiring = await make(3, { expiration: 'PT5M' })
    app.wait(301)
    assert.equal((await ask(app, `${expiring.url}?width=320&format=webp`)).status, 404)
    await gone()
    const replaced = await make(4)
    const before = await ask(app, `${replaced.url}?width=320&format=webp`)
    const content = await picture({ width: 700, height: 500, seed: 5 })
    const put = await app.send('PUT', `/api/5/files/${replaced.id_encoded}/content`, {
      bytes: content,
      headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'application/octet-stream' },
    })
    assert.equal(put.status, 200, put.text)
    await gone()
    const after = await ask(app, `${replaced.url}?width=320&format=webp`)
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.deepEqual(await sizeOf(after.bytes), ['webp', 320, 229])
  })

  test('the budget holds: what was unused for longest is removed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await noise(1400, 1000) })
    const widths = [320, 500, 640]
    const sizes: number[] = []
    for (const width of widths) {
      sizes.push((await ask(app, `${url}?width=${width}&format=webp`)).bytes.length)
      app.wait(60)
    }
    const [first = 0, second = 0, third = 0] = sizes
    // The first is used again, so that the second is the oldest.
    await ask(app, `${url}?width=320&format=webp`)
    await writeViews(app)
    app.wait(60)
    const next = (await ask(app, `${url}?width=960&format=webp`)).bytes.length
    const room = first + third + next
    assert.ok(second > 0)
    await limit(app, cats, { SERVICE_MAX_DERIVED: String(room) })
    const last = await ask(app, `${url}?width=1280&format=jpeg`)
    assert.equal(last.status, 200)
    const kept = (await rowsOf(app, cats)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    assert.ok(kept <= room, `${kept} of ${room}`)
    await doDueJobs(app, cats)
    assert.equal((await derivedKeys(app, cats)).length, (await rowsOf(app, cats)).length)
    await limit(app, cats, { SERVICE_MAX_DERIVED: '1000' })
    const unkept = await ask(app, `${url}?width=1920&format=jpeg`)
    assert.deepEqual([unkept.status, (await sizeOf(unkept.bytes))[1]], [200, 1400])
  })

  test('after the transforms of the month are used up, the nearest version is sent', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await limit(app, cats, { SERVICE_MAX_TRANSFORMS: '2' })
    // Wider than all that is asked for: else two widths are one picture.
    const file = await picture({ width: 1400, height: 900 })
    const { url, medium } = await uploaded(app, cats, { file })
    const asked = (width: number) => ask(app, `${url}?width=${width}&format=webp`)
    const made = await Promise.all([asked(320), asked(500), asked(640), asked(960)])
    assert.deepEqual(
      made.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.equal((await ask5(app, cats, 'GET stats', { key })).json.transforms, 2)
    const { headers, bytes, status } = await asked(1280)
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
    assert.deepEqual(bytes, file)
    assert.ok(medium.url)
    app.wait(32 * 86_400)
    assert.equal((await asked(1280)).headers['content-type'], 'image/webp')
  })

  test('derived bytes that are missing or changed are made again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const first = await ask(app, `${url}?width=640&format=jpeg`)
    const [key = ''] = await derivedKeys(app, cats)
    await onSiteOf(app, cats, ({ storage }) => storage.remove([key]))
    const again = await ask(app, `${url}?width=640&format=jpeg`)
    assert.deepEqual(
      [again.status, again.bytes.equals(first.bytes), again.headers.etag],
      [200, true, first.headers.etag],
    )
  })

  test('with the switch off, options are as if they were not there', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600 })
    const { url } = await uploaded(app, cats, { file })
    for (let time = 0; time < 2; time += 1) await ask(app, `${url}?width=640`)
    await limit(app, cats, { SERVICE_ENABLE_TRANSFORMS: '0' })
    for (const query of ['width=640', 'width=0', 'w=1&h=1&s=0'])
      assert.deepEqual((await ask(app, `${url}?${query}`)).bytes, file)
  })
})
