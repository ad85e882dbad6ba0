import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { recordChanges } from '../../src/site/index.ts'
import { addProvider, connectBy } from '../support/clients/connecting.ts'
import { softwarePasskey } from '../support/clients/software-passkey.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, walk } from '../support/media.ts'
import { askPage, stepCookieIn, visitAs } from '../support/pages.ts'
import { startLoginProvider } from '../support/servers/login-provider.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant, userWithKey } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }

/** Rows of one verb, oldest first. */
const rowsOf = async (app: TestApp, cats: TestTenant, verb: string) =>
  (await walk(app, cats, `GET audit?verb=${verb}`, { key: await keyOf(app, cats, 'admin') })).toReversed()

const stepsOf = async (app: TestApp, cats: TestTenant) =>
  (await rowsOf(app, cats, 'session.created')).map(({ after }) => [after.method, after.factor])

const failures = (app: TestApp, cats: TestTenant) =>
  ask5(app, cats, 'POST sessions', { body: { ...ada, password: 'a wrong password' } })

/** As many rows as an hour has room for. */
const fillHour = (app: TestApp, cats: TestTenant, verb: 'session.failed' | 'call.refused') =>
  onSiteOf(app, cats, (site) =>
    inTransaction(site.db, (db) =>
      recordChanges({ ...site, db }, Array(200).fill({ verb, target: '' } as const)),
    ),
  )

