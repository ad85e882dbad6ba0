import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { resetOperator } from '../../src/control/index.ts'
import {
  askConsole,
  type ConsoleClient,
  consoleCookieIn,
  type FormFields,
  operatorPassword,
  startConsole,
  type TestConsole,
} from '../support/console.ts'
import { type Answer, onEachStore } from '../support/harness.ts'
import { stepCookieIn, tokenIn } from '../support/pages.ts'

const keptIn = (answer: Answer) => stepCookieIn(answer, 'terrace-console-form')

const notice = /Nothing was changed, because you had to log in or confirm it’s you first/

const hasEnded = ({ headers }: Answer) =>
  (headers['set-cookie'] ?? []).some((each) => /^terrace-console-form=; Max-Age=0/.test(each))

/** What a field of the page holds. */
const valueIn = ({ text }: Answer, name: string) =>
  new RegExp(`<input[^>]* name="${name}" (?:[^>]* )?value="([^"]*)"`).exec(text)?.[1]

/** Long enough that every session of the app has ended. */
const endSessions = (app: TestConsole) => app.wait(31 * 60)

/** The cookie of a new session of the operator. */
async function logInAgain(app: TestConsole, { username, totpSecret }: ConsoleClient): Promise<string> {
  const login = { login: username, password: operatorPassword }
  const half = await askConsole(app, { method: 'POST', path: 'login', form: login })
  const cookie = stepCookieIn(half, 'terrace-console-login')
  const now = app.app.control.clock.now().getTime()
  const code = new TOTP({ secret: totpSecret }).generate({ timestamp: now })
  const done = await askConsole(app, { method: 'POST', path: 'login/code', cookie, form: { code } })
  assert.equal(done.status, 303, done.text)
  return consoleCookieIn(done)
}

/** Sends a form after the session has ended; returns the cookie that keeps it. */
async function sendTooLate(app: TestConsole, path: string, fields: FormFields, page: string) {
  const sent = await app.console.post(path, fields)
  assert.deepEqual(
    [sent.status, sent.headers.location],
    [302, `/_/console/login?to=${encodeURIComponent(`/_/console/${page}`)}`],
  )
  return keptIn(sent)
}

