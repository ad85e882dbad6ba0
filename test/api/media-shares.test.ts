import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import {
  limit,
  multipartOf,
  onSiteOf,
  picture,
  set,
  type TestTenant,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

export const tokenOf = (share: { url: string }) => share.url.split('/').at(-1) ?? ''

async function shared(app: TestApp, tenant: TestTenant, key: string, body: object = {}, privacy = 'private') {
  const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Secret cats', privacy } }))
    .json
  const made = await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })
  assert.equal(made.status, 201, made.text)
  return { album, share: made.json, token: tokenOf(made.json) }
}

const open = (app: Pick<TestApp, 'send'>, tenant: TestTenant, body: object) =>
  ask5(app, tenant, 'POST shares/open', { body })

const put = async (app: TestApp, tenant: TestTenant, albumId: string, seed = 1) =>
  (await uploaded(app, tenant, { file: await picture({ seed }), fields: { album_id: albumId } })).id_encoded

const collect = async (
  app: TestApp,
  tenant: TestTenant,
  token: string,
  {
    headers = {},
    seed = 9,
    fields = {},
  }: { headers?: object; seed?: number; fields?: Record<string, string> } = {},
) => {
  const texts = Object.entries(fields).map(([name, value]) => ({ name, value }))
  const file = { name: 'source', value: await picture({ seed }), fileName: 'from bob.png' }
  const { type, bytes } = multipartOf([...texts, file])
  return app.send('POST', `/api/5/shares/${token}/files`, {
    bytes,
    headers: { host: tenant.hostname, 'content-type': type, ...headers },
  })
}