onEachStore('the audit log', (store) => {
  test('records log-ins and failed ones, by password, code, recovery code and passkey', async () => {
    const environment = { SERVICE_PUBLIC_SCHEME: 'https', SERVICE_PUBLIC_PORT: '443' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await logIn(app, cats)
    const here = await visitAs(app, cats, ada)
    const passkey = softwarePasskey({ rpId: 'cats.test', origin: 'https://cats.test' })
    const { json: creation } = await here.send('/-/passkeys/creation', {})
    await here.send('/settings/security/passkeys', {
      name: 'Phone',
      challenge: creation.challenge,
      response: passkey.create(creation.options),
    })
    const { json: asked } = await askPage(app, cats, 'POST /-/passkeys/request', { form: {} })
    const proof = { challenge: asked.challenge, response: passkey.get(asked.options) }
    assert.equal((await askPage(app, cats, 'POST /login/passkey', { form: proof })).status, 303)

    const { text } = await here.show('/settings/security/totp')
    const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
    const [, setup = ''] = /name="setup" value="([^"]+)"/.exec(text) ?? []
    const code = () => new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() })
    const on = await here.send('/settings/security/totp', { setup, code: code() })
    const [, recovery = ''] = /<li>((?:[a-z2-9]{4}-){3}[a-z2-9]{4})<\/li>/.exec(on.text) ?? []
    app.wait(60)
    const byApi = await ask5(app, cats, 'POST sessions', { body: { ...ada, totp: code() } })
    assert.equal(byApi.status, 201, byApi.text)
    const first = await askPage(app, cats, 'POST /login', { form: ada })
    const cookie = stepCookieIn(first, '__Host-terrace-login')
    const second = await askPage(app, cats, 'POST /login/code', { cookie, form: { code: recovery } })
    assert.equal(second.status, 303)
    assert.deepEqual(await stepsOf(app, cats), [
      ['password', null],
      ['password', null],
      ['passkey', 'passkey'],
      ['password', 'totp'],
      ['password', 'recovery-code'],
    ])
  })

  test('records a log-in by a provider', async () => {
    await using login = await startLoginProvider()
    const environment = { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow, SERVICE_ENABLE_SIGNUP: '1' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await addProvider(app, cats, login, { name: 'office' })
    login.person = { sub: 'berta', email: 'berta@example.com', email_verified: true }
    const cookie = stepCookieIn(await connectBy(app, cats, '/connect/office'), 'terrace-account')
    const form = { username: 'berta' }
    assert.equal((await askPage(app, cats, 'POST /connect/office/signup', { cookie, form })).status, 303)
    assert.equal((await connectBy(app, cats, '/connect/office?to=/mine')).headers.location, '/mine')
    assert.deepEqual((await stepsOf(app, cats)).slice(-2), [
      ['provider', null],
      ['provider', null],
    ])
  })

  test('counts failed log-ins beyond 200 an hour, and writes the number within a minute', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await fillHour(app, cats, 'session.failed')
    for (let tried = 0; tried < 3; tried += 1) assert.equal((await failures(app, cats)).status, 401)
    const failed = () => rowsOf(app, cats, 'session.failed')
    assert.equal((await failed()).length, 200)
    app.wait(50)
    await until(async () => (await failed()).length === 201, 'the count is written')
    const last = (await failed()).at(-1)
    const { userId } = await onSiteOf(app, cats, ({ db }) =>
      db.selectFrom('user').select('id as userId').where('username', '=', 'ada').executeTakeFirstOrThrow(),
    )
    assert.deepEqual([last.after, last.target, last.actor.kind], [{ count: 3 }, userId, 'guest'])
    app.wait(3_700)
    assert.equal((await failures(app, cats)).status, 401)
    assert.deepEqual((await failed()).at(-1).after, {}, 'an hour later each has a row again')
    await assertHealthy(app.app)
  })

  test('keeps the number of what was counted when the server is stopped', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await fillHour(app, cats, 'session.failed')
    {
      await using second = await startTestApp({ beside: app })
      for (let tried = 0; tried < 2; tried += 1) await failures(second, cats)
    }
    assert.deepEqual((await rowsOf(app, cats, 'session.failed')).at(-1).after, { count: 2 })
  })

  test('records calls of users and keys that were refused with 403, by API and page', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { userId } = await userWithKey(app, cats, 'mia', 'user')
    const key = await keyOf(app, cats, 'admin', userId)
    const upload = await keyOf(app, cats, 'upload', userId)
    const mia = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
    const secret = 'canary-secret'
    const [album, plain] = [
      await ask5(app, cats, 'POST albums', { key, body: { title: 'Box' } }),
      await ask5(app, cats, 'GET settings'),
    ]
    assert.ok(album.status === 201 && plain.status === 401)
    const refused = [
      await ask5(app, cats, `GET users?q=${secret}`, { key }),
      await ask5(app, cats, `PATCH users/${userId}`, { key, body: { role: 'admin' } }),
      await ask5(app, cats, 'PATCH me', { key: upload, body: { email: 'x@example.com' } }),
      await mia.show(`/dashboard/users?q=${secret}`),
      await mia.send('/dashboard/settings/general', { site_name: secret }),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 403, 403, 403, 403],
    )
    const rows = await rowsOf(app, cats, 'call.refused')
    assert.deepEqual(
      rows.map(({ target, actor, after }) => [target, actor.kind, actor.user.id, after.code]),
      [
        ['GET /api/5/users', 'key', userId, refused[0]?.json.code],
        [`PATCH /api/5/users/${userId}`, 'key', userId, refused[1]?.json.code],
        ['PATCH /api/5/me', 'key', userId, refused[2]?.json.code],
        ['GET /dashboard/users', 'user', userId, 'role-too-low'],
        ['POST /dashboard/settings/general', 'user', userId, 'role-too-low'],
      ],
    )
    assert.ok(!JSON.stringify(rows).includes(secret))
    await askPage(app, cats, 'GET /dashboard/users')
    assert.equal((await rowsOf(app, cats, 'call.refused')).length, 5, 'no row of guests')
    await assertHealthy(app.app)
  })

  test('records refused calls without tokens of links and without bytes that a store refuses', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const mia = await visitAs(app, cats)
    const token = 'a'.repeat(43)
    const posts = [`/signup/confirm/${token}`, `/password/${token}`, `/tag/%00${'x'.repeat(300)}`]
    for (const path of posts)
      await askPage(app, cats, `POST ${path}`, {
        cookie: mia.cookie,
        form: {},
        headers: { origin: 'https://evil.example' },
      })
    const rows = await rowsOf(app, cats, 'call.refused')
    assert.ok(!JSON.stringify(rows).includes(token))
    for (const { target } of rows) assert.ok(target.length <= 200, target)
  })

  test('counts refused calls beyond 200 an hour by caller and address', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { userId } = await userWithKey(app, cats, 'mia', 'user')
    const key = await keyOf(app, cats, 'admin', userId)
    await fillHour(app, cats, 'call.refused')
    for (let each = 0; each < 14; each += 1) {
      await ask5(app, cats, 'GET users', { key })
      await ask5(app, cats, `GET users/${each}`, { key })
    }
    app.wait(50)
    const counted = async () => (await rowsOf(app, cats, 'call.refused')).slice(200)
    await until(async () => (await counted()).length > 0, 'the counts are written')
    const rows = await counted()
    assert.ok(rows.length <= 11, 'a flood of different calls has few rows')
    assert.deepEqual(
      rows.reduce((sum, { after }) => sum + after.count, 0),
      28,
    )
    const { target, actor, after } = rows[0]
    assert.deepEqual([target, actor.user.id, after.count], ['GET /api/5/users', userId, 14])
    assert.equal(typeof after.code, 'string')
  })
})
