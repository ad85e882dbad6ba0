import assert from 'node:assert/strict'
import { test } from 'vitest'
import { editUser } from '../../src/accounts/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { onSiteOf, userWithKey } from '../support/uploads.ts'

const right = { login: 'ada', password: 'a long password' }
const wrong = { login: 'ada', password: 'a wrong password' }

onEachStore('sessions of the API of a site', (store) => {
  test('a user logs in by name or address, and a page of the site acts as the user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { cookie, headers } = await logIn(app, cats)
    assert.match(cookie, /^terrace-session=[A-Za-z0-9]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const me = await ask5(app, cats, 'GET me', { headers })
    assert.deepEqual([me.json.user.username, me.json.role, me.json.scope], ['ada', 'admin', 'admin'])

    const lasting = await logIn(app, cats, { login: 'ADA@example.com', password: right.password, stay: true })
    assert.match(lasting.cookie, /; Max-Age=15552000; Path=\//)
    app.wait(25 * 3_600)
    assert.equal((await ask5(app, cats, 'GET me', { headers })).json.user, null)
    assert.equal((await ask5(app, cats, 'GET me', { headers: lasting.headers })).json.user.username, 'ada')
  })

  test('behind https the cookie is secure and bound to its host', async () => {
    const environment = { SERVICE_PUBLIC_SCHEME: 'https' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const { cookie, headers } = await logIn(app, cats)
    assert.match(cookie, /^__Host-terrace-session=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    assert.equal((await ask5(app, cats, 'GET me', { headers })).json.user.username, 'ada')
  })

  test('the cookie counts on pages of the site alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const { headers } = await logIn(app, cats)
    const { cookie = '' } = headers
    const userWith = async (more: Record<string, string>, tenant = cats) =>
      (await ask5(app, tenant, 'GET me', { headers: { cookie, ...more } })).json.user?.username
    assert.equal(await userWith({ 'sec-fetch-site': 'same-origin' }), 'ada')
    for (const site of ['same-site', 'cross-site', 'none'])
      assert.equal(await userWith({ 'sec-fetch-site': site }), undefined, site)
    assert.equal(await userWith({}), undefined)
    assert.equal(await userWith({ origin: `http://cats.test:${app.port}` }), 'ada')
    assert.equal(await userWith({ origin: 'http://dogs.test' }), undefined)
    assert.equal(
      await userWith({ origin: `http://cats.test:${app.port}`, 'sec-fetch-site': 'cross-site' }),
      undefined,
    )
    assert.equal(await userWith({ 'sec-fetch-site': 'same-origin' }, dogs), undefined)
    const change = await ask5(app, cats, 'DELETE sessions', { headers: { cookie } })
    assert.deepEqual(problem(change), [401, 'unauthenticated'])
  })

  test('sessions are listed, and ended one by one, the others, or all by key', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [one, two, three] = [await logIn(app, cats), await logIn(app, cats), await logIn(app, cats)]
    const isIn = async ({ headers }: typeof one) =>
      (await ask5(app, cats, 'GET me', { headers })).json.user !== null
    const { json } = await ask5(app, cats, 'GET sessions', { headers: one.headers })
    assert.deepEqual(
      json.data.map(({ id, is_current }: Record<string, unknown>) => [id, is_current]).sort(),
      [
        [one.id, true],
        [two.id, false],
        [three.id, false],
      ].sort(),
    )
    assert.doesNotMatch(JSON.stringify(json), /token/i)

    assert.equal((await ask5(app, cats, `DELETE sessions/${two.id}`, one)).status, 204)
    assert.deepEqual([await isIn(one), await isIn(two), await isIn(three)], [true, false, true])
    assert.equal((await ask5(app, cats, 'DELETE sessions', one)).status, 204)
    assert.deepEqual([await isIn(one), await isIn(three)], [true, false])
    const out = await ask5(app, cats, `DELETE sessions/${one.id}`, one)
    assert.match(String(out.headers['set-cookie']), /^terrace-session=; Max-Age=0; Path=\//)
    assert.equal(await isIn(one), false)

    const four = await logIn(app, cats)
    const key = await keyOf(app, cats, 'write')
    const { userId } = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', userId)
    assert.deepEqual(problem(await ask5(app, cats, `DELETE sessions/${four.id}`, { key: bobs })), [
      404,
      'not-found',
    ])
    assert.equal((await ask5(app, cats, 'DELETE sessions', { key })).status, 204)
    assert.equal(await isIn(four), false)
  })

  test('unknown, wrong and banned are refused alike', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await userWithKey(app, cats, 'bob')
    await onSiteOf(app, cats, (site) => editUser(site, { username: 'bob', isBanned: true }))
    const answers = []
    for (const body of [
      wrong,
      { ...right, login: 'nobody' },
      { ...right, login: 'bob' },
      { ...right, login: '\0' },
    ])
      answers.push(await ask5(app, cats, 'POST sessions', { body }))
    for (const answer of answers) assert.deepEqual(problem(answer), [401, 'unauthenticated'])
    assert.equal(new Set(answers.map(({ json }) => json.detail)).size, 1)
    const empty = await ask5(app, cats, 'POST sessions', { body: { login: '', password: '' } })
    assert.deepEqual(
      empty.json.errors.map(({ pointer }: Record<string, string>) => pointer),
      ['#/login', '#/password'],
    )
  })

  test('ten wrong passwords in ten minutes stop an address, whatever the account, also at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const tries = Array.from({ length: 16 }, (_, index) => ({ login: `user-${index}`, password: 'wrong' }))
    const answers = await Promise.all(tries.map((body) => ask5(app, cats, 'POST sessions', { body })))
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    assert.deepEqual([count(401), count(429)], [10, 6])
    const refused = await ask5(app, cats, 'POST sessions', { body: right })
    assert.deepEqual(problem(refused), [429, 'rate-limited'])
    assert.equal(refused.headers['retry-after'], '600')
    assert.equal((await ask5(app, dogs, 'POST sessions', { body: right })).status, 201)
    app.wait(601)
    assert.equal((await ask5(app, cats, 'POST sessions', { body: right })).status, 201)
  })

  test('right passwords take no place among the tries', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (let index = 0; index < 12; index += 1) await logIn(app, cats)
  })

  test('a new password needs the one of today, and ends the other sessions', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [one, two] = [await logIn(app, cats), await logIn(app, cats)]
    const patch = (body: object) => ask5(app, cats, 'PATCH me', { ...one, body })
    const refused = await patch({ password: 'another password', current_password: 'wrong' })
    assert.deepEqual(problem(refused), [400, 'invalid'])
    assert.equal(refused.json.errors[0].pointer, '#/current_password')
    const short = await patch({ email: 'x', password: 'short', current_password: right.password })
    assert.deepEqual(short.json.errors.map(({ pointer }: Record<string, string>) => pointer).sort(), [
      '#/email',
      '#/password',
    ])
    assert.deepEqual(problem(await patch({ current_password: right.password })), [400, 'invalid'])

    const edit = { email: 'ada@new.test', password: 'another password', current_password: right.password }
    const edited = await patch(edit)
    assert.deepEqual([edited.status, edited.json.user.email], [200, 'ada@new.test'])
    const isIn = async ({ headers }: typeof one) =>
      (await ask5(app, cats, 'GET me', { headers })).json.user !== null
    assert.deepEqual([await isIn(one), await isIn(two)], [true, false])
    assert.equal((await ask5(app, cats, 'POST sessions', { body: right })).status, 401)
    await logIn(app, cats, { login: 'ada@new.test', password: 'another password' })
    await userWithKey(app, cats, 'bob')
    const taken = await patch({ email: 'BOB@example.com', current_password: 'another password' })
    assert.deepEqual(problem(taken), [409, 'conflict'])
  })
})
