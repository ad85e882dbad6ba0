import assert from 'node:assert/strict'
import { test } from 'vitest'
import { created, patch } from '../support/clients/resumable.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { multipartOf, picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

type Sender = Pick<TestApp, 'send'>

const tokenOf = (share: { url: string }) => share.url.split('/').at(-1) ?? ''

const open = (app: Sender, tenant: TestTenant, token: string, more: object = {}) =>
  ask5(app, tenant, 'POST shares/open', { body: { token, ...more } })

async function send(app: Sender, tenant: TestTenant, path: string, headers: Record<string, string> = {}) {
  const file = { name: 'source', value: await picture({ seed: Math.random() * 1e6 }), fileName: 'a.png' }
  const { type, bytes } = multipartOf([file])
  return app.send('POST', path, {
    bytes,
    headers: { host: tenant.hostname, 'content-type': type, ...headers },
  })
}

/** A private album of bob with a file, and what eve, a manager, has shared of it, opened at another server. */
async function sharedByEve(app: TestApp, other: TestApp) {
  const cats = await app.tenant('cats')
  const bob = await userWithKey(app, cats, 'bob')
  const eve = await userWithKey(app, cats, 'eve', 'manager')
  const [admin, bobs, eves] = [
    await keyOf(app, cats, 'admin'),
    await keyOf(app, cats, 'write', bob.userId),
    await keyOf(app, cats, 'admin', eve.userId),
  ]
  const album = { title: 'Secret cats', privacy: 'private' }
  const { id: albumId } = (await ask5(app, cats, 'POST albums', { key: bobs, body: album })).json
  const file = await picture({ width: 900, height: 700 })
  const image = await uploaded(app, cats, { key: bob.key, file, fields: { album_id: albumId } })
  const body = { allow_upload: true, name: 'from eve' }
  const share = (await ask5(app, cats, `POST albums/${albumId}/shares`, { key: eves, body })).json
  const token = tokenOf(share)
  const headers = { 'x-share': (await open(other, cats, token)).json.pass }
  const seen = (await ask5(other, cats, `GET files/${image.id_encoded}`, { headers })).json
  const ends = [other, cats] as [TestApp, TestTenant]
  const bytes = await picture({ seed: 77 })
  const uploadId = await created(ends, { headers, length: bytes.length })
  const host = { host: cats.hostname, ...browserHeaders }
  /** The statuses of all doors. */
  const doors = async () => ({
    page: (await other.send('GET', `/share/${token}`, { headers: host })).status,
    open: (await open(other, cats, token)).status,
    pass: (await ask5(other, cats, `GET albums/${albumId}`, { headers })).status,
    original: (await ask(other, seen.url)).status,
    thumb: (await ask(other, seen.versions.thumb.url)).status,
    form: (await send(other, cats, `/share/${token}/files`)).status,
    file: (await send(other, cats, `/api/5/shares/${token}/files`)).status,
    bytes: (await patch(ends, uploadId, { headers, offset: 0, bytes: bytes.subarray(0, 0) })).status,
  })
  const edit = (userId: string, change: object) =>
    ask5(app, cats, `PATCH users/${userId}`, { key: admin, body: change })
  return { cats, bob, eve, admin, bobs, eves, albumId, image, share, token, headers, doors, edit }
}

const isOpen = {
  page: 200,
  open: 200,
  pass: 200,
  original: 200,
  thumb: 200,
  form: 303,
  file: 201,
  bytes: 204,
}
const isGone = Object.fromEntries(Object.keys(isOpen).map((door) => [door, 410]))

