import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask, browserHeaders } from '../support/delivered.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { onSiteOf, picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const get = (app: TestApp, tenant: TestTenant, path: string, headers: Record<string, string> = {}) =>
  app.send('GET', path, { headers: { host: tenant.hostname, ...browserHeaders, ...headers } })

const cookieOf = ({ headers }: { headers: Record<string, any> }) => ({
  cookie: String(headers['set-cookie'] ?? '').split(';')[0] ?? '',
})

const pathsIn = (text: string, form: RegExp) =>
  [...text.matchAll(form)].map(([, path]) => String(path).replaceAll('&amp;', '&'))
const tilesIn = (text: string) => pathsIn(text, /<li class="tile[^"]*"><a href="([^"]+)"/g)

const slackbot = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }

/** A file in a private album, a private file, an open one and one that is not shared; and a share of the first three. */
async function startShare(app: TestApp, more: object = {}) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const album = (
    await ask5(app, cats, 'POST albums', { key, body: { title: 'Secret cats', privacy: 'private' } })
  ).json
  const ids: string[] = []
  for (const seed of [1, 2, 3, 4]) {
    const file = await picture({ width: 900, height: 700, seed })
    const fields = { title: `Day ${seed}`, ...(seed !== 2 && seed !== 3 && { album_id: album.id }) }
    ids.push((await uploaded(app, cats, { file, fields })).id_encoded)
  }
  const [inAlbum = '', hidden = '', loose = '', other = ''] = ids
  await ask5(app, cats, `PATCH files/${hidden}`, { key, body: { is_private: true } })
  const fileIds = [loose, inAlbum, hidden]
  const made = await ask5(app, cats, 'POST shares', { key, body: { file_ids: fileIds, ...more } })
  assert.equal(made.status, 201, made.text)
  const token: string = made.json.url.split('/').at(-1)
  const open = (body: object = {}) => ask5(app, cats, 'POST shares/open', { body: { token, ...body } })
  return { cats, key, album, fileIds, inAlbum, hidden, loose, other, made, share: made.json, token, open }
}

