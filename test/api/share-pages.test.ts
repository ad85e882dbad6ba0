import assert from 'node:assert/strict'
import { test } from 'vitest'
import { browserHeaders } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { tally, times } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import { multipartOf, picture, statsOf, type TestTenant, uploaded, writeViews } from '../support/uploads.ts'

const get = (
  app: TestApp,
  tenant: TestTenant,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
) => app.send(method, path, { headers: { host: tenant.hostname, ...browserHeaders, ...headers } })

/** An album with two files, and a share of it. */
async function shared(app: TestApp, tenant: TestTenant, body: object = {}) {
  const key = await keyOf(app, tenant, 'write')
  const given = { title: 'Secret <cats>', privacy: 'private', description: 'All of them' }
  const album = (await ask5(app, tenant, 'POST albums', { key, body: given })).json
  for (const seed of [1, 2]) {
    const file = await picture({ width: 900, height: 700, seed })
    await uploaded(app, tenant, { file, fields: { album_id: album.id } })
  }
  const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
  const viewsOf = async () => (await ask5(app, tenant, `GET shares/${share.id}`, { key })).json.views
  return { key, album, share, path: new URL(share.url).pathname, viewsOf }
}

const cookieOf = ({ headers }: { headers: Record<string, any> }) => {
  const [cookie = ''] = headers['set-cookie'] ?? []
  return { cookie: cookie.split(';')[0] ?? '' }
}

const addressesIn = (text: string) =>
  [...text.matchAll(/(?:src|href)="(\/images\/[^"]+)"/g)].map(([, path]) =>
    String(path).replaceAll('&amp;', '&'),
  )

