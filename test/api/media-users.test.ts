import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Role } from '../../src/accounts/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { times } from '../support/servers/several-servers.ts'
import { onSiteOf, set, statsOf, type TestTenant, upload, uploaded, userWithKey } from '../support/uploads.ts'

const password = 'a long password'

/** A key of the scope `admin` for a new user of the role. */
async function staffOf(app: TestApp, tenant: TestTenant, username: string, role: Role) {
  const { userId } = await userWithKey(app, tenant, username, role)
  return { userId, key: await keyOf(app, tenant, 'admin', userId) }
}

onEachStore('users', (store) => {
  test('are created, listed, read, changed and deleted by an administrator', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const body = { username: 'bob', email: 'bob@example.com', password }
    const made = await ask5(app, cats, 'POST users', { key, body })
    assert.equal(made.status, 201, made.text)
    const { id, created_at, updated_at } = made.json
    assert.deepEqual(made.json, {
      id,
      username: 'bob',
      email: 'bob@example.com',
      is_email_confirmed: false,
      role: 'user',
      is_banned: false,
      created_at,
      updated_at,
      version: 1,
    })
    assert.deepEqual([made.headers.location, made.headers.etag], [`/api/5/users/${id}`, '"1"'])
    assert.deepEqual((await ask5(app, cats, `GET users/${id}`, { key })).json, made.json)
    const cached = await ask5(app, cats, `GET users/${id}`, { key, headers: { 'if-none-match': '"1"' } })
    assert.equal(cached.status, 304)

    const edit = { email: 'bobby@example.com', role: 'manager', is_banned: false }
    const changed = await ask5(app, cats, `PATCH users/${id}`, { key, body: edit })
    assert.deepEqual([changed.status, changed.headers.etag], [200, '"2"'])
    assert.deepEqual([changed.json.email, changed.json.role], ['bobby@example.com', 'manager'])
    const late = { key, body: { role: 'user' }, headers: { 'if-match': '"1"' } }
    assert.deepEqual(problem(await ask5(app, cats, `PATCH users/${id}`, late)), [412, 'version-differs'])
    assert.deepEqual((await statsOf(app, cats)).managers, 1)

    const gone = await ask5(app, cats, `DELETE users/${id}`, { key, headers: { 'if-match': '"2"' } })
    assert.equal(gone.status, 204)
    assert.deepEqual(problem(await ask5(app, cats, `GET users/${id}`, { key })), [404, 'not-found'])
    assert.deepEqual((await statsOf(app, cats)).users, 1)
    await assertHealthy(app.app)
  })

  test('are found by the beginning of name or address, page by page', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    for (const name of ['Bob', 'bobby', 'carl']) await userWithKey(app, cats, name)
    const found = async (q: string) =>
      (await ask5(app, cats, `GET users?q=${encodeURIComponent(q)}`, { key })).json.data.map(
        ({ username }: { username: string }) => username,
      )
    assert.deepEqual((await found('BOB')).sort(), ['Bob', 'bobby'])
    assert.deepEqual(await found('carl@'), ['carl'])
    assert.deepEqual(await found('ob'), [])
    assert.deepEqual(await found('%'), [])
    const names: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await ask5(app, cats, `GET users?limit=1${cursor}`, { key })
      names.push(...json.data.map(({ username }: { username: string }) => username))
      if (json.next_cursor === null) break
      cursor = `&cursor=${json.next_cursor}`
    }
    assert.deepEqual(names.sort(), ['Bob', 'ada', 'bobby', 'carl'])
    const { json } = await ask5(app, cats, 'GET users?limit=1', { key })
    const other = await ask5(app, cats, `GET users?limit=1&q=b&cursor=${json.next_cursor}`, { key })
    assert.deepEqual(problem(other), [400, 'cursor-invalid'])
  })

  test('of the role user are seen and banned by managers, and nothing else is theirs to do', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    const meg = await staffOf(app, cats, 'meg', 'manager')
    const { userId: bob, key: bobs } = await userWithKey(app, cats, 'bob')
    const { json } = await ask5(app, cats, 'GET users', { key: meg.key })
    assert.deepEqual(
      json.data.map(({ username }: { username: string }) => username),
      ['bob'],
    )
    const adaId = (await ask5(app, cats, 'GET me', { key: admin })).json.user.id
    for (const id of [adaId, meg.userId])
      for (const call of [`GET users/${id}`, `PATCH users/${id}`]) {
        const body = call.startsWith('PATCH') ? { is_banned: true } : undefined
        assert.deepEqual(problem(await ask5(app, cats, call, { key: meg.key, body })), [404, 'not-found'])
      }
    for (const body of [
      { role: 'admin' },
      { password },
      { email: 'x@example.com' },
      { is_banned: true, role: 'user' },
    ])
      assert.deepEqual(problem(await ask5(app, cats, `PATCH users/${bob}`, { key: meg.key, body })), [
        403,
        'scope-missing',
      ])
    const body = { username: 'eve', email: 'eve@example.com', password }
    for (const [call, sent] of [
      ['POST users', body],
      [`DELETE users/${bob}`, undefined],
      ['GET settings', undefined],
      ['PATCH settings', { listing: 'public' }],
      ['POST pages', { url_key: 'a', title: 'A', body: '' }],
    ] as const)
      assert.deepEqual(problem(await ask5(app, cats, call, { key: meg.key, body: sent })), [
        403,
        'scope-missing',
      ])
    assert.equal((await ask5(app, cats, 'GET stats', { key: meg.key })).status, 200)

    const banned = await ask5(app, cats, `PATCH users/${bob}`, { key: meg.key, body: { is_banned: true } })
    assert.deepEqual([banned.status, banned.json.is_banned], [200, true])
    assert.equal((await upload(app, cats, { key: bobs })).status, 400)
    await ask5(app, cats, `PATCH users/${bob}`, { key: meg.key, body: { is_banned: false } })
    assert.equal((await upload(app, cats, { key: bobs })).status, 200)
  })

  test('the last administrator stays, whatever is tried', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id } = (await ask5(app, cats, 'GET me', { key })).json.user
    for (const body of [{ role: 'user' }, { is_banned: true }])
      assert.deepEqual(problem(await ask5(app, cats, `PATCH users/${id}`, { key, body })), [
        409,
        'last-admin',
      ])
    assert.deepEqual(problem(await ask5(app, cats, `DELETE users/${id}?files=keep`, { key })), [
      409,
      'last-admin',
    ])
    // Two administrators who demote each other: one of them stays.
    const eve = await staffOf(app, cats, 'eve', 'admin')
    const answers = await Promise.all([
      ask5(app, cats, `PATCH users/${eve.userId}`, { key, body: { role: 'user' } }),
      ask5(app, cats, `PATCH users/${id}`, { key: eve.key, body: { role: 'user' } }),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await statsOf(app, cats)).admins, 1)
  })

  test('of 16 editors with one version one wins', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { userId } = await userWithKey(app, cats, 'bob')
    const answers = await Promise.all(
      times(16, (index) =>
        ask5(app, cats, `PATCH users/${userId}`, {
          key,
          body: { email: `bob${index}@example.com` },
          headers: { 'if-match': '"1"' },
        }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(15).fill(412)])
  })

  test('a new password ends the sessions, and the old one is wrong', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const bob = { username: 'bob', email: 'bob@example.com', password }
    const { id } = (await ask5(app, cats, 'POST users', { key, body: bob })).json
    const session = await logIn(app, cats, { login: 'bob', password })
    const body = { password: 'another password' }
    assert.equal((await ask5(app, cats, `PATCH users/${id}`, { key, body })).status, 200)
    const me = await ask5(app, cats, 'GET me', { headers: session.headers })
    assert.equal(me.json.user, null)
    const old = await ask5(app, cats, 'POST sessions', { body: { login: 'bob', password } })
    assert.deepEqual(problem(old), [401, 'unauthenticated'])
    await logIn(app, cats, { login: 'bob', password: 'another password' })
  })

  test('what a removed user leaves is kept, trashed or given to another user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id: adaId } = (await ask5(app, cats, 'GET me', { key })).json.user
    const withFile = async (username: string) => {
      const { userId, key: own } = await userWithKey(app, cats, username)
      return { userId, image: await uploaded(app, cats, { key: own }) }
    }
    const remove = (id: string, query: string) => ask5(app, cats, `DELETE users/${id}${query}`, { key })
    const owners = () =>
      onSiteOf(app, cats, ({ db }) =>
        db.selectFrom('file').select(['id', 'userId', 'version']).orderBy('id').execute(),
      )

    const bob = await withFile('bob')
    assert.deepEqual(problem(await remove(bob.userId, '')), [409, 'conflict'])
    for (const other of ['?files=nobody', `?files=${bob.userId}`, '?files=a%2Fb']) {
      const refused = await remove(bob.userId, other)
      assert.deepEqual(problem(refused), [400, 'invalid'])
      assert.equal(refused.json.errors[0].parameter, 'files')
    }
    assert.equal((await remove(bob.userId, `?files=${adaId}`)).status, 204)
    const [given] = await owners()
    assert.deepEqual([given?.userId, given?.version], [adaId, 2])

    const carl = await withFile('carl')
    assert.equal((await remove(carl.userId, '?files=keep')).status, 204)
    assert.equal((await ask(app, carl.image.url)).status, 200)
    const dora = await withFile('dora')
    assert.equal((await remove(dora.userId, '?files=trash')).status, 204)
    assert.equal((await ask(app, dora.image.url)).status, 404)
    const stats = await ask5(app, cats, 'GET stats', { key })
    assert.deepEqual([stats.json.files, stats.json.trash.files], [2, 1])
    assert.ok(stats.json.trash.bytes > 0 && stats.json.trash.bytes < stats.json.storage_used)

    await set(app, cats, { trash_days: '0' })
    const eve = await withFile('eve')
    assert.equal((await remove(eve.userId, '?files=trash')).status, 204)
    assert.equal((await owners()).length, 3)
    await assertHealthy(app.app)
  })
})