onEachStore('a share of several files', (store) => {
  test('opens them in their order, whatever their privacy, and no other file', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, fileIds, other, hidden, made, share, open } = await startShare(app, {
      name: 'for Bob',
    })
    assert.equal(made.headers.location, `/api/5/shares/${share.id}`)
    assert.deepEqual(
      [share.album_id, share.file_id, share.file_ids, share.name, share.allow_upload],
      [null, null, fileIds, 'for Bob', false],
    )
    assert.deepEqual((await ask5(app, cats, `GET shares/${share.id}`, { key })).json, share)
    assert.deepEqual((await ask5(app, cats, 'GET shares', { key })).json.data, [share])
    assert.deepEqual((await ask5(app, cats, `GET shares?file_id=${hidden}`, { key })).json.data, [share])
    assert.deepEqual((await ask5(app, cats, `GET shares?file_id=${other}`, { key })).json.data, [])

    const opened = await open()
    assert.deepEqual(
      [opened.status, Object.keys(opened.json).sort(), opened.json.file_ids],
      [200, ['expires_at', 'file_ids', 'pass'], fileIds],
    )
    const headers = { 'x-share': opened.json.pass }
    const listed = await ask5(app, cats, `GET files?ids=${[...fileIds, other]}`, { headers })
    assert.deepEqual(listed.json.data.map(({ id }: { id: string }) => id).sort(), [...fileIds].sort())
    const counted = await ask5(app, cats, 'GET files?count=true', { headers })
    assert.equal(counted.json.total.value, 3)
    for (const id of fileIds) {
      const { status, json } = await ask5(app, cats, `GET files/${id}`, { headers })
      assert.equal(status, 200)
      assert.equal((await ask(app, json.url)).status, 200)
      assert.equal((await ask(app, json.versions.thumb.url)).status, 200)
      const signed = await ask5(app, cats, 'POST sign', {
        key,
        headers,
        body: { urls: [json.url.split('?')[0]] },
      })
      assert.equal(signed.status, 200, signed.text)
    }
    const { url } = (await ask5(app, cats, `GET files/${hidden}`, { headers })).json
    assert.equal(new URL(url).searchParams.get('sh'), share.id)
    assert.equal((await ask5(app, cats, `GET files/${other}`, { headers })).status, 404)
    // An address that names the share does not open bytes of other files.
    const own = new URL((await ask5(app, cats, `GET files/${other}`, { key })).json.url)
    own.searchParams.set('sh', share.id)
    assert.equal((await ask(app, String(own))).status, 404)
  })

  test('is a gallery with a page for each file, next and previous, a zip and a preview', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, fileIds, other, share } = await startShare(app, { name: 'for Bob' })
    const path = new URL(share.url).pathname
    const page = await get(app, cats, path)
    assert.match(page.text, /<h1[^>]*>3 files<\/h1>/)
    assert.match(page.text, /Shared by <strong dir="auto">ada<\/strong><\/p>/)
    assert.doesNotMatch(page.text, /for Bob|Secret cats/)
    assert.deepEqual(
      tilesIn(page.text),
      fileIds.map((id) => `${path}/${id}`),
    )
    assert.match((await get(app, cats, path, { 'accept-language': 'de' })).text, /<h1[^>]*>3 Dateien<\/h1>/)
    const inside = cookieOf(page)
    const besides = async (id = '') => {
      const shown = await get(app, cats, `${path}/${id}`, inside)
      assert.equal(shown.status, 200)
      assert.match(shown.text, new RegExp(`<a href="${path}"[^>]*>3 files</a>`))
      return pathsIn(shown.text, /<a[^>]*href="([^"]+)"[^>]*rel="(?:prev|next)"/g)
    }
    const [first, second, third] = fileIds.map((id) => `${path}/${id}`)
    assert.deepEqual(await besides(fileIds[0]), [second])
    assert.deepEqual(await besides(fileIds[1]), [first, third])
    assert.deepEqual(await besides(fileIds[2]), [second])
    for (const id of [other, 'none', '%00'])
      assert.equal((await get(app, cats, `${path}/${id}`, inside)).status, 404, id)
    const zip = await get(app, cats, `${path}/zip`, inside)
    assert.deepEqual([zip.status, zip.headers['content-type']], [200, 'application/zip'])
    const preview = await get(app, cats, path, slackbot)
    assert.match(preview.text, /<meta property="og:title" content="3 files">/)
    const [image = ''] = pathsIn(preview.text, /property="og:image" content="http:\/\/[^/"]+([^"]+)"/g)
    assert.equal((await get(app, cats, image, slackbot)).status, 200)
    const prefetch = await get(app, cats, path, { 'sec-purpose': 'prefetch' })
    assert.match(prefetch.text, /<h1[^>]*>3 files<\/h1>/)
    assert.deepEqual(tilesIn(prefetch.text), [])

    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { allow_download: false } })
    const closed = await get(app, cats, path, inside)
    assert.doesNotMatch(closed.text, /\/zip"/)
    assert.equal((await get(app, cats, `${path}/zip`, inside)).status, 404)
    const shown = await get(app, cats, second ?? '', inside)
    assert.doesNotMatch(shown.text, /Download/)
    assert.match(shown.text, /\.md\./)
  })

  test('is refused without files, with too many, doubled, unknown or foreign ones, and for uploads', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, loose, hidden } = await startShare(app)
    const post = (body: object, caller = key) => ask5(app, cats, 'POST shares', { key: caller, body })
    const pointers = async (body: object) => {
      const refused = await post(body)
      assert.deepEqual(problem(refused), [400, 'invalid'])
      return refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    }
    assert.deepEqual(await pointers({}), ['#/file_ids'])
    assert.deepEqual(await pointers({ file_ids: [] }), ['#/file_ids'])
    assert.deepEqual(await pointers({ file_ids: loose }), ['#/file_ids'])
    assert.deepEqual(await pointers({ file_ids: [loose, 'no id'] }), ['#/file_ids/1'])
    assert.deepEqual(await pointers({ file_ids: [loose, hidden, loose] }), ['#/file_ids/2'])
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`)
    assert.deepEqual(await pointers({ file_ids: ids(501) }), ['#/file_ids'])
    assert.deepEqual(await pointers({ file_ids: [loose], allow_upload: true }), ['#/allow_upload'])
    assert.deepEqual(await pointers({ file_ids: [loose], album_id: 'x' }), ['#/album_id'])
    assert.deepEqual(problem(await post({ file_ids: [loose, 'none'] })), [404, 'not-found'])
    const bob = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', bob.userId)
    const { id_encoded: own } = await uploaded(app, cats, { key: bob.key, file: await picture({ seed: 7 }) })
    assert.deepEqual(problem(await post({ file_ids: [own, loose] }, bobs)), [404, 'not-found'])
    assert.deepEqual(problem(await post({ file_ids: [own] }, await keyOf(app, cats, 'read', bob.userId))), [
      403,
      'scope-missing',
    ])
    assert.equal((await post({ file_ids: [own] }, bobs)).status, 201)
    assert.equal((await ask5(app, cats, 'GET shares', { key: bobs })).json.data.length, 1)
  })

  test('of 500 files has pages that lead to the last, and a grid that reads them in order', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    await manyFiles(app, cats, 501)
    const ids = Array.from({ length: 500 }, (_, index) => `f${((index * 7) % 500) + 1}`)
    const { json } = await ask5(app, cats, 'POST shares', { key, body: { file_ids: ids } })
    assert.deepEqual(json.file_ids, ids)
    const path = new URL(json.url).pathname
    const first = await get(app, cats, path)
    const inside = cookieOf(first)
    const seen: string[] = []
    for (let next: string | undefined = path; next; ) {
      const { text } = await get(app, cats, next, inside)
      seen.push(...tilesIn(text))
      next = pathsIn(text, /<a[^>]*href="([^"]+)"[^>]*rel="next"/g)[0]
    }
    assert.deepEqual(
      seen,
      ids.map((id) => `${path}/${id}`),
    )
    const list = `in=share:${path.split('/').at(-1)}:${inside.cookie.split('=')[1]}`
    const call = async (query: string) =>
      (await get(app, cats, `/-/files/${query}`, { 'sec-fetch-site': 'same-origin' })).json
    const { shapes, windows, next } = await call(`shape?${list}`)
    assert.deepEqual([shapes.length, windows.length, next], [500, 3, null])
    const { tiles } = await call(`window?${list}&after=${windows[0]}&until=${windows[1]}`)
    assert.deepEqual(
      tiles.map(({ id }: { id: string }) => id),
      ids.slice(200, 400),
    )
  })

  test('loses files that are trashed, expire or are deleted, and ends with the last one', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, share, open, loose, inAlbum, hidden } = await startShare(app)
    const path = new URL(share.url).pathname
    const left = async () => (await ask5(app, cats, `GET shares/${share.id}`, { key })).json.file_ids
    const headers = { 'x-share': (await open()).json.pass }
    const { url } = (await ask5(app, cats, `GET files/${inAlbum}`, { headers })).json
    const inside = cookieOf(await get(app, cats, path))
    await ask5(app, cats, `DELETE files/${inAlbum}`, { key })
    assert.deepEqual(await left(), [loose, hidden])
    assert.equal((await ask5(app, cats, `GET files/${inAlbum}`, { headers })).status, 404)
    assert.equal((await ask(app, url)).status, 404)
    assert.match((await get(app, cats, path, inside)).text, /<h1[^>]*>2 files<\/h1>/)
    assert.equal((await get(app, cats, `${path}/${inAlbum}`, inside)).status, 404)
    await ask5(app, cats, `POST files/${inAlbum}/restore`, { key })
    assert.deepEqual(await left(), [loose, inAlbum, hidden])
    assert.equal((await ask(app, url)).status, 200)

    const end = new Date(app.app.control.clock.now().getTime() + 60_000).toISOString()
    await ask5(app, cats, `PATCH files/${hidden}`, { key, body: { expires_at: end } })
    assert.equal((await left()).length, 3)
    app.wait(61)
    assert.deepEqual(await left(), [loose, inAlbum])
    await ask5(app, cats, `DELETE files/${inAlbum}?permanent=true`, { key })
    await ask5(app, cats, `DELETE files/${loose}`, { key })
    assert.deepEqual(await left(), [])
    assert.deepEqual(problem(await open()), [404, 'not-found'])
    assert.equal((await get(app, cats, path)).status, 404)
    for (const id of [loose, hidden])
      await onSiteOf(app, cats, ({ db }) => db.deleteFrom('file').where('id', '=', id).execute())
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).status, 404)
    assert.deepEqual((await ask5(app, cats, 'GET shares', { key })).json.data, [])
    assert.equal((await get(app, cats, path)).status, 404)
  })

  test('that is revoked, has ended or is used up is 410 at every door', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, share, open, hidden } = await startShare(app, { max_views: 1, password: 'meow' })
    assert.deepEqual(problem(await open()), [403, 'password-needed'])
    const headers = { 'x-share': (await open({ password: 'meow' })).json.pass }
    const { url } = (await ask5(app, cats, `GET files/${hidden}`, { headers })).json
    assert.equal((await ask(app, url)).status, 200)
    assert.deepEqual(problem(await open({ password: 'meow' })), [410, 'gone'])
    // A visitor who is in goes on.
    assert.equal((await ask(app, url)).status, 200)
    const doors = async () => [
      (await ask(app, url)).status,
      (await ask5(app, cats, `GET files/${hidden}`, { headers })).status,
      (await open({ password: 'meow' })).status,
      (await get(app, cats, new URL(share.url).pathname)).status,
    ]
    const end = new Date(app.app.control.clock.now().getTime() + 60_000).toISOString()
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { expires_at: end, max_views: null } })
    assert.deepEqual(await doors(), [200, 200, 200, 200])
    app.wait(61)
    assert.deepEqual(await doors(), [410, 410, 410, 410])
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { expires_at: null } })
    assert.deepEqual(await doors(), [200, 200, 200, 200])
    assert.equal((await ask5(app, cats, `DELETE shares/${share.id}`, { key })).status, 204)
    assert.deepEqual(await doors(), [410, 410, 410, 410])
  })

  test('of several owners opens what its maker may share; an owner sees the own part without the link, and ends it', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, loose, hidden } = await startShare(app)
    const admin = await keyOf(app, cats, 'admin')
    const [bob, eve] = [await userWithKey(app, cats, 'bob'), await userWithKey(app, cats, 'eve', 'manager')]
    const [bobs, eves] = [
      await keyOf(app, cats, 'write', bob.userId),
      await keyOf(app, cats, 'admin', eve.userId),
    ]
    const put = async (user: { key: string }, seed: number) =>
      (await uploaded(app, cats, { key: user.key, file: await picture({ seed }) })).id_encoded
    const [ofBob, ofEve] = [await put(bob, 11), await put(eve, 12)]
    const make = async (file_ids: string[]) =>
      (await ask5(app, cats, 'POST shares', { key: eves, body: { file_ids } })).json
    const mixed = await make([hidden, ofBob, ofEve])
    const foreign = await make([hidden, ofBob])
    const open = async ({ url }: { url: string }) => {
      const { status, json } = await ask5(app, cats, 'POST shares/open', {
        body: { token: url.split('/').at(-1) },
      })
      return [status, json.file_ids]
    }
    assert.deepEqual(await open(mixed), [200, [hidden, ofBob, ofEve]])
    const role = (name: string) =>
      ask5(app, cats, `PATCH users/${eve.userId}`, { key: admin, body: { role: name } })
    await role('user')
    assert.deepEqual(await open(mixed), [200, [ofEve]])
    assert.deepEqual(await open(foreign), [410, undefined])
    const { is_suspended } = (await ask5(app, cats, `GET shares/${foreign.id}`, { key: admin })).json
    assert.equal(is_suspended, true)
    await role('manager')
    assert.deepEqual(await open(foreign), [200, [hidden, ofBob]])

    const seen = (await ask5(app, cats, `GET shares?file_id=${ofBob}`, { key: bobs })).json.data
    assert.deepEqual(
      seen.map(({ id, url, file_ids }: any) => [id, url, file_ids]).sort(),
      [mixed.id, foreign.id].map((id) => [id, null, [ofBob]]).sort(),
    )
    assert.equal((await ask5(app, cats, `GET shares/${mixed.id}`, { key: bobs })).json.url, null)
    const change = { key: bobs, body: { name: 'mine' } }
    assert.deepEqual(problem(await ask5(app, cats, `PATCH shares/${mixed.id}`, change)), [403, 'forbidden'])
    assert.equal((await ask5(app, cats, `DELETE shares/${mixed.id}`, { key: bobs })).status, 204)
    assert.deepEqual(await open(mixed), [410, undefined])
    assert.deepEqual((await ask5(app, cats, `GET shares?file_id=${loose}`, { key: bobs })).json.data, [])
    assert.equal((await ask5(app, cats, `GET shares?file_id=${hidden}`, { key })).json.data.length, 2)
  })

  test('needs a proof from a session that shares files of others, and none for its own', async () => {
    await using app = await startTestApp({ store })
    const { cats, loose } = await startShare(app)
    const bob = await userWithKey(app, cats, 'bob')
    const { id_encoded: ofBob } = await uploaded(app, cats, {
      key: bob.key,
      file: await picture({ seed: 7 }),
    })
    const { headers } = await logIn(app, cats, { login: 'ada', password: 'a long password' })
    app.wait(11 * 60)
    const post = (file_ids: string[]) => ask5(app, cats, 'POST shares', { headers, body: { file_ids } })
    assert.deepEqual(problem(await post([loose, ofBob])), [403, 'proof-needed'])
    assert.equal((await post([loose])).status, 201)
  })
})