onEachStore('the page of a share', (store) => {
  test('shows the album with pictures that load, for one view an hour', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, album, share, path, viewsOf } = await shared(app, cats)
    const page = await get(app, cats, path)
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /Secret &lt;cats&gt;/)
    assert.match(String(page.headers['set-cookie']), /; Path=\/share\/; Max-Age=3600; HttpOnly; SameSite=Lax/)
    assert.equal(page.headers['cache-control'], 'private, no-store')
    assert.equal(page.headers['referrer-policy'], 'same-origin')
    assert.equal(page.headers['x-robots-tag'], 'noindex')
    const pictures = addressesIn(page.text)
    assert.equal(pictures.length, 2)
    for (const address of pictures) assert.equal((await get(app, cats, address)).status, 200, address)
    const again = await get(app, cats, path, cookieOf(page))
    assert.deepEqual([again.status, again.headers['set-cookie'], await viewsOf()], [200, undefined, 1])
    assert.equal((await get(app, cats, path, { cookie: `${cookieOf(page).cookie}x` })).status, 200)
    assert.equal(await viewsOf(), 2)
    await writeViews(app)
    await until(
      async () => (await statsOf(app, cats)).album_views === 3,
      'three views of the album are counted',
    )
    assert.equal((await ask5(app, cats, `GET albums/${album.id}`, { key })).json.views, 3)
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { max_views: 2 } })
    assert.equal((await get(app, cats, path, cookieOf(page))).status, 200)
    assert.equal((await get(app, cats, path)).status, 410)
    await ask5(app, cats, `DELETE shares/${share.id}`, { key })
    for (const headers of [cookieOf(page), {}])
      assert.equal((await get(app, cats, path, headers)).status, 410)
    for (const address of pictures) assert.equal((await get(app, cats, address)).status, 410)
    assert.equal((await get(app, cats, '/share/0000000000000000000000')).status, 404)
    assert.equal((await get(app, cats, '/share/%00')).status, 404)
  })

  test('whatever the user agent, the page is the same; previews, prefetches and HEAD use no view', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, share, path, viewsOf } = await shared(app, cats)
    // The second of the request is in the signatures.
    const unsigned = (text: string) => text.replaceAll(/\b[es]=[0-9a-f]+/g, '')
    const agents = [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 [Pinterest/iOS]',
    ]
    const seen = await Promise.all(agents.map((agent) => get(app, cats, path, { 'user-agent': agent })))
    assert.equal((await get(app, cats, path, {}, 'HEAD')).status, 200)
    const fetched = await get(app, cats, path, { 'sec-purpose': 'prefetch' })
    assert.equal(await viewsOf(), 0)
    assert.deepEqual(addressesIn(fetched.text), [])
    assert.match(fetched.text, new RegExp(`Secret &lt;cats&gt;.*href="${path}"`, 's'))
    const person = await get(app, cats, path)
    for (const page of seen) {
      assert.equal(page.headers['set-cookie'], undefined)
      assert.equal(unsigned(page.text), unsigned(person.text))
      for (const address of addressesIn(page.text))
        assert.equal((await get(app, cats, address)).status, 200, address)
    }
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { password: 'x' } })
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      ...agents.map((agent) => ({ 'user-agent': agent })),
    ]) {
      const locked = await get(app, cats, path, headers)
      assert.doesNotMatch(locked.text, /cats&gt;/)
      assert.match(locked.text, /<input[^>]+name="password"/)
    }
    assert.equal(await viewsOf(), 1)
  })

  test('has the name and the colours of the site, also where it asks, is over or is full', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    for (const [name, value] of [
      ['site_name', 'Cat House'],
      ['accent', '#aa3377'],
    ])
      assert.equal(
        (await ask5(app, cats, `PATCH settings`, { key: admin, body: { [name ?? '']: value } })).status,
        200,
      )
    const { key, album, path } = await shared(app, cats)
    const make = async (body: object) =>
      (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body })).json
    const locked = await make({ password: 'x' })
    const box = await make({ allow_upload: true, max_uploads: 1 })
    const stopped = await make({})
    await ask5(app, cats, `DELETE shares/${stopped.id}`, { key })
    const used = await make({ max_views: 1 })
    await get(app, cats, new URL(used.url).pathname)
    const short = await make({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    const sent = await app.send('POST', `${new URL(box.url).pathname}/files`, {
      bytes: await picture({ seed: 9 }),
      headers: {
        host: cats.hostname,
        accept: 'application/json',
        'content-type': 'application/octet-stream',
      },
    })
    assert.equal(sent.status, 201)
    app.wait(61)
    const german = { 'accept-language': 'de' }
    const expected: [string, number, RegExp][] = [
      [path, 200, /Secret &lt;cats&gt;/],
      [new URL(locked.url).pathname, 200, /Passwort erforderlich/],
      [new URL(box.url).pathname, 200, /Diese Sammlung ist voll/],
      [new URL(stopped.url).pathname, 410, /Die Freigabe wurde beendet/],
      [new URL(used.url).pathname, 410, /Limit für Aufrufe erreicht/],
      [new URL(short.url).pathname, 410, /Dieser Link ist abgelaufen/],
    ]
    for (const [address, status, text] of expected) {
      const page = await get(app, cats, address, german)
      assert.equal(page.status, status, address)
      assert.match(page.text, text)
      assert.match(page.text, /<title>[^<]+ - Cat House<\/title>/)
      assert.match(page.text, /<link rel="stylesheet" href="\/-\/brand-aa3377-/)
      assert.doesNotMatch(page.text, new RegExp(`>[^<]*${cats.hostname}`))
      assert.equal(page.headers['referrer-policy'], 'same-origin')
    }
    const gone = await ask5(app, cats, 'POST shares/open', { body: { token: stopped.url.split('/').at(-1) } })
    assert.deepEqual([gone.status, gone.json.code], [410, 'gone'])
  })

  test('of 64 browsers at once five are in', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { path, viewsOf } = await shared(app, cats, { max_views: 5 })
    const answers = await Promise.all(times(64, () => get(app, cats, path)))
    assert.deepEqual([tally(answers), await viewsOf()], [{ 200: 5, 410: 59 }, 5])
  })

  test('asks for its password, shows no original without download, and follows a next page', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, share, path, viewsOf } = await shared(app, cats, { password: 'meow', allow_download: false })
    const asked = await get(app, cats, path)
    assert.equal(asked.status, 200)
    assert.match(asked.text, /Password required/)
    assert.doesNotMatch(asked.text, /cats&gt;|\/images\//)
    const send = (password: string, headers: Record<string, string> = browserHeaders) =>
      app.send('POST', path, {
        bytes: `password=${password}`,
        headers: { host: cats.hostname, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
    const wrong = await send('woof')
    assert.equal(wrong.status, 403)
    assert.match(wrong.text, /role="alert"/)
    assert.equal((await send('woof', {})).json.error.code, 403)
    assert.equal(await viewsOf(), 0)
    const right = await send('meow')
    assert.deepEqual([right.status, right.headers.location, await viewsOf()], [303, path, 1])
    const page = await get(app, cats, path, cookieOf(right))
    const pictures = addressesIn(page.text)
    assert.equal(pictures.length, 2)
    for (const address of pictures) {
      assert.match(address, /\.(?:th|md)\./)
      assert.equal((await get(app, cats, address)).status, 200)
    }
    assert.equal(await viewsOf(), 1)
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { password: 'purr' } })
    assert.match((await get(app, cats, path, cookieOf(right))).text, /Password required/)
    assert.equal((await get(app, cats, `${path}?after=x`, cookieOf(await send('purr')))).status, 400)
  })

  test('a letter box shows a form and takes files', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, album, path } = await shared(app, cats, { allow_upload: true, allow_download: false })
    const page = await get(app, cats, path)
    assert.deepEqual(addressesIn(page.text), [])
    assert.doesNotMatch(page.text, /All of them/)
    assert.match(page.text, new RegExp(`action="${path}/files" enctype="multipart/form-data"`))
    const { type, bytes } = multipartOf([
      { name: 'source', value: await picture({ seed: 7 }), fileName: 'x.png', type: 'image/png' },
    ])
    const sent = await app.send('POST', `${path}/files`, {
      bytes,
      headers: { host: cats.hostname, 'content-type': type, ...browserHeaders },
    })
    assert.deepEqual([sent.status, sent.headers.location], [303, `${path}?sent=1`])
    assert.match((await get(app, cats, `${path}?sent=1`, cookieOf(page))).text, /was sent/)
    const { json } = await ask5(app, cats, `GET albums/${album.id}`, { key })
    assert.equal(json.file_count, 3)
  })

  test('shows a shared file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, album } = await shared(app, cats)
    const [file] = (await ask5(app, cats, `GET files?album_id=${album.id}`, { key })).json.data
    const { json } = await ask5(app, cats, `POST files/${file.id}/shares`, { key, body: {} })
    const page = await get(app, cats, new URL(json.url).pathname)
    assert.equal(page.status, 200, page.text)
    const pictures = addressesIn(page.text)
    assert.ok(pictures.length >= 2)
    for (const address of pictures) assert.equal((await get(app, cats, address)).status, 200)
  })
})
