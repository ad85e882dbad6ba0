import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import { limit, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

const sizeOf = async (bytes: Buffer) => {
  const { format, width, height } = await sharp(bytes).metadata()
  return [format, width, height]
}

const rowsOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ db }) => db.selectFrom('derived').selectAll().execute())

async function put(app: TestApp, tenant: TestTenant, { name = 'card', ...body }: Record<string, unknown>) {
  const key = await keyOf(app, tenant, 'admin')
  const { status, text } = await ask5(app, tenant, `PUT presets/${name}`, { key, body })
  assert.ok(status === 200 || status === 201, text)
}

const faultsOf = (text: string) =>
  JSON.parse(text).errors.map(({ parameter }: { parameter: string }) => parameter)

onEachStore('presets in addresses', (store) => {
  test('are open to everybody, and the same picture as the same options by ladder or signature', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    await put(app, cats, { width: 640, format: 'webp', position: 'center', anim: false })
    await put(app, cats, { name: 'square', width: 200, height: 200, fit: 'crop', quality: 63, format: 'jpg' })
    const first = await ask(app, `${url}?preset=card`)
    assert.deepEqual([first.status, await sizeOf(first.bytes)], [200, ['webp', 640, 427]])
    assert.equal(first.headers['cache-control'], 'public, max-age=3600')
    const ladder = await ask(app, `${url}?width=640&format=webp`)
    assert.deepEqual([ladder.headers.etag, ladder.bytes], [first.headers.etag, first.bytes])
    assert.equal(ladder.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal((await rowsOf(app, cats)).length, 1)

    const square = await ask(app, `${url}?preset=square&v=3&utm_source=x&s=wrong&e=1`)
    assert.deepEqual([square.status, await sizeOf(square.bytes)], [200, ['jpeg', 200, 200]])
    const body = { urls: [`${url}?w=200&h=200&fit=cover&q=65&f=jpeg`, `${url}?preset=square`] }
    const { json } = await ask5(app, cats, 'POST sign', { key, body })
    const signed = await ask(app, json.urls[0])
    assert.deepEqual([signed.headers.etag, signed.bytes], [square.headers.etag, square.bytes])
    const named = await ask(app, json.urls[1])
    assert.deepEqual([named.status, named.headers.etag], [200, square.headers.etag])
    assert.equal((await rowsOf(app, cats)).length, 2)
    const known = { 'if-none-match': String(square.headers.etag) }
    assert.equal((await ask(app, `${url}?preset=square`, known)).status, 304)
  })

  test('stand alone, and an unknown one is refused by its name', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    await put(app, cats, { width: 100 })
    for (const query of [
      'preset=none',
      'preset=Card',
      'preset=',
      'preset=%00',
      'preset=card&width=320',
      'preset=card&dpr=2',
      'preset=card&f=webp',
      'preset=card&preset=card',
      `preset=${'a'.repeat(400)}`,
    ]) {
      const { status, text, headers } = await ask(app, `${url}?${query}`)
      assert.deepEqual([status, headers['cache-control']], [400, 'no-store'], query)
      assert.ok(faultsOf(text).includes('preset'), text)
      assert.equal((await ask(app, `${url}?${query}`, {}, 'HEAD')).status, 400, query)
      const sign = await ask5(app, cats, 'POST sign', { key, body: { urls: [url, `${url}?${query}`] } })
      assert.deepEqual([sign.status, sign.json.errors[0].pointer], [400, '#/urls/1'], query)
    }
    const foreign = url.replace(/\.[a-z]+$/, 'x$&')
    assert.equal((await ask(app, `${foreign}?preset=none`)).status, 404)
    assert.deepEqual(await rowsOf(app, cats), [])
    await limit(app, cats, { SERVICE_ENABLE_TRANSFORMS: '0' })
    assert.equal((await ask(app, `${url}?preset=none`)).status, 200)
  })

  test('of protected bytes need a signature for exactly this query', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const body = { title: 'a', privacy: 'private' }
    const album = (await ask5(app, cats, 'POST albums', { key, body })).json
    const file = await picture({ width: 900, height: 600 })
    const { url } = await uploaded(app, cats, { file, fields: { album_id: album.id } })
    const bare = url.split('?')[0]
    await put(app, cats, { width: 100, format: 'jpeg' })
    await put(app, cats, { name: 'other', width: 200, format: 'jpeg' })
    assert.equal((await ask(app, `${bare}?preset=card`)).status, 404)
    assert.equal((await ask(app, `${bare}?preset=none`)).status, 404)
    const { json } = await ask5(app, cats, 'POST sign', { key, body: { urls: [`${bare}?preset=card`] } })
    const signed = await ask(app, json.urls[0])
    assert.deepEqual([signed.status, await sizeOf(signed.bytes)], [200, ['jpeg', 100, 67]])
    assert.match(String(signed.headers['cache-control']), /^private, max-age=[1-9]\d{0,2}$/)
    for (const wrong of [
      json.urls[0].replace('card', 'other'),
      json.urls[0].replace('preset=card', ''),
      `${json.urls[0]}&x=1`,
    ])
      assert.equal((await ask(app, wrong)).status, 404, wrong)
    await put(app, cats, { width: 120, format: 'jpeg' })
    assert.deepEqual(await sizeOf((await ask(app, json.urls[0])).bytes), ['jpeg', 120, 80])
  })

  test('count at once when they change, also where the old picture is in memory', async () => {
    await using app = await startTestApp({ store, processes: 2 })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
    const key = await keyOf(app, cats, 'admin')
    const further = app.further[0] as { port: number }
    for (const width of [100, 110, 120, 100]) {
      await put(app, cats, { width, format: 'jpeg' })
      // The second time from memory.
      for (const server of [app, app, further, further, app])
        assert.deepEqual((await sizeOf((await ask(server, `${url}?preset=card`)).bytes))[1], width)
    }
    assert.equal((await ask5(app, cats, 'DELETE presets/card', { key })).status, 204)
    for (const server of [app, further]) assert.equal((await ask(server, `${url}?preset=card`)).status, 400)
    assert.equal((await rowsOf(app, cats)).length, 3)
  })

  test('of files that expire, and while AVIF is made, are cached for less', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await put(app, cats, { width: 100 })
    const file = await picture({ width: 900, height: 600 })
    const { url } = await uploaded(app, cats, { file, fields: { expiration: 'PT5M' } })
    const soon = await ask(app, `${url}?preset=card`)
    assert.match(String(soon.headers['cache-control']), /^public, max-age=(?:300|29\d)$/)
    assert.match(String(soon.headers.vary), /\bAccept\b/)
    const lasting = await uploaded(app, cats, { file: await picture({ width: 900, height: 600, seed: 2 }) })
    const accept = { accept: 'image/avif,image/webp' }
    const early = await ask(app, `${lasting.url}?preset=card`, accept)
    assert.deepEqual(
      [early.headers['content-type'], early.headers['cache-control']],
      ['image/webp', 'public, max-age=60'],
    )
    await until(
      async () => (await rowsOf(app, cats)).some(({ mime }) => mime === 'image/avif'),
      'AVIF is made',
    )
    const late = await ask(app, `${lasting.url}?preset=card`, accept)
    assert.deepEqual(
      [late.headers['content-type'], late.headers['cache-control']],
      ['image/avif', 'public, max-age=3600'],
    )
  })
})

test('a preset that one server changes is the new one in the next request to another', async () => {
  await using servers = await startServers('postgres')
  const [one, two] = servers.all as [TestApp, TestApp]
  const cats = await one.tenant('cats')
  const { url } = await uploaded(one, cats, { file: await picture({ width: 900, height: 600 }) })
  for (const [width, changing, asking] of [
    [100, one, two],
    [110, two, one],
    [120, one, two],
  ] as const) {
    await put(changing, cats, { width, format: 'jpeg' })
    for (const server of [asking, changing, asking])
      assert.equal((await sizeOf((await ask(server, `${url}?preset=card`)).bytes))[1], width)
  }
})