onEachStore('a form of the console', (store) => {
  test('that was sent after the end of its session is filled in after the log-in, once, for its operator', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const other = await app.operator('operator')
    endSessions(app)
    const path = 'tenants/cats/values'
    const typed = { name: 'SERVICE_MAX_FILES', in: 'env', value: 'a "canary" 7f3a' }
    const kept = await sendTooLate(app, path, typed, path)
    assert.ok(!Buffer.from(kept.split('=')[1] ?? '', 'base64url').includes('canary'), 'It is sealed.')
    const [own, others] = [await logInAgain(app, app.console), await logInAgain(app, other)]
    const get = (cookie: string, page = path) => askConsole(app, { path: page, cookie })
    for (const [cookie, page] of [
      [own, path],
      [`${others}; ${kept}`, path],
      [`${own}; ${kept}`, 'tenants/cats'],
      [`${own}; ${kept}x`, path],
      [`${own}; terrace-console-form=AAAA`, path],
    ] as const) {
      const { status, text } = await get(cookie, page)
      assert.equal(status, 200, page)
      assert.doesNotMatch(text, /canary|Nothing was changed/, cookie)
    }
    const shown = await get(`${own}; ${kept}`)
    assert.match(shown.text, notice)
    assert.equal(valueIn(shown, 'value'), 'a &quot;canary&quot; 7f3a')
    assert.equal(valueIn(shown, 'name'), 'SERVICE_MAX_FILES')
    assert.match(shown.text, /<option value="env" selected>/)
    assert.ok(hasEnded(shown))
    app.wait(10 * 60)
    assert.doesNotMatch((await get(`${own}; ${kept}`)).text, /canary|Nothing was changed/)
  })

  test('keeps its version, so that a change of another meanwhile is not overwritten unseen', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const before = await app.console.get('tenants/cats')
    endSessions(app)
    const typed = { hostname: 'felines.test', plan_id: '', updated_at: valueIn(before, 'updated_at') ?? '' }
    const kept = await sendTooLate(app, 'tenants/cats', typed, 'tenants/cats')
    await app.call('PATCH', 'tenants/cats', { hostname: 'tigers.test' })
    const cookie = await logInAgain(app, app.console)
    const shown = await askConsole(app, { path: 'tenants/cats', cookie: `${cookie}; ${kept}` })
    assert.deepEqual(
      [valueIn(shown, 'hostname'), valueIn(shown, 'updated_at')],
      ['felines.test', typed.updated_at],
    )
    const again = { ...typed, csrf: tokenIn(shown) }
    const saved = await askConsole(app, { method: 'POST', path: 'tenants/cats', cookie, form: again })
    assert.equal(saved.status, 409)
    assert.match(saved.text, /tigers\.test/)
  })

  test('gives no password, no typed confirmation and no too long text back, but says that nothing was changed', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    endSessions(app)
    const account = { username: 'ada', email: 'ada@example.test', password: 'canary password' }
    const fields = { id: 'dogs', hostname: 'dogs.test', plan_id: '', ...account }
    const forms = {
      made: await sendTooLate(app, 'tenants', fields, 'tenants/new'),
      deleted: await sendTooLate(
        app,
        'tenants/cats/delete',
        { confirm: 'cats', drop_tables: '1' },
        'tenants/cats/delete',
      ),
      long: await sendTooLate(
        app,
        'tenants/cats/values',
        { name: 'A', in: 'limits', value: 'x'.repeat(2_000) },
        'tenants/cats/values',
      ),
      disabled: await sendTooLate(app, 'tenants/cats/disable', {}, 'tenants/cats'),
    }
    const cookie = await logInAgain(app, app.console)
    const open = async (path: string, kept: string) => {
      const page = await askConsole(app, { path, cookie: `${cookie}; ${kept}` })
      assert.match(page.text, notice, path)
      return page
    }
    const made = await open('tenants/new', forms.made)
    assert.deepEqual(
      ['id', 'hostname', 'username', 'email'].map((name) => valueIn(made, name)),
      ['dogs', 'dogs.test', 'ada', 'ada@example.test'],
    )
    assert.ok(!made.text.includes('canary'))
    assert.doesNotMatch(made.text, /name="is_enabled"[^>]* checked/)
    const deleted = await open('tenants/cats/delete', forms.deleted)
    assert.equal(valueIn(deleted, 'confirm'), '')
    assert.match(deleted.text, /value="1"[^>]* checked/)
    assert.ok(!(await open('tenants/cats/values', forms.long)).text.includes('xxxx'))
    const tenant = await open('tenants/cats', forms.disabled)
    assert.equal(valueIn(tenant, 'hostname'), 'cats.test', 'what was not sent is as it is')
    assert.equal((await app.call('GET', 'tenants/cats')).json.is_enabled, true)
  })

  test('that was sent without a proof is filled in behind it', async () => {
    await using app = await startConsole({ store })
    app.wait(11 * 60)
    const sent = await app.console.post('keys', { name: 'billing', expires_at: '2099-01-31' })
    assert.deepEqual([sent.status, sent.headers.location], [303, '/_/console/prove?to=%2F_%2Fconsole%2Fkeys'])
    await app.console.post('prove', { password: operatorPassword, to: '/_/console/keys' })
    const page = await askConsole(app, { path: 'keys', cookie: `${app.console.cookie}; ${keptIn(sent)}` })
    assert.match(page.text, notice)
    assert.deepEqual([valueIn(page, 'name'), valueIn(page, 'expires_at')], ['billing', '2099-01-31'])
    assert.ok(hasEnded(page))
  })

  test('of the second step shows the secret again that was scanned before the proof', async () => {
    await using app = await startConsole({ store })
    const scanned = await app.console.get('me/totp')
    app.wait(10 * 60 + 1)
    const sent = await app.console.post('me/totp', { setup: valueIn(scanned, 'setup') ?? '', code: '123456' })
    assert.equal(sent.status, 303)
    await app.console.post('prove', { password: operatorPassword })
    const page = await askConsole(app, { path: 'me/totp', cookie: `${app.console.cookie}; ${keptIn(sent)}` })
    const secretIn = ({ text }: Answer) => /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text)?.[1]
    assert.equal(secretIn(page), secretIn(scanned))
  })

  test('is nobody’s after a log-out or a reset, and a guest’s', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const other = await app.operator('operator')
    const { cookie, csrf } = app.console
    await app.console.post('logout')
    await resetOperator(app.app.control, { username: other.username })
    for (const sent of [
      await askConsole(app, { method: 'POST', path: 'plans', cookie, form: { csrf, id: 'small' } }),
      await other.post('plans', { id: 'small' }),
      await askConsole(app, { method: 'POST', path: 'plans', form: { id: 'small' } }),
    ])
      assert.deepEqual([sent.status, sent.headers['set-cookie']], [302, undefined])
  })
})
