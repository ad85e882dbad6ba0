import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { editUser, type Scope } from '../../src/accounts/index.ts'
import { createAlbum, removeAlbum } from '../../src/media/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { limit, onSiteOf, type TestTenant, upload, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('keys of the API of a site', (store) => {
  const make = async (app: TestApp, tenant: TestTenant, key: string, body: object) => {
    const made = await ask5(app, tenant, 'POST keys', { key, body })
    assert.equal(made.status, 201, made.text)
    return made.json
  }

  test('a key is made, read, listed, changed, rotated and revoked', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const made = await ask5(app, cats, 'POST keys', { key, body: { name: 'phone' } })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers.location, `/api/5/keys/${made.json.id}`)
    const { key: secret, ...shown } = made.json
    assert.match(secret, new RegExp(`^trc_${made.json.id}_[A-Za-z0-9]{43}$`))
    assert.deepEqual([shown.scope, shown.album_id, shown.expires_at], ['upload', null, null])

    const read = await ask5(app, cats, `GET keys/${shown.id}`, { key })
    assert.deepEqual([read.status, read.json], [200, shown])
    const listed = await ask5(app, cats, 'GET keys', { key })
    assert.deepEqual(listed.json.data[0], shown)
    assert.equal(listed.json.next_cursor, null)

    const body = { name: 'old phone', expires_at: '2099-01-31T12:00:00.000Z', allowed_addresses: ['::/0'] }
    const edited = await ask5(app, cats, `PATCH keys/${shown.id}`, { key, body })
    assert.deepEqual([edited.status, edited.json], [200, { ...shown, ...body }])
    const cleared = await ask5(app, cats, `PATCH keys/${shown.id}`, {
      key,
      body: { expires_at: null, allowed_addresses: null },
    })
    assert.deepEqual(cleared.json, { ...shown, name: 'old phone' })
    for (const fixed of [{ scope: 'write' }, { album_id: null }, {}])
      assert.deepEqual(problem(await ask5(app, cats, `PATCH keys/${shown.id}`, { key, body: fixed })), [
        400,
        'invalid',
      ])

    const rotated = await ask5(app, cats, `POST keys/${shown.id}/rotate`, {
      key,
      body: { overlap_seconds: 60 },
    })
    assert.deepEqual([rotated.status, rotated.json.id], [200, shown.id])
    assert.notEqual(rotated.json.key, secret)
    const statusOf = async (used: string) => (await ask5(app, cats, 'GET me', { key: used })).status
    assert.deepEqual([await statusOf(secret), await statusOf(rotated.json.key)], [200, 200])
    app.wait(61)
    assert.deepEqual([await statusOf(secret), await statusOf(rotated.json.key)], [401, 200])
    const again = await ask5(app, cats, `POST keys/${shown.id}/rotate`, { key })
    assert.deepEqual([await statusOf(rotated.json.key), await statusOf(again.json.key)], [401, 200])

    const gone = await ask5(app, cats, `DELETE keys/${shown.id}`, { key })
    assert.deepEqual([gone.status, gone.text], [204, ''])
    assert.equal(await statusOf(again.json.key), 401)
    assert.deepEqual(problem(await ask5(app, cats, `DELETE keys/${shown.id}`, { key })), [404, 'not-found'])
  })

  test('a list goes on where its cursor says, each key once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(app, cats, key, { name })
    const names: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path = `GET keys?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const page = await ask5(app, cats, path, { key })
      assert.equal(page.status, 200, page.text)
      names.push(...page.json.data.map(({ name }: { name: string }) => name))
      cursor = page.json.next_cursor
    }
    assert.equal(new Set(names).size, names.length)
    assert.equal(names.length, 7)

    const { json } = await ask5(app, cats, 'GET keys?limit=2', { key })
    const good: string = json.next_cursor
    const changed = `${good.startsWith('A') ? 'B' : 'A'}${good.slice(1)}`
    const next = 'GET keys?cursor='
    for (const wrong of [changed, `${good}A`, good.slice(0, -1), 'x'])
      assert.deepEqual(problem(await ask5(app, cats, next + wrong, { key })), [400, 'cursor-invalid'])
    const elsewhere = await ask5(app, cats, `GET sessions?cursor=${good}`, { key })
    assert.deepEqual(problem(elsewhere), [400, 'cursor-invalid'])
    const other = (await userWithKey(app, cats, 'bob')).userId
    const bobs = await keyOf(app, cats, 'write', other)
    assert.deepEqual(problem(await ask5(app, cats, next + good, { key: bobs })), [400, 'cursor-invalid'])
    app.wait(24 * 3_600 + 1)
    assert.deepEqual(problem(await ask5(app, cats, next + good, { key })), [400, 'cursor-invalid'])
  })

  test('each scope makes the calls that it allows, and no others', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const reads = ['GET keys', 'GET sessions', 'GET keys/none']
    const writes = ['POST keys', 'DELETE keys/none', 'PATCH me', 'DELETE sessions/none']
    const allowed: Record<Scope, readonly string[]> = {
      upload: [],
      read: reads,
      write: [...reads, ...writes],
      admin: [...reads, ...writes],
    }
    for (const [scope, calls] of Object.entries(allowed)) {
      const key = await keyOf(app, cats, scope as Scope)
      assert.equal((await ask5(app, cats, 'GET me', { key })).json.scope, scope)
      for (const call of [...reads, ...writes]) {
        const { status, json } = await ask5(app, cats, call, { key })
        const isRefused = status === 403 && json.code === 'scope-missing'
        assert.equal(isRefused, !calls.includes(call), `${scope}: ${call} is ${status}`)
      }
      const sent = await upload(app, cats, { key })
      assert.equal(sent.status, scope === 'read' ? 403 : 200, `${scope}: ${sent.text}`)
    }
  })

  test('no key makes, changes or rotates a stronger one', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const session = await logIn(app, cats)
    const admin = (await ask5(app, cats, 'POST keys', { ...session, body: { name: 'a', scope: 'admin' } }))
      .json
    assert.equal(admin.scope, 'admin')
    const write = await make(app, cats, admin.key, {
      name: 'w',
      scope: 'write',
      allowed_origins: ['https://app.test'],
      expires_at: '2099-01-01T00:00:00Z',
    })
    const by = { key: write.key, headers: { origin: 'https://app.test' } }
    const limits = { allowed_origins: ['https://app.test'], expires_at: '2098-01-01T00:00:00Z' }
    for (const body of [
      { name: 'x', scope: 'admin', ...limits },
      { name: 'x' },
      { name: 'x', ...limits, allowed_origins: ['https://app.test', 'https://b.test'] },
      { name: 'x', ...limits, expires_at: '2099-01-02T00:00:00Z' },
    ])
      assert.deepEqual(problem(await ask5(app, cats, 'POST keys', { ...by, body })), [403, 'scope-missing'])
    assert.equal((await ask5(app, cats, 'POST keys', { ...by, body: { name: 'x', ...limits } })).status, 201)
    for (const [call, body] of [
      [`POST keys/${admin.id}/rotate`, {}],
      [`PATCH keys/${admin.id}`, { name: 'mine' }],
      [`PATCH keys/${write.id}`, { allowed_origins: null }],
      [`PATCH keys/${write.id}`, { expires_at: null }],
    ] as const)
      assert.deepEqual(problem(await ask5(app, cats, call, { ...by, body })), [403, 'scope-missing'], call)

    const { userId } = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', userId)
    assert.deepEqual(problem(await ask5(app, cats, `GET keys/${admin.id}`, { key: bobs })), [
      404,
      'not-found',
    ])
    assert.deepEqual(problem(await ask5(app, cats, `DELETE keys/${admin.id}`, { key: bobs })), [
      404,
      'not-found',
    ])
  })

  test('origins and addresses of a key hold for every call and for uploads', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const page = await make(app, cats, key, { name: 'page', allowed_origins: ['https://app.test'] })
    const far = await make(app, cats, key, { name: 'far', allowed_addresses: ['192.0.2.0/24'] })
    const near = await make(app, cats, key, { name: 'near', allowed_addresses: ['10.0.0.0/8', '127.0.0.1'] })
    const from = (origin: string) => ({ key: page.key, headers: { origin } })

    const answered = await ask5(app, cats, 'GET me', from('https://app.test'))
    assert.equal(answered.status, 200)
    assert.equal(answered.headers['access-control-allow-origin'], 'https://app.test')
    assert.equal(answered.headers.vary, 'Origin')
    const refused = await ask5(app, cats, 'GET me', from('https://other.test'))
    assert.deepEqual(problem(refused), [403, 'origin-not-allowed'])
    assert.equal(refused.headers['access-control-allow-origin'], '*')
    assert.deepEqual(problem(await ask5(app, cats, 'GET me', { key: page.key })), [403, 'origin-not-allowed'])
    assert.equal((await upload(app, cats, from('https://app.test'))).status, 200)
    assert.equal((await upload(app, cats, { key: page.key })).status, 403)

    assert.deepEqual(problem(await ask5(app, cats, 'GET me', { key: far.key })), [403, 'address-not-allowed'])
    assert.equal((await upload(app, cats, { key: far.key })).status, 403)
    assert.equal((await ask5(app, cats, 'GET me', { key: near.key })).status, 200)
    assert.equal((await upload(app, cats, { key: near.key })).status, 200)
  })

  test('a key of an album fills it alone, and goes with it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const [pets, trees] = await onSiteOf(app, cats, async (site) => {
      const album = (title: string) => createAlbum(site, { username: 'ada', title, privacy: 'public' })
      return [await album('Pets'), await album('Trees')]
    })
    const bound = await make(app, cats, key, { name: 'pets', scope: 'write', album_id: pets?.id })
    await uploaded(app, cats, { key: bound.key })
    const stored = await onSiteOf(app, cats, (site) => site.db.selectFrom('file').select('albumId').execute())
    assert.deepEqual(stored, [{ albumId: pets?.id }])
    const refused = await upload(app, cats, { key: bound.key, fields: { album_id: trees?.id ?? '' } })
    assert.ok(refused.status >= 400, refused.text)
    for (const call of ['GET keys', 'POST keys', 'PATCH me', 'DELETE sessions'])
      assert.deepEqual(problem(await ask5(app, cats, call, { key: bound.key })), [403, 'scope-missing'], call)

    const bob = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', bob.userId)
    const foreign = await ask5(app, cats, 'POST keys', { key: bobs, body: { name: 'x', album_id: pets?.id } })
    assert.deepEqual(problem(foreign), [400, 'invalid'])
    assert.deepEqual(foreign.json.errors, [
      { pointer: '#/album_id', detail: 'must be an album of this user' },
    ])

    await onSiteOf(app, cats, (site) => removeAlbum(site, pets?.id ?? ''))
    assert.deepEqual(problem(await ask5(app, cats, 'GET me', { key: bound.key })), [401, 'unauthenticated'])
  })

  test('expired, demoted and banned: the next request knows', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { userId } = await userWithKey(app, cats, 'bob', 'admin')
    const key = await keyOf(app, cats, 'admin', userId)
    const scopeOf = async () => (await ask5(app, cats, 'GET me', { key })).json.scope
    const edit = (change: object) =>
      onSiteOf(app, cats, (site) => editUser(site, { username: 'bob', ...change }))

    assert.equal(await scopeOf(), 'admin')
    await edit({ role: 'user' })
    assert.equal(await scopeOf(), 'write')
    await edit({ role: 'manager' })
    assert.equal(await scopeOf(), 'admin')
    const soon = new Date(app.app.control.clock.now().getTime() + 60_000).toISOString()
    const short = await make(app, cats, key, { name: 'short', expires_at: soon })
    assert.equal((await ask5(app, cats, 'GET me', { key: short.key })).status, 200)
    app.wait(61)
    assert.equal((await ask5(app, cats, 'GET me', { key: short.key })).status, 401)
    await edit({ isBanned: true })
    assert.deepEqual(problem(await ask5(app, cats, 'GET me', { key })), [401, 'unauthenticated'])
  })

  test('a key that another server has revoked is refused by the next request, however often it was used', async () => {
    await using here = await startTestApp({ store })
    await using there = await startTestApp({ beside: here })
    const cats = await here.tenant('cats')
    const admin = await keyOf(here, cats, 'admin')
    for (const [using, revoking] of [
      [here, there],
      [there, here],
    ] as const) {
      const { id, key } = await make(using, cats, admin, { name: 'short-lived' })
      for (let uses = 0; uses < 3; uses += 1)
        assert.equal((await ask5(using, cats, 'GET me', { key })).status, 200)
      assert.equal((await ask5(revoking, cats, `DELETE keys/${id}`, { key: admin })).status, 204)
      assert.deepEqual(problem(await ask5(using, cats, 'GET me', { key })), [401, 'unauthenticated'])
    }
  })

  test('names are unique for a user, and the number of keys is limited', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    await make(app, cats, key, { name: 'phone' })
    const taken = await ask5(app, cats, 'POST keys', { key, body: { name: 'phone' } })
    assert.deepEqual(problem(taken), [409, 'conflict'])
    await limit(app, cats, { SERVICE_MAX_KEYS_PER_USER: '4' })
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => ask5(app, cats, 'POST keys', { key, body: { name } })),
    )
    // The installation's own key, the caller's and the phone's are there already.
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403])
    const refused = answers.find(({ status }) => status === 403)
    assert.deepEqual([refused?.json.code, refused?.json.error.code], ['limit-reached', 999])
  })

  test('an upload records the use of its key in its own transaction', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await upload(app, cats)
    const rows = await onSiteOf(app, cats, ({ db }) =>
      db.selectFrom('userKey').select(['lastUsedAt', 'lastUsedAddress']).execute(),
    )
    assert.match(rows[0]?.lastUsedAt ?? '', /:00\.000Z$/)
    assert.equal(rows[0]?.lastUsedAddress, '127.0.0.1')
  })

  test('the last use is recorded to the minute, also by an upload', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const phone = await make(app, cats, key, { name: 'phone' })
    await Promise.all(Array.from({ length: 10 }, () => ask5(app, cats, 'GET me', { key: phone.key })))
    const usedAt = async () => (await ask5(app, cats, `GET keys/${phone.id}`, { key })).json
    await expect.poll(async () => (await usedAt()).last_used_at).toMatch(/:00\.000Z$/)
    const first = await usedAt()
    assert.equal(first.last_used_address, '127.0.0.1')
    app.wait(60)
    await uploaded(app, cats, { key: phone.key })
    await expect.poll(async () => (await usedAt()).last_used_at).not.toBe(first.last_used_at)
  })
})
