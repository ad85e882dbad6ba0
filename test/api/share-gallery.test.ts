import assert from 'node:assert/strict'
import { test } from 'vitest'
import { browserHeaders } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

const get = (app: TestApp, tenant: TestTenant, path: string, headers: Record<string, string> = {}) =>
  app.send('GET', path, { headers: { host: tenant.hostname, ...browserHeaders, ...headers } })

const slackbot = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }

/** A private album with three files in the order of the album, and a share of it. */
async function gallery(app: TestApp, tenant: TestTenant, body: object = {}) {
  const key = await keyOf(app, tenant, 'write')
  const album = (
    await ask5(app, tenant, 'POST albums', {
      key,
      body: { title: 'Summer', description: 'At <b>sea</b>', privacy: 'private', sort: 'created' },
    })
  ).json
  const ids: string[] = []
  for (const seed of [1, 2, 3]) {
    const file = await picture({ width: 900, height: 700, seed })
    const fields = { album_id: album.id, title: `Day ${seed}`, description: `Words ${seed}` }
    ids.push((await uploaded(app, tenant, { file, fields })).id_encoded)
    app.wait(2)
  }
  const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
  const path = new URL(share.url).pathname
  const viewsOf = async () => (await ask5(app, tenant, `GET shares/${share.id}`, { key })).json.views
  return { key, album, share, ids, path, viewsOf }
}

const cookieOf = ({ headers }: { headers: Record<string, any> }) => ({
  cookie: String(headers['set-cookie'] ?? '').split(';')[0] ?? '',
})

const pathsIn = (text: string, form: RegExp) =>
  [...text.matchAll(form)].map(([, path]) => String(path).replaceAll('&amp;', '&'))
