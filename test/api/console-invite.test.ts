import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { createOperator, resetOperator } from '../../src/control/index.ts'
import {
  askConsole,
  consoleCookieIn,
  consoleHost,
  operatorPassword,
  startConsole,
} from '../support/console.ts'
import { onBothStores, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { tokenIn } from '../support/pages.ts'

const password = 'a good and long password'

const show = (app: Pick<TestApp, 'send'>, token: string) => askConsole(app, { path: `invite/${token}` })

async function codeFor(app: TestApp, token: string): Promise<string> {
  const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec((await show(app, token)).text) ?? []
  return new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() })
}

const setUp = (app: Pick<TestApp, 'send'>, token: string, form: Record<string, string>, cookie?: string) =>
  askConsole(app, { method: 'POST', path: `invite/${token}`, form, ...(cookie && { cookie }) })

const environment = { SERVICE_CONSOLE_HOSTNAME: consoleHost }

onEachStore('the link of an operator', (store) => {
  test('is used up by a success only, and logs in with ten recovery codes that are shown once', async () => {
    await using app = await startTestApp({ store, environment })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'viewer' })
    const first = await show(app, token)
    const secretIn = (text: string) => /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text)?.[1]
    assert.equal(secretIn((await show(app, token)).text), secretIn(first.text), 'the same at each visit')
    const code = await codeFor(app, token)
    for (const [form, field] of [
      [{ password, code: '000000' }, 'code'],
      [{ password, code: '' }, 'code'],
      [{ password: 'short', code }, 'password'],
      [{ password: '', code }, 'password'],
      [{ password: 'password123', code }, 'password'],
      [{ password: 'x'.repeat(129), code }, 'password'],
      [{}, 'password'],
    ] as const) {
      const refused = await setUp(app, token, form as Record<string, string>)
      assert.equal(refused.status, 400, JSON.stringify(form))
      assert.equal(secretIn(refused.text), secretIn(first.text))
      assert.match(refused.text, new RegExp(`name="${field}"[^>]*aria-invalid="true"`), refused.text)
      assert.equal(refused.headers['set-cookie'], undefined)
    }
    const done = await setUp(app, token, { password, code })
    assert.deepEqual([done.status, done.headers['cache-control']], [200, 'no-store'])
    const codes = [...done.text.matchAll(/<li>((?:[a-z2-9]{4}-){3}[a-z2-9]{4})<\/li>/g)]
    assert.equal(codes.length, 10)
    const cookie = consoleCookieIn(done)
    assert.equal((await askConsole(app, { path: 'keys', cookie })).status, 200)
    assert.doesNotMatch(
      (await askConsole(app, { path: 'me', cookie })).text,
      new RegExp(codes[0]?.[1] ?? 'x'),
    )
    const used = await show(app, token)
    const again = await setUp(app, token, { password, code })
    const unknown = await show(app, 'x'.repeat(43))
    assert.deepEqual([used.status, again.status, unknown.status], [404, 404, 404])
    const textOf = (text: string) => text.replaceAll(/invite\/\w+/g, '')
    assert.equal(textOf(used.text), textOf(unknown.text), 'one answer')
  })

  test('ends after 24 hours', async () => {
    await using app = await startTestApp({ store, environment })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'operator' })
    app.wait(24 * 3_600 - 60)
    assert.equal((await show(app, token)).status, 200)
    const code = await codeFor(app, token)
    app.wait(61)
    assert.deepEqual(
      [(await show(app, token)).status, (await setUp(app, token, { password, code })).status],
      [404, 404],
    )
  })

  test('is ended by a newer one, and a reset takes everything else away at once', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const admin = await app.operator('operator')
    const older = await createOperator(app.app.control, { username: 'ada', role: 'viewer' })
    const newer = await resetOperator(app.app.control, { username: 'ada' })
    assert.deepEqual(
      [(await show(app, older.token)).status, (await show(app, newer.token)).status],
      [404, 200],
    )

    const half = await askConsole(app, {
      method: 'POST',
      path: 'login',
      form: { login: 'grace', password: operatorPassword },
    })
    assert.equal(half.status, 303)
    const [cookie = ''] = String(half.headers['set-cookie']).split(';')
    const [, id = ''] =
      /operators\/(\w{12})\/reset"[^>]*>(?:(?!<\/form>).)*: grace"/.exec(
        (await admin.get('operators')).text,
      ) ?? []
    assert.notEqual(id, '')
    const reset = await admin.post(`operators/${id}/reset`)
    assert.deepEqual([reset.status, reset.headers['cache-control']], [200, 'no-store'])
    const [, token = ''] = /\/_\/console\/invite\/(\w{43})/.exec(reset.text) ?? []
    assert.equal((await console.get('keys')).status, 302, 'its session')
    const form = { code: console.recoveryCodes[0] ?? '' }
    const code = await askConsole(app, { method: 'POST', path: 'login/code', cookie, form })
    assert.deepEqual(
      [code.status, code.headers.location],
      [303, '/_/console/login'],
      'a log-in that was half done',
    )
    const again = await askConsole(app, {
      method: 'POST',
      path: 'login',
      form: { login: 'grace', password: operatorPassword },
    })
    assert.equal(again.status, 401, 'its password')
    const done = await setUp(app, token, { password, code: await codeFor(app, token) })
    assert.equal(done.status, 200, done.text)
    const db = app.app.control.store.control
    const codes = await db
      .selectFrom('operatorRecoveryCode')
      .select('operatorId')
      .where('operatorId', '=', id)
      .execute()
    assert.equal(codes.length, 10, 'only those of the new set-up')
  })

  test('opens the account for whoever is logged in as another, whose session in that browser ends', async () => {
    await using app = await startConsole({ store })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'viewer' })
    const code = await codeFor(app, token)
    const done = await setUp(app, token, { password, code }, app.console.cookie)
    assert.equal(done.status, 200, done.text)
    const me = await askConsole(app, { path: 'me', cookie: consoleCookieIn(done) })
    assert.match(me.text, /<span dir="auto">ada<\/span>/)
    assert.ok(tokenIn(me))
    assert.equal((await app.console.get('me')).status, 302)
  })

  test('is no way in on other hosts, from other origins or for deleted operators', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'viewer' })
    const code = await codeFor(app, token)
    const path = `invite/${token}`
    assert.equal((await askConsole(app, { path, headers: { host: 'cats.test' } })).status, 404)
    const form = { password, code }
    const foreign = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await askConsole(app, { method: 'POST', path, form, headers: foreign })).status, 403)
    const [, id = ''] =
      /operators\/(\w{12})\/delete"[^>]*>(?:(?!<\/form>).)*: ada"/.exec(
        (await app.console.get('operators')).text,
      ) ?? []
    assert.equal((await app.console.post(`operators/${id}/delete`)).status, 303)
    assert.deepEqual([(await show(app, token)).status, (await setUp(app, token, form)).status], [404, 404])
  })
})

onBothStores('a link that is used on two servers at once', (store) => {
  test('sets up one account, for one of them', async () => {
    await using app = await startTestApp({ store, environment })
    await using beside = await startTestApp({ beside: app })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'operator' })
    const code = await codeFor(app, token)
    const answers = await Promise.all(
      [app, beside, app, beside].map((server, index) =>
        setUp(server, token, { password: `${password} ${index}`, code }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404])
    const winner = answers.findIndex(({ status }) => status === 200)
    const logIn = (index: number) =>
      askConsole(beside, {
        method: 'POST',
        path: 'login',
        form: { login: 'ada', password: `${password} ${index}` },
      })
    assert.deepEqual([(await logIn(winner)).status, (await logIn((winner + 1) % 4)).status], [303, 401])
    const db = app.app.control.store.control
    const sessions = await db.selectFrom('operatorSession').select('id').execute()
    assert.equal(sessions.length, 1)
  })
})
