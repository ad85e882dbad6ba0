import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keepsConnections, keptConnections, keyOf } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { runsOf } from '../support/tiers.ts'
import {
  limit,
  noise,
  onSiteOf,
  picture,
  type TestTenant,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

const countRows = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => (await db.selectFrom('derived').selectAll().execute()).length)

onEachStore('transforms of files that not everybody may have', (store) => {
  test('protected bytes need a signature for every width, and end with it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'a', privacy: 'private' } }))
      .json
    const file = await picture({ width: 900, height: 600 })
    const { url } = await uploaded(app, cats, { file, fields: { album_id: album.id } })
    const bare = url.split('?')[0]
    for (const query of ['width=640', 'width=0', 'w=1&h=1'])
      assert.equal((await ask(app, `${bare}?${query}`)).status, 404, query)
    const { json } = await ask5(app, cats, 'POST sign', {
      key,
      body: { urls: [`${bare}?width=640&format=webp`] },
    })
    const [address] = json.urls
    const made = await ask(app, address)
    assert.deepEqual([made.status, made.headers['content-type']], [200, 'image/webp'])
    assert.match(String(made.headers['cache-control']), /^private, max-age=\d+$/)
    assert.equal((await ask(app, address.replace('width=640', 'width=320'))).status, 404)
    app.wait(8 * 86_400)
    assert.equal((await ask(app, address)).status, 410)
  })

  test('a share without downloads gives smaller pictures only, and ends their addresses', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'a', privacy: 'private' } }))
      .json
    const file = await picture({ width: 900, height: 600 })
    const { url } = await uploaded(app, cats, { file, fields: { album_id: album.id } })
    const share = (
      await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: { allow_download: false } })
    ).json
    const token = share.url.split('/').at(-1)
    const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
    const { userId } = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', userId)
    const sign = (query: string) => {
      const body = { urls: [`${url.split('?')[0]}?${query}`] }
      return ask5(app, cats, 'POST sign', { key: bobs, headers: { 'x-share': pass }, body })
    }
    const smaller = await sign('width=640&format=webp')
    assert.equal(smaller.status, 200, smaller.text)
    assert.equal((await ask(app, smaller.json.urls[0])).status, 200)
    for (const whole of ['width=1280', 'format=png', 'width=900'])
      assert.equal((await sign(whole)).status, 400, whole)
    await limit(app, cats, { SERVICE_MAX_TRANSFORMS: '1' })
    const more = await sign('width=500&format=jpeg')
    const nearest = await ask(app, more.json.urls[0])
    assert.equal(nearest.status, 200)
    assert.ok(!nearest.bytes.equals(file), 'the file itself is not the nearest version')
    const revoked = await ask5(app, cats, `DELETE shares/${share.id}`, { key })
    assert.equal(revoked.status, 204, revoked.text)
    assert.equal((await ask(app, smaller.json.urls[0])).status, 410)
  })

  test('random options without a signature make nothing', { timeout: 600_000 }, async () => {
    await using app = await startTestApp({ store, environment: keepsConnections })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await picture({ width: 300, height: 200 }) })
    const names =
      'width w height h fit resize format f quality q dpr position background anim preset s e sh v x'
    const name = fc.constantFrom(...names.split(' '))
    const value = fc.oneof(
      fc.constantFrom(
        'auto',
        'webp',
        'cover',
        'pad',
        'top',
        'transparent',
        '1',
        '0',
        '2',
        '80',
        'ffffff',
        '',
      ),
      fc.integer({ min: -5, max: 5_000 }).map(String),
      fc.string({ maxLength: 12 }),
    )
    const open = new Set(['320', '500', '640', '960', '1280', '1920', '2560'])
    const query = fc
      .array(fc.tuple(name, value), { minLength: 1, maxLength: 5 })
      .filter((pairs) => !pairs.some(([each, text]) => (each === 'width' || each === 'w') && open.has(text)))
    const { pids, begun } = app.app.imaging
    const before = { pids: [...pids], ...begun }
    using kept = keptConnections(app)
    const check = fc.asyncProperty(query, async (pairs) => {
      const text = pairs.map(([each, of]) => `${each}=${encodeURIComponent(of)}`).join('&')
      const headers = { host: cats.hostname }
      const { status } = await kept.send('GET', `${new URL(url).pathname}?${text}`, { headers })
      assert.ok([200, 400, 403].includes(status), `${status} for ${text}`)
    })
    await fc.assert(check, { numRuns: runsOf(10_000) })
    assert.equal(await countRows(app, cats), 0)
    assert.deepEqual({ pids: app.app.imaging.pids, ...app.app.imaging.begun }, before)
    assert.equal(app.app.control.counters.done.transforms, 0)
  })
})

test('two servers keep one row and one object of what both make, within the budget', {
  timeout: 120_000,
}, async () => {
  await using servers = await startServers('postgres')
  const [one, two] = servers.all as [TestApp, TestApp]
  const cats = await one.tenant('cats')
  const { url } = await uploaded(one, cats, { file: await noise(1600, 1200) })
  const room = 300_000
  await limit(one, cats, { SERVICE_MAX_DERIVED: String(room) })
  const widths = [320, 500, 640, 960, 1280]
  const asked = widths.flatMap((width) =>
    [one, two].map((app) => ask(app, `${url}?width=${width}&format=jpeg`)),
  )
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200)
  const rows = await onSiteOf(one, cats, ({ db }) => db.selectFrom('derived').selectAll().execute())
  assert.equal(new Set(rows.map(({ options }) => options)).size, rows.length)
  assert.ok(rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= room)
})