onEachStore('shares of the API of a site', (store) => {
  test('a share is made, read and listed, and its token is not stored', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share, token } = await shared(app, cats, key, { name: 'for Bob', max_views: 3 })
    assert.match(token, /^[A-Za-z0-9]{22}$/)
    assert.match(share.url, /^http:\/\/cats\.test:\d+\/share\/[A-Za-z0-9]{22}$/)
    assert.deepEqual(
      [
        share.album_id,
        share.file_id,
        share.has_password,
        share.allow_download,
        share.allow_upload,
        share.views,
      ],
      [album.id, null, false, true, false, 0],
    )
    const days = (Date.parse(share.expires_at) - Date.parse(share.created_at)) / 86_400_000
    assert.equal(days, 30)
    assert.deepEqual((await ask5(app, cats, `GET shares/${share.id}`, { key })).json, share)
    assert.deepEqual((await ask5(app, cats, `GET shares?album_id=${album.id}`, { key })).json.data, [share])
    assert.deepEqual((await ask5(app, cats, 'GET shares?file_id=x', { key })).json.data, [])
    const stored = await onSiteOf(app, cats, ({ db }) => db.selectFrom('share').selectAll().execute())
    assert.ok(!JSON.stringify(stored).includes(token))
  })

  test('a share is changed, and wrong fields are refused', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share } = await shared(app, cats, key, { name: 'for Bob', max_views: 3 })
    const patch = (body: object) => ask5(app, cats, `PATCH shares/${share.id}`, { key, body })
    const edited = await patch({ expires_at: null, max_views: null, password: 'x', name: '' })
    assert.deepEqual(edited.json, {
      ...share,
      name: '',
      expires_at: null,
      max_views: null,
      has_password: true,
    })
    assert.equal((await patch({ password: null })).json.has_password, false)
    for (const body of [
      {},
      { max_views: 0 },
      { max_views: 1.5 },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: 'tomorrow' },
      { max_uploads: 3 },
      { password: '' },
      { name: 'a\0' },
      { album_id: album.id },
    ])
      assert.deepEqual(problem(await patch(body)), [400, 'invalid'], JSON.stringify(body))
  })

  test('a share is managed by the owner of the album and by administrators', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share } = await shared(app, cats, key, {})
    const bob = await keyOf(app, cats, 'write', (await userWithKey(app, cats, 'bob')).userId)
    for (const call of [
      `GET shares/${share.id}`,
      `DELETE shares/${share.id}`,
      `POST albums/${album.id}/shares`,
    ])
      assert.deepEqual(problem(await ask5(app, cats, call, { key: bob })), [404, 'not-found'], call)
    const admin = await keyOf(app, cats, 'admin')
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key: admin })).status, 200)
  })

  test('a revoked share opens nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { share, token } = await shared(app, cats, key, {})
    assert.equal((await ask5(app, cats, `DELETE shares/${share.id}`, { key })).status, 204)
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).status, 404)
    assert.deepEqual((await ask5(app, cats, 'GET shares', { key })).json.data, [])
    assert.deepEqual(problem(await open(app, cats, { token })), [410, 'gone'])
    assert.deepEqual(problem(await open(app, cats, { token: `${token.slice(1)}0` })), [404, 'not-found'])
    assert.deepEqual(problem(await open(app, cats, { token: 'a\0' })), [404, 'not-found'])
  })

  test('a pass opens the album with its files, and nothing else', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share, token } = await shared(app, cats, key)
    const other = (await ask5(app, cats, 'POST albums', { key, body: { title: 'x', privacy: 'private' } }))
      .json
    const inside = await put(app, cats, album.id, 1)
    const outside = await put(app, cats, other.id, 2)
    for (const call of [`GET albums/${album.id}`, `GET files/${inside}`])
      assert.equal((await ask5(app, cats, call)).status, 404)

    const opened = await open(app, cats, { token })
    assert.equal(opened.status, 200, opened.text)
    assert.deepEqual([opened.json.album.id, opened.json.album.file_count], [album.id, 1])
    const headers = { 'x-share': opened.json.pass }
    const as = (call: string) => ask5(app, cats, call, { headers })
    assert.equal((await as(`GET albums/${album.id}`)).json.title, 'Secret cats')
    assert.deepEqual(
      (await as(`GET files?album_id=${album.id}`)).json.data.map(({ id }: { id: string }) => id),
      [inside],
    )
    assert.equal((await as(`GET files/${inside}`)).status, 200)
    assert.equal((await as(`GET files/${outside}`)).status, 404)
    assert.equal((await as(`GET albums/${other.id}`)).status, 404)
    for (const call of [`PATCH albums/${album.id}`, `DELETE albums/${album.id}`])
      assert.equal((await as(call)).status, 401)
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).json.views, 1)

    // Any other last character, also one that differs in bits which base64 does not use.
    const last = headers['x-share'].at(-1)
    const changed = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .filter((character) => character !== last)
      .map((character) => `${headers['x-share'].slice(0, -1)}${character}`)
    for (const wrong of ['x', ...changed, headers['x-share'].replace(/\.\d+\./, '.99999999999.')]) {
      const refused = await ask5(app, cats, 'GET me', { headers: { 'x-share': wrong } })
      assert.deepEqual(problem(refused), [401, 'unauthenticated'], wrong)
    }
    const dogs = await app.tenant('dogs')
    assert.equal((await ask5(app, dogs, 'GET me', { headers })).status, 401)
    app.wait(3_601)
    assert.deepEqual(problem(await as(`GET albums/${album.id}`)), [401, 'unauthenticated'])
    app.wait(30 * 86_400)
    assert.deepEqual(problem(await as(`GET albums/${album.id}`)), [410, 'gone'])
    assert.deepEqual(problem(await open(app, cats, { token })), [410, 'gone'])
  })

  test('a share of a file opens it alone; private files stay out of a shared album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, token } = await shared(app, cats, key)
    const [one, two] = [await put(app, cats, album.id, 1), await put(app, cats, album.id, 2)]
    await onSiteOf(app, cats, ({ db }) =>
      db.updateTable('file').set({ isPrivate: 1 }).where('id', '=', one).execute(),
    )
    const ofFile = await ask5(app, cats, `POST files/${one}/shares`, { key, body: {} })
    assert.equal(ofFile.status, 201, ofFile.text)
    const opened = await open(app, cats, { token: tokenOf(ofFile.json) })
    assert.equal(opened.json.file.id, one)
    const headers = { 'x-share': opened.json.pass }
    assert.equal((await ask5(app, cats, `GET files/${one}`, { headers })).status, 200)
    assert.equal((await ask5(app, cats, `GET files/${two}`, { headers })).status, 404)
    const withAlbum = { 'x-share': (await open(app, cats, { token })).json.pass }
    assert.equal((await ask5(app, cats, `GET files/${one}`, { headers: withAlbum })).status, 404)
    assert.equal((await ask5(app, cats, `GET files/${two}`, { headers: withAlbum })).status, 200)
    const upload = await ask5(app, cats, `POST files/${one}/shares`, { key, body: { allow_upload: true } })
    assert.deepEqual(problem(upload), [400, 'invalid'])
    const bob = await keyOf(app, cats, 'write', (await userWithKey(app, cats, 'bob')).userId)
    assert.equal((await ask5(app, cats, `POST files/${one}/shares`, { key: bob, body: {} })).status, 404)
  })

  test('a password is asked for; wrong ones are counted; a new one ends passes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share, token } = await shared(app, cats, key, { password: 'meow', max_views: 2 })
    assert.deepEqual(problem(await open(app, cats, { token })), [403, 'password-needed'])
    assert.deepEqual(problem(await open(app, cats, { token, password: 'woof' })), [403, 'wrong-password'])
    const opened = await open(app, cats, { token, password: 'meow' })
    assert.equal(opened.status, 200, opened.text)
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).json.views, 1)
    await ask5(app, cats, `PATCH shares/${share.id}`, { key, body: { password: 'purr' } })
    const headers = { 'x-share': opened.json.pass }
    assert.equal((await ask5(app, cats, `GET albums/${album.id}`, { headers })).status, 401)
    for (let wrong = 0; wrong < 9; wrong += 1) await open(app, cats, { token, password: 'woof' })
    assert.deepEqual(problem(await open(app, cats, { token, password: 'purr' })), [429, 'rate-limited'])
    app.wait(601)
    assert.equal((await open(app, cats, { token, password: 'purr' })).status, 200)
    assert.deepEqual(problem(await open(app, cats, { token, password: 'purr' })), [410, 'gone'])
  })

  test('of 64 visitors at once five are in, on every server; a repeated request uses one view', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const cats = await first.tenant('cats')
    const key = await keyOf(first, cats, 'write')
    const { share, token } = await shared(first, cats, key, { max_views: 5 })
    const answers = await Promise.all(
      times(64, (index) => open(all[index % all.length] ?? first, cats, { token })),
    )
    assert.deepEqual(tally(answers), { 200: 5, 410: 59 })
    assert.equal((await ask5(first, cats, `GET shares/${share.id}`, { key })).json.views, 5)

    const again = await shared(first, cats, key, { max_views: 2 })
    const headers = { 'idempotency-key': 'visit' }
    const visits = await Promise.all(
      times(8, () => ask5(first, cats, 'POST shares/open', { body: { token: again.token }, headers })),
    )
    assert.deepEqual(tally(visits), { 200: 8 })
    assert.equal((await ask5(first, cats, `GET shares/${again.share.id}`, { key })).json.views, 1)
  })

  test('revoked on one server, it is 410 on the other at once', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const other = all.at(-1) ?? first
    const cats = await first.tenant('cats')
    const key = await keyOf(first, cats, 'write')
    const { album, share, token } = await shared(first, cats, key)
    const headers = { 'x-share': (await open(other, cats, { token })).json.pass }
    assert.equal((await ask5(other, cats, `GET albums/${album.id}`, { headers })).status, 200)
    assert.equal((await ask5(first, cats, `DELETE shares/${share.id}`, { key })).status, 204)
    assert.deepEqual(problem(await ask5(other, cats, `GET albums/${album.id}`, { headers })), [410, 'gone'])
    assert.deepEqual(problem(await open(other, cats, { token })), [410, 'gone'])
  })

  test('of an album that is deleted it is 410, at its address, by its pass and for its bytes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, share, token } = await shared(app, cats, key)
    const id = await put(app, cats, album.id)
    const headers = { 'x-share': (await open(app, cats, { token })).json.pass }
    const { url } = (await ask5(app, cats, `GET files/${id}`, { headers })).json
    const { pathname, search } = new URL(url)
    const bytes = () => app.send('GET', pathname + search, { headers: { host: cats.hostname } })
    assert.equal((await bytes()).status, 200)
    assert.equal((await ask5(app, cats, `DELETE albums/${album.id}`, { key })).status, 204)
    assert.deepEqual(problem(await open(app, cats, { token })), [410, 'gone'])
    assert.deepEqual(problem(await ask5(app, cats, `GET files/${id}`, { headers })), [410, 'gone'])
    assert.equal((await bytes()).status, 410)
    const page = await app.send('GET', `/share/${token}`, { headers: { host: cats.hostname } })
    assert.equal(page.status, 410)
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).status, 404)
    assert.deepEqual((await ask5(app, cats, 'GET shares', { key })).json.data, [])
  })

  describe('a collection link', () => {
    test('takes files of visitors for the owner, and a letter box shows nothing', async () => {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const { userId } = await userWithKey(app, cats, 'bob')
      const key = await keyOf(app, cats, 'write', userId)
      const box = { allow_upload: true, allow_download: false, max_uploads: 2 }
      const { album, share, token } = await shared(app, cats, key, box)
      await onSiteOf(app, cats, async ({ db }) =>
        assert.equal((await db.selectFrom('file').select('id').execute()).length, 0),
      )
      const sent = await collect(app, cats, token, { fields: { title: 'Hello' } })
      assert.equal(sent.status, 201, sent.text)
      assert.deepEqual(Object.keys(sent.json), ['id', 'filename', 'size'])
      const [row] = await onSiteOf(app, cats, ({ db }) => db.selectFrom('file').selectAll().execute())
      assert.deepEqual(
        [row?.id, row?.userId, row?.albumId, row?.title, row?.sizeBytes],
        [sent.json.id, userId, album.id, 'Hello', sent.json.size],
      )
      const opened = await open(app, cats, { token })
      assert.deepEqual(opened.json.album, { id: album.id, title: 'Secret cats' })
      const headers = { 'x-share': opened.json.pass }
      for (const call of [`GET files/${sent.json.id}`, `GET albums/${album.id}`])
        assert.equal((await ask5(app, cats, call, { headers })).status, 404)
      assert.deepEqual((await ask5(app, cats, `GET files?album_id=${album.id}`, { headers })).json.data, [])

      const racing = await Promise.all(times(4, (seed) => collect(app, cats, token, { seed: 20 + seed })))
      assert.deepEqual(tally(racing), { 201: 1, 403: 3 })
      assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key })).json.uploads, 2)
      assert.equal((await ask5(app, cats, `GET files?album_id=${album.id}`, { key })).json.data.length, 2)
    })

    test('keeps to the limits of guests and of the site, and answers a repeated request once', async () => {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const key = await keyOf(app, cats, 'write')
      const { album, share, token } = await shared(app, cats, key, { allow_upload: true })
      const headers = { 'idempotency-key': 'once' }
      const twice = [
        await collect(app, cats, token, { headers }),
        await collect(app, cats, token, { headers }),
      ]
      assert.deepEqual(new Set(twice.map(({ json }) => json.id)).size, 1)
      assert.equal(twice[1]?.headers['idempotency-replayed'], 'true')
      const other = await collect(app, cats, token, { headers, seed: 77 })
      assert.equal(other.status, 422, other.text)
      for (const name of ['album_id', 'key', 'expiration', 'tags'])
        assert.equal((await collect(app, cats, token, { fields: { [name]: album.id } })).status, 400, name)
      await set(app, cats, { flood_guest_minute: '2' })
      assert.equal((await collect(app, cats, token, { seed: 41 })).status, 201)
      assert.equal((await collect(app, cats, token, { seed: 42 })).status, 429)
      await set(app, cats, { flood_guest_minute: '0', moderation: 'guest', duplicates: 'existing' })
      const held = await collect(app, cats, token, { seed: 9 })
      assert.notEqual(held.json.id, twice[0]?.json.id)
      const [row] = await onSiteOf(app, cats, ({ db }) =>
        db.selectFrom('file').select('isApproved').where('id', '=', held.json.id).execute(),
      )
      assert.equal(row?.isApproved, 0)
      await limit(app, cats, { SERVICE_MAX_FILES: '3' })
      assert.deepEqual(problem(await collect(app, cats, token, { seed: 43 })), [403, 'limit-reached'])
      await limit(app, cats, { SERVICE_MAX_FILES: '0' })

      const closed = await shared(app, cats, key)
      assert.equal((await collect(app, cats, closed.token)).status, 403)
      const locked = await shared(app, cats, key, { allow_upload: true, password: 'x' })
      assert.equal((await collect(app, cats, locked.token)).status, 403)
      const { pass } = (await open(app, cats, { token: locked.token, password: 'x' })).json
      assert.equal((await collect(app, cats, locked.token, { headers: { 'x-share': pass } })).status, 201)
      await ask5(app, cats, `DELETE shares/${share.id}`, { key })
      assert.deepEqual(problem(await collect(app, cats, token)), [410, 'gone'])
      assert.equal((await collect(app, cats, 'x'.repeat(22))).status, 404)
    })
  })
})