onEachStore('the rights behind a share', (store) => {
  test('while its maker is demoted or banned, every door is 410 on the other server at once', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const { cats, eve, admin, share, token, headers, doors, edit } = await sharedByEve(
      first,
      all.at(-1) ?? first,
    )
    const isSuspended = async () =>
      (await ask5(first, cats, `GET shares/${share.id}`, { key: admin })).json.is_suspended
    assert.deepEqual([await doors(), await isSuspended()], [isOpen, false])
    for (const [lost, back] of [
      [{ role: 'user' }, { role: 'manager' }],
      [{ is_banned: true }, { is_banned: false }],
    ]) {
      assert.equal((await edit(eve.userId, lost ?? {})).status, 200)
      assert.deepEqual([await doors(), await isSuspended()], [isGone, true], JSON.stringify(lost))
      assert.deepEqual(problem(await open(first, cats, token)), [410, 'gone'])
      assert.equal((await edit(eve.userId, back ?? {})).status, 200)
      assert.deepEqual([await doors(), await isSuspended()], [isOpen, false], JSON.stringify(back))
    }
    assert.equal((await ask5(first, cats, `DELETE users/${eve.userId}`, { key: admin })).status, 204)
    assert.equal((await open(all.at(-1) ?? first, cats, token)).status, 404)
    assert.equal((await ask5(first, cats, 'GET me', { headers })).status, 401)
  })

  test('of a file: it is suspended with its owner, and with the right of another maker', async () => {
    await using app = await startTestApp({ store })
    const { cats, bob, eve, bobs, eves, image, edit } = await sharedByEve(app, app)
    const shareBy = async (key: string) =>
      tokenOf((await ask5(app, cats, `POST files/${image.id_encoded}/shares`, { key, body: {} })).json)
    const [byBob, byEve] = [await shareBy(bobs), await shareBy(eves)]
    const statuses = async () => [
      (await open(app, cats, byBob)).status,
      (await open(app, cats, byEve)).status,
    ]
    assert.deepEqual(await statuses(), [200, 200])
    await edit(bob.userId, { is_banned: true })
    assert.deepEqual(await statuses(), [410, 200])
    await edit(bob.userId, { is_banned: false })
    await edit(eve.userId, { role: 'user' })
    assert.deepEqual(await statuses(), [200, 410])
  })

  test('the owner sees all shares and ends each; a maker without the right changes none', async () => {
    await using app = await startTestApp({ store })
    const { cats, bob, eve, admin, bobs, eves, albumId, share, token, edit } = await sharedByEve(app, app)
    const own = (await ask5(app, cats, `POST albums/${albumId}/shares`, { key: bobs, body: {} })).json
    const listed = async (key: string) =>
      (await ask5(app, cats, `GET shares?album_id=${albumId}`, { key })).json.data.map(
        ({ id, user }: { id: string; user: object }) => [id, user],
      )
    const both = [
      [own.id, { id: bob.userId, username: 'bob' }],
      [share.id, { id: eve.userId, username: 'eve' }],
    ]
    assert.deepEqual((await listed(bobs)).sort(), both.sort())
    assert.deepEqual((await listed(admin)).sort(), both.sort())
    const mine = (await ask5(app, cats, 'GET shares', { key: bobs })).json.data
    assert.deepEqual(
      mine.map(({ id }: { id: string }) => id),
      [own.id],
    )
    assert.equal((await ask5(app, cats, `GET shares/${share.id}`, { key: bobs })).status, 200)
    const change = { key: bobs, body: { name: 'mine now' } }
    assert.deepEqual(problem(await ask5(app, cats, `PATCH shares/${share.id}`, change)), [403, 'forbidden'])

    await edit(eve.userId, { role: 'user' })
    for (const call of [`PATCH shares/${share.id}`, `DELETE shares/${share.id}`]) {
      const body = call.startsWith('PATCH') ? { body: { expires_at: null } } : {}
      assert.deepEqual(problem(await ask5(app, cats, call, { key: eves, ...body })), [403, 'forbidden'])
    }
    assert.deepEqual(await listed(eves), [[share.id, { id: eve.userId, username: 'eve' }]])
    assert.equal((await ask5(app, cats, `GET shares/${own.id}`, { key: eves })).status, 404)
    assert.equal((await ask5(app, cats, `DELETE shares/${own.id}`, { key: eves })).status, 404)

    assert.equal((await ask5(app, cats, `DELETE shares/${share.id}`, { key: bobs })).status, 204)
    await edit(eve.userId, { role: 'manager' })
    assert.deepEqual(problem(await open(app, cats, token)), [410, 'gone'])
  })

  test('the page of an album shows its owner who made each share, and ends it', async () => {
    await using app = await startTestApp({ store })
    const { cats, eve, albumId, share, edit } = await sharedByEve(app, app)
    const { show, send: post } = await visitAs(app, cats, { login: 'bob', password: 'a long password' })
    const path = `/album/${albumId}/shares`
    const page = (await show(path)).text
    assert.match(page, /Created by eve/)
    assert.doesNotMatch(page, new RegExp(`href="/mine/shares/${share.id}"`))
    assert.equal((await show(`/mine/shares/${share.id}`)).status, 403)
    await edit(eve.userId, { role: 'user' })
    assert.match((await show(path)).text, /paused/)
    const ended = await post(`/mine/shares/${share.id}/revoke`, { to: path })
    assert.deepEqual([ended.status, ended.headers.location], [303, path])
    assert.doesNotMatch((await show(path)).text, /Created by eve/)
  })

  test('once its views are used up, only visitors who are in upload', async () => {
    await using app = await startTestApp({ store })
    const { cats, bobs, albumId } = await sharedByEve(app, app)
    const body = { allow_upload: true, max_views: 1 }
    const token = tokenOf((await ask5(app, cats, `POST albums/${albumId}/shares`, { key: bobs, body })).json)
    const path = `/api/5/shares/${token}/files`
    assert.equal((await send(app, cats, path)).status, 201)
    const headers = { 'x-share': (await open(app, cats, token)).json.pass }
    assert.deepEqual(problem(await send(app, cats, path)), [410, 'gone'])
    assert.equal((await send(app, cats, `/share/${token}/files`)).status, 410)
    assert.equal((await send(app, cats, path, headers)).status, 201)
    const cookie = `terrace-share-${headers['x-share'].split('.')[0]}=${headers['x-share']}`
    assert.equal((await send(app, cats, `/share/${token}/files`, { cookie })).status, 303)
    const ends = [app, cats] as [TestApp, TestTenant]
    const bytes = await picture({ seed: 5 })
    const id = await created(ends, { headers, length: bytes.length })
    assert.equal((await patch(ends, id, { headers, offset: 0, bytes })).status, 204)
    app.wait(3_601)
    assert.equal((await send(app, cats, path, headers)).status, 401)
  })

  test('thirty wrong passwords in an hour close a share or album to guessers from all networks', async () => {
    const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const secret = { title: 'x', privacy: 'password', password: 'nine lives' }
    const album = (await ask5(app, cats, 'POST albums', { key, body: secret })).json
    const shareWith = async (password: string) =>
      tokenOf((await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: { password } })).json)
    const [token, another] = [await shareWith('meow'), await shareWith('meow')]
    let network = 0
    const from = () => {
      network += 1
      return { 'x-forwarded-for': `198.51.${network >> 8}.${network & 255}` }
    }
    const guess = (given: string, password: string) =>
      ask5(app, cats, 'POST shares/open', { body: { token: given, password }, headers: from() })
    const unlock = (password: string) =>
      app.send('POST', `/album/${album.id}`, {
        bytes: new URLSearchParams({ password }).toString(),
        headers: {
          host: cats.hostname,
          'content-type': 'application/x-www-form-urlencoded',
          ...from(),
          'sec-fetch-site': 'same-origin',
        },
      })
    const { pass } = (await guess(token, 'meow')).json
    const unlocked = await unlock('nine lives')
    assert.equal(unlocked.status, 303, unlocked.text)
    for (let wrong = 0; wrong < 30; wrong += 1) {
      assert.equal((await guess(token, 'woof')).status, 403)
      assert.equal((await unlock('woof')).status, 403)
      if (wrong % 6 === 0) app.wait(300)
    }
    const refused = await guess(token, 'meow')
    assert.deepEqual(problem(refused), [429, 'rate-limited'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await unlock('nine lives')).status, 429)
    assert.equal((await guess(another, 'meow')).status, 200)
    const inside = { headers: { 'x-share': pass } }
    assert.equal((await ask5(app, cats, `GET albums/${album.id}`, inside)).status, 200)
    const cookie = String(unlocked.headers['set-cookie']?.[0]).split(';')[0] ?? ''
    const page = await app.send('GET', `/album/${album.id}`, {
      headers: { host: cats.hostname, ...browserHeaders, cookie },
    })
    assert.doesNotMatch(page.text, /Password required/)
    app.wait(3_601)
    assert.equal((await guess(token, 'meow')).status, 200)
    assert.equal((await unlock('nine lives')).status, 303)
  })
})
