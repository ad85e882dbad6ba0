import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const week = 604_800

/** As a program signs by itself, see docs/api-media.md. */
function signedBy(key: string, url: string, version: number): string {
  const { origin, pathname, searchParams } = new URL(url)
  const pairs = [...searchParams].sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([pathname, pairs, version])
  searchParams.set('s', createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex').slice(0, 32))
  return `${origin}${pathname}?${searchParams}`
}

async function siteWithPictures(app: TestApp) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const body = { title: 'private', privacy: 'private' }
  const album = (await ask5(app, cats, 'POST albums', { key, body })).json
  const file = await picture({ width: 900, height: 600 })
  const hidden = await uploaded(app, cats, { file, fields: { album_id: album.id } })
  const open = await uploaded(app, cats, { file: await picture({ width: 900, height: 600, seed: 2 }) })
  return { cats, key, hidden, open, file }
}

const show = async (app: TestApp, tenant: TestTenant, key: string) => {
  const shown = await ask5(app, tenant, 'GET signing-key', { key })
  assert.equal(shown.status, 200, shown.text)
  assert.equal(shown.headers['cache-control'], 'no-store')
  return shown.json
}

async function rotate(app: TestApp, tenant: TestTenant, key: string, overlap = 0) {
  const body = { overlap_seconds: overlap }
  const rotated = await ask5(app, tenant, 'POST signing-key/rotate', { key, body })
  assert.equal(rotated.status, 200, rotated.text)
  assert.equal(rotated.headers['cache-control'], 'no-store')
  return rotated.json
}

onEachStore('signing keys', (store) => {
  test('are read and rotated by administrators alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    const shown = await show(app, cats, admin)
    assert.match(shown.key, /^[0-9a-f]{64}$/)
    assert.match(shown.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(Object.keys(shown), ['key', 'created_at', 'previous'])
    assert.equal(shown.previous, null)
    const calls = ['GET signing-key', 'POST signing-key/rotate'] as const
    const body = (call: string) => (call.startsWith('POST') ? { body: { overlap_seconds: 0 } } : {})
    const others = []
    for (const role of ['manager', 'user'] as const) {
      const { userId } = await userWithKey(app, cats, role, role)
      others.push(await keyOf(app, cats, 'admin', userId))
    }
    const own = await logIn(app, cats)
    for (const call of calls) {
      assert.deepEqual(problem(await ask5(app, cats, call, body(call))), [401, 'unauthenticated'])
      for (const scope of ['upload', 'read', 'write'] as const) {
        const key = await keyOf(app, cats, scope)
        assert.deepEqual(problem(await ask5(app, cats, call, { key, ...body(call) })), [403, 'scope-missing'])
      }
      for (const key of others)
        assert.equal((await ask5(app, cats, call, { key, ...body(call) })).status, 403)
      assert.equal((await ask5(app, cats, call, { headers: own.headers, ...body(call) })).status, 200)
    }
    app.wait(600)
    for (const call of calls)
      assert.deepEqual(problem(await ask5(app, cats, call, { headers: own.headers, ...body(call) })), [
        403,
        'proof-needed',
      ])
    const dogs = await app.tenant('dogs')
    assert.notEqual((await show(app, dogs, await keyOf(app, dogs, 'admin'))).key, shown.key)
  })

  test('two are valid while they are rotated, each until its end by the clock', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden, open, file } = await siteWithPictures(app)
    const first = await show(app, cats, key)
    const address = async () => (await ask5(app, cats, `GET files/${hidden.id_encoded}`, { key })).json.url
    const bare = hidden.url.split('?')[0] ?? ''
    const square = `${open.url}?width=300&height=300`
    const status = async (url: string) => (await ask(app, url)).status
    const given = await address()
    const own = [signedBy(first.key, bare, 1), signedBy(first.key, square, 1)]
    assert.equal(own[0], hidden.url)
    for (const url of [...own, given]) assert.equal(await status(url), 200, url)

    const second = await rotate(app, cats, key, 60)
    assert.deepEqual(await show(app, cats, key), second)
    assert.notEqual(second.key, first.key)
    assert.deepEqual(second.previous, {
      key: first.key,
      ends_at: new Date(Date.parse(second.created_at) + 60_000).toISOString(),
    })
    const followed = await address()
    const fresh = [signedBy(second.key, bare, 1), signedBy(second.key, square, 1)]
    assert.notEqual(followed, given)
    for (let time = 0; time < 2; time += 1)
      for (const url of [...own, ...fresh, given, followed]) assert.equal(await status(url), 200, url)
    assert.deepEqual((await ask(app, own[0] ?? '')).bytes, file)
    for (const url of own) {
      const [, age] = /max-age=(\d+)/.exec(String((await ask(app, url)).headers['cache-control'])) ?? []
      assert.ok(Number(age) <= 60, `${age} seconds`)
    }
    app.wait(59)
    for (const url of [...own, ...fresh]) assert.equal(await status(url), 200, url)
    app.wait(1)
    for (let time = 0; time < 2; time += 1) {
      for (const url of fresh) assert.equal(await status(url), 200, url)
      assert.deepEqual([await status(own[0] ?? ''), await status(own[1] ?? '')], [404, 403])
      assert.deepEqual([await status(given), await status(followed)], [404, 200])
    }
    assert.deepEqual(await show(app, cats, key), { ...second, previous: null })

    const third = await rotate(app, cats, key, week)
    assert.equal(third.previous.key, second.key)
    const fourth = await rotate(app, cats, key, week)
    assert.equal(fourth.previous.key, third.key)
    for (const url of [...own, ...fresh]) assert.notEqual(await status(url), 200, url)
    assert.equal(await status(signedBy(third.key, bare, 1)), 200)
    const fifth = await rotate(app, cats, key)
    assert.equal(fifth.previous, null)
    assert.equal(await status(signedBy(fourth.key, bare, 1)), 404)
    assert.equal(await status(signedBy(fifth.key, bare, 1)), 200)
  })
})