const bytesIn = (text: string) =>
  pathsIn(text, /(?:src|href|data-zoom|content)="(?:http:\/\/[^/"]+)?(\/images\/[^"]+)"/g)

onEachStore('a shared album is a gallery', (store) => {
  test('with its owner, its words, a zip and a page for each file, for one view', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, ids, path, viewsOf } = await gallery(app, cats)
    const [first = '', second = '', third = ''] = ids
    const page = await get(app, cats, path)
    assert.match(page.text, /<h1[^>]*>Summer<\/h1>/)
    assert.match(page.text, /At &lt;b&gt;sea&lt;\/b&gt;/)
    assert.match(page.text, /Shared by <strong dir="auto">ada<\/strong> · 3 files/)
    assert.deepEqual(
      pathsIn(page.text, /<li class="tile[^"]*"><a href="([^"]+)"/g),
      ids.map((id) => `${path}/${id}`),
    )
    const inside = cookieOf(page)
    const shown = await get(app, cats, `${path}/${second}`, inside)
    assert.equal(shown.status, 200, shown.text)
    assert.match(shown.text, /<h1[^>]*>Day 2<\/h1>/)
    assert.match(shown.text, /Words 2/)
    assert.deepEqual(pathsIn(shown.text, /<a[^>]*href="([^"]+)"[^>]*rel="(?:prev|next)"/g), [
      `${path}/${first}`,
      `${path}/${third}`,
    ])
    for (const address of bytesIn(shown.text))
      assert.equal((await get(app, cats, address)).status, 200, address)
    const zip = await get(app, cats, `${path}/zip`, inside)
    assert.deepEqual([zip.status, zip.headers['content-type']], [200, 'application/zip'])
    assert.equal(await viewsOf(), 1)
    // Without the cookie it is a visit like any other.
    assert.equal((await get(app, cats, `${path}/${first}`)).status, 200)
    assert.equal(await viewsOf(), 2)
    const other = await uploaded(app, cats, { file: await picture({ seed: 9 }) })
    for (const id of [other.id_encoded, 'none', '%00', 'x'.repeat(300)])
      assert.equal((await get(app, cats, `${path}/${id}`, inside)).status, 404, id)
    await ask5(app, cats, `PATCH files/${third}`, { key, body: { is_private: true } })
    assert.equal((await get(app, cats, `${path}/${third}`, inside)).status, 404)
  })

  test('without downloads sends smaller pictures and never the original', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, album, ids, path } = await gallery(app, cats, { allow_download: false })
    const small = await picture({ width: 40, height: 30, seed: 5 })
    const { id_encoded } = await uploaded(app, cats, { file: small, fields: { album_id: album.id } })
    const page = await get(app, cats, path)
    const inside = cookieOf(page)
    assert.doesNotMatch(page.text, /\/zip"/)
    const texts = [page.text]
    for (const id of [...ids, id_encoded]) {
      const shown = await get(app, cats, `${path}/${id}`, inside)
      assert.equal(shown.status, 200)
      assert.doesNotMatch(shown.text, /Download/)
      texts.push(shown.text)
    }
    const addresses = texts.flatMap(bytesIn)
    assert.ok(addresses.length >= 8)
    for (const address of addresses) {
      assert.match(address, /\.(?:th|md)\.\w+\?|\?width=\d+&/)
      assert.equal((await get(app, cats, address)).status, 200)
      const original = address.replace(/\.(?:th|md)(?=\.)|width=\d+&/, '')
      assert.equal((await get(app, cats, original)).status, 404)
    }
    assert.equal((await get(app, cats, `${path}/zip`, inside)).status, 404)
    // The grid of a long list gets the same.
    const [, pass] = inside.cookie.split('=')
    const window = await get(
      app,
      cats,
      `/-/files/window?in=share:${path.split('/').at(-1)}:${pass}&after=&until=`,
      { 'sec-fetch-site': 'same-origin' },
    )
    assert.equal(window.status, 200, window.text)
    assert.deepEqual(
      window.json.tiles.map((tile: { path: string }) => tile.path),
      [...ids, id_encoded].map((id) => `${path}/${id}`),
    )
    for (const { picture: address } of window.json.tiles) assert.match(address, /\.(?:th|md)\.|\?width=\d+&/)
    const originals = (await ask5(app, cats, `GET files?album_id=${album.id}`, { key })).json.data
    assert.equal(originals.length, 4)
  })

  test('lists no files with the pass of another share, nor those of an upload-only share', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, album, path } = await gallery(app, cats)
    const make = async (body: object) =>
      new URL((await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body })).json.url).pathname
    const box = await make({ allow_upload: true, allow_download: false })
    const passOf = async (address: string) => cookieOf(await get(app, cats, address)).cookie.split('=')[1]
    const [own, ofBox] = [await passOf(path), await passOf(box)]
    const shapeOf = (address: string, pass = '') =>
      get(app, cats, `/-/files/shape?in=share:${address.split('/').at(-1)}:${pass}`, {
        'sec-fetch-site': 'same-origin',
      })
    assert.equal((await shapeOf(path, own)).status, 200)
    for (const [address, pass] of [
      [path, ''],
      [path, ofBox],
      [path, `${own}x`],
      [box, own],
      [box, ofBox],
    ])
      assert.ok([401, 404].includes((await shapeOf(address ?? '', pass)).status))
    const [file] = (await ask5(app, cats, `GET files?album_id=${album.id}`, { key })).json.data
    assert.equal((await get(app, cats, `${box}/${file.id}`)).status, 404)
    assert.equal((await get(app, cats, `${box}/zip`)).status, 404)
  })

  test('asks for its password on the page of a file, and leads back to it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { ids, path } = await gallery(app, cats, { password: 'meow' })
    const address = `${path}/${ids[1]}`
    const asked = await get(app, cats, address)
    assert.match(asked.text, /Password required/)
    assert.doesNotMatch(asked.text, /Day 2|og:/)
    const sent = await app.send('POST', address, {
      bytes: 'password=meow',
      headers: {
        host: cats.hostname,
        'content-type': 'application/x-www-form-urlencoded',
        ...browserHeaders,
      },
    })
    assert.deepEqual([sent.status, sent.headers.location], [303, address])
    const shown = await get(app, cats, address, cookieOf(sent))
    assert.match(shown.text, /Day 2/)
    assert.doesNotMatch(shown.text, /og:/)
  })

  test('gives messengers a title and a picture, but none of a sensitive file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { key, ids, path, viewsOf } = await gallery(app, cats, { allow_download: false })
    for (const address of [path, `${path}/${ids[0]}`]) {
      const { text } = await get(app, cats, address, slackbot)
      assert.match(text, /<meta property="og:title" content="(?:Summer|Day 1)">/)
      const [image = ''] = pathsIn(text, /property="og:image" content="http:\/\/[^/"]+([^"]+)"/g)
      assert.match(image, /\.md\./)
      assert.equal((await get(app, cats, image, slackbot)).status, 200)
    }
    assert.equal(await viewsOf(), 0)
    for (const id of ids)
      assert.equal((await ask5(app, cats, `PATCH files/${id}`, { key, body: { is_nsfw: true } })).status, 200)
    for (const address of [path, `${path}/${ids[0]}`]) {
      const { text } = await get(app, cats, address, slackbot)
      assert.match(text, /og:title/)
      assert.doesNotMatch(text, /og:image/)
    }
  })
})
