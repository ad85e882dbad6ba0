import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import {
  askConsole,
  type ConsoleClient,
  consoleCookieIn,
  operatorPassword,
  startConsole,
  type TestConsole,
} from '../support/console.ts'
import { type Answer, onBothStores, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { stepCookieIn } from '../support/pages.ts'

const rightOf = ({ username }: ConsoleClient) => ({ login: username, password: operatorPassword })

const from = (address: string) => ({ 'x-forwarded-for': address })

const behindProxy = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }

const sendPassword = (
  app: Pick<TestApp, 'send'>,
  form: { login: string; password: string; to?: string },
  headers?: Record<string, string>,
) => askConsole(app, { method: 'POST', path: 'login', form, headers })

async function halfWay(
  app: Pick<TestApp, 'send'>,
  form: { login: string; password: string; to?: string },
  headers = {},
) {
  const answer = await sendPassword(app, form, headers)
  assert.deepEqual([answer.status, answer.headers.location], [303, '/_/console/login/code'], answer.text)
  assert.ok(!String(answer.headers['set-cookie']).includes('terrace-console='), 'no session yet')
  return stepCookieIn(answer, 'terrace-console-login')
}

const sendCode = (
  app: Pick<TestApp, 'send'>,
  cookie: string,
  code: string,
  headers?: Record<string, string>,
) => askConsole(app, { method: 'POST', path: 'login/code', cookie, form: { code }, headers })

const codeOf = (app: TestApp, { totpSecret }: ConsoleClient, steps = 0): string =>
  new TOTP({ secret: totpSecret }).generate({
    timestamp: app.app.control.clock.now().getTime() + steps * 30_000,
  })

/** To the beginning of a time step, so that a test ends before the step does. */
const toNextStep = (app: TestApp, steps = 1) =>
  app.wait(30 * steps - ((app.app.control.clock.now().getTime() / 1_000) % 30))

/** What a stranger could compare: the page without what was typed. */
const seenIn = ({ status, headers, text }: Answer) => ({
  status,
  type: headers['content-type'],
  cookies: headers['set-cookie'],
  text: text.replaceAll(/value="[^"]*"/g, ''),
})

const isIn = async (app: TestApp, answer: Answer) =>
  (await askConsole(app, { path: 'keys', cookie: consoleCookieIn(answer) })).status === 200

onEachStore('the log-in to the console', (store) => {
  test('takes a password and a code, and leads to the page that was asked for', async () => {
    await using app = await startConsole({ store })
    toNextStep(app)
    const asked = await askConsole(app, { path: 'operators?x=1' })
    const to = new URL(asked.headers.location ?? '', 'http://x').searchParams.get('to') ?? ''
    assert.equal(to, '/_/console/operators?x=1')
    const form = await askConsole(app, { path: `login?to=${encodeURIComponent(to)}` })
    assert.match(form.text, /name="to" value="\/_\/console\/operators\?x=1"/)
    const cookie = await halfWay(app, { ...rightOf(app.console), login: 'GRACE', to })
    assert.equal((await askConsole(app, { path: 'keys', cookie })).status, 302)
    assert.equal((await askConsole(app, { path: 'login/code', cookie })).status, 200)
    const done = await sendCode(app, cookie, codeOf(app, app.console))
    assert.deepEqual([done.status, done.headers.location], [303, to])
    assert.ok(await isIn(app, done))
    for (const evil of [
      'https://evil.test/',
      '//evil.test',
      '/login',
      '/_/consolex',
      '/\\evil.test',
      'keys',
      // What scripts ask for is no page.
      '/_/console/-/work/AAAAAAAAAAAA',
      '/_/console/-/find?q=cats',
    ]) {
      const page = await askConsole(app, { path: `login?to=${encodeURIComponent(evil)}` })
      assert.match(page.text, /name="to" value="\/_\/console"/, evil)
    }
  })

  test('says the same of everything that is wrong', async () => {
    await using app = await startConsole({ store, environment: behindProxy })
    await app.console.post('operators', { username: 'fresh', role: 'operator' })
    const { console } = app
    let network = 0
    const refused = async (login: string, password: string) => {
      network += 1
      return seenIn(await sendPassword(app, { login, password }, from(`192.0.2.${network}`)))
    }
    const wrong = await refused('grace', 'wrong')
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /class="fault"|aria-invalid/)
    for (const [login, password] of [
      ['nobody', operatorPassword],
      ['fresh', ''],
      ['fresh', operatorPassword],
      ['grace', ''],
      ['x'.repeat(5_000), 'y'.repeat(5_000)],
      ["' or 1=1 --", 'x'],
    ] as const)
      assert.deepEqual(await refused(login, password), wrong, login.slice(0, 20))
    assert.equal((await console.get('keys')).status, 200)
  })

  test('never takes a password without a second factor', async () => {
    await using app = await startConsole({ store })
    const { control } = app.app
    await inTransaction(control.store.control, (db) =>
      db.updateTable('operator').set({ sealedTotp: null }).execute(),
    )
    const answer = await sendPassword(app, rightOf(app.console))
    assert.equal(answer.status, 401)
    assert.equal(answer.headers['set-cookie'], undefined)
  })

  test('takes a code once, of one step before or after, and no older one than it has taken', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    toNextStep(app, 2)
    const cookie = await halfWay(app, rightOf(console))
    const status = async (steps: number) => (await sendCode(app, cookie, codeOf(app, console, steps))).status
    assert.equal(await status(-2), 401, 'two steps ago')
    assert.equal(await status(2), 401, 'two steps ahead')
    assert.equal(await status(0), 303)
    assert.equal(await status(0), 401, 'taken already')
    assert.equal(await status(-1), 401, 'older than one that was taken')
    assert.equal(await status(1), 303, 'one step ahead')
    app.wait(90)
    assert.equal(await status(-1), 303, 'one step ago')
    for (const code of ['', '000000', '12345', '١٢٣٤٥٦', 'x'.repeat(10_000)])
      assert.equal((await sendCode(app, cookie, code)).status, 401, code.slice(0, 20))
  })

  test('takes each of ten recovery codes once', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    assert.equal(new Set(console.recoveryCodes).size, 10)
    const [first = '', second = ''] = console.recoveryCodes
    const cookie = await halfWay(app, rightOf(console))
    const done = await sendCode(app, cookie, ` ${first.toUpperCase().replaceAll('-', ' ')}`)
    assert.equal(done.status, 303)
    assert.ok(await isIn(app, done))
    assert.equal((await sendCode(app, cookie, first)).status, 401)
    assert.match((await console.get('me')).text, /Recovery codes left: 9/)
    const both = await Promise.all([sendCode(app, cookie, second), sendCode(app, cookie, second)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 401])
    const other = await app.operator('operator')
    const of = await halfWay(app, rightOf(other))
    assert.equal((await sendCode(app, of, console.recoveryCodes[2] ?? '')).status, 401, "another's code")
  })

  test('that is half done ends after ten minutes, with a new password, and is bound to its account', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const ended = async (cookie: string) => {
      toNextStep(app)
      const { status, headers } = await sendCode(app, cookie, codeOf(app, console))
      assert.deepEqual([status, headers.location], [303, '/_/console/login'])
    }
    const old = await halfWay(app, rightOf(console))
    await ended(`${old.slice(0, -9)}${old.at(-9) === 'A' ? 'B' : 'A'}${old.slice(-8)}`)
    await ended('terrace-console-login=%00')
    await ended('')
    app.wait(600)
    await ended(old)
    const before = await halfWay(app, rightOf(console))
    await console.post('prove', { password: operatorPassword })
    const changed = await console.post('me/password', {
      current: operatorPassword,
      password: 'another long one of hers',
    })
    assert.equal(changed.headers.location, '/_/console/me?saved=1', changed.text)
    await ended(before)
  })

  test('ends the session that the browser had, of whomever it was', async () => {
    await using app = await startConsole({ store })
    const other = await app.operator('viewer')
    const half = await halfWay(app, rightOf(app.console))
    toNextStep(app)
    const code = codeOf(app, app.console)
    const done = await sendCode(app, `${half}; ${other.cookie}`, code)
    assert.equal(done.status, 303)
    assert.equal((await other.get('keys')).status, 302)
    assert.equal((await app.console.get('keys')).status, 200, 'a session in another browser goes on')
  })
})

onBothStores('wrong tries', (store) => {
  test('of a network, passwords and codes alike, refuse ten minutes of log-ins from its /64', async () => {
    await using app = await startConsole({ store, environment: behindProxy })
    const { console } = app
    const other = await app.operator('viewer')
    toNextStep(app)
    const near = (index: number) => from(`2001:db8:0:7::${index}`)
    const cookie = await halfWay(app, rightOf(console), near(1))
    for (let tries = 0; tries < 5; tries += 1) {
      const login = ['grace', 'nobody', other.username][tries % 3] ?? ''
      assert.equal((await sendPassword(app, { login, password: 'wrong' }, near(tries))).status, 401)
      assert.equal((await sendCode(app, cookie, '000000', near(tries + 10))).status, 401)
    }
    for (const client of [console, other]) {
      const refused = await sendPassword(app, rightOf(client), near(99))
      assert.equal(refused.status, 429)
      const seconds = Number(refused.headers['retry-after'])
      assert.ok(seconds > 590 && seconds <= 600, String(seconds))
      assert.match(refused.text, /Try again in 10 minutes/)
    }
    assert.equal((await sendCode(app, cookie, codeOf(app, console), near(99))).status, 429)
    assert.equal((await console.get('keys', near(99))).status, 200, 'a running session goes on')
    const proven = await console.post('prove', { password: operatorPassword }, near(99))
    assert.equal(proven.status, 303, 'and its proof')
    await using beside = await startTestApp({ beside: app, environment: behindProxy })
    assert.equal((await sendPassword(beside, rightOf(console), near(5))).status, 429, 'on every server')
    await halfWay(app, rightOf(console), from('2001:db8:0:8::1'))
    app.wait(550)
    assert.match((await sendPassword(app, rightOf(console), near(5))).text, /Try again in 1 minute, or/)
    app.wait(50)
    await halfWay(app, rightOf(console), near(1))
  })

  test('of an account from all networks refuse an hour of its log-ins, and no other account', async () => {
    await using app = await startConsole({ store, environment: behindProxy })
    const { console } = app
    const other = await app.operator('viewer')
    toNextStep(app)
    const cookie = await halfWay(app, rightOf(console), from('192.0.2.250'))
    for (let tries = 0; tries < 10; tries += 1) {
      const headers = from(`192.0.2.${tries}`)
      assert.equal((await sendPassword(app, { login: 'GRACE', password: 'wrong' }, headers)).status, 401)
      assert.equal((await sendCode(app, cookie, '000000', headers)).status, 401)
    }
    const right = await sendPassword(app, rightOf(console), from('192.0.2.200'))
    assert.equal(right.status, 429)
    assert.ok(Number(right.headers['retry-after']) > 3_500, String(right.headers['retry-after']))
    assert.equal((await sendCode(app, cookie, codeOf(app, console), from('192.0.2.200'))).status, 429)
    await halfWay(app, rightOf(other), from('192.0.2.200'))
    app.wait(1_500)
    assert.equal((await console.get('keys')).status, 200)
    app.wait(2_101)
    await halfWay(app, rightOf(console), from('192.0.2.200'))
  })

  test('of a name that nobody has count as those of an account', async () => {
    await using app = await startConsole({ store, environment: behindProxy })
    for (let tries = 0; tries < 20; tries += 1) {
      const login = tries % 2 === 0 ? 'Nobody' : 'nobody'
      const { status } = await sendPassword(app, { login, password: 'x' }, from(`192.0.2.${tries}`))
      assert.equal(status, 401)
    }
    const { status } = await sendPassword(app, { login: 'nobody', password: 'x' }, from('192.0.2.99'))
    assert.equal(status, 429)
  })

  test('at once are not more than one after the other', async () => {
    await using app = await startConsole({ store })
    const form = { login: 'grace', password: 'wrong' }
    const answers = await Promise.all(Array.from({ length: 40 }, () => sendPassword(app, form)))
    const wrong = answers.filter(({ status }) => status === 401).length
    assert.ok(wrong <= 10, String(wrong))
    assert.equal(answers.filter(({ status }) => status === 429).length, 40 - wrong)
  })

  test('of a session at the proof count for that session alone', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    app.wait(601)
    const prove = async (password: string, client = console) =>
      (await client.post('prove', { password, to: '/_/console/keys' })).status
    for (let tries = 0; tries < 20; tries += 1) assert.equal(await prove('wrong'), 400)
    assert.equal(await prove(operatorPassword), 429)
    assert.equal((await console.get('keys')).status, 200)
    await halfWay(app, rightOf(console))
  })
})

onEachStore('the audit log of the installation', (store) => {
  test('has log-ins with their factors, failures without what was typed, and log-outs', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    toNextStep(app)
    await sendPassword(app, { login: 'canary-of-a-name', password: 'canary-of-a-password' })
    await sendPassword(app, { login: 'grace', password: 'canary-of-a-password' })
    const cookie = await halfWay(app, rightOf(console))
    await sendCode(app, cookie, '000000')
    await sendCode(app, cookie, console.recoveryCodes[0] ?? '')
    await console.post('logout')
    const rows = await logOf(app)
    const { id = '' } =
      (await app.app.control.store.control.selectFrom('operator').select('id').executeTakeFirst()) ?? {}
    assert.deepEqual(
      rows.slice(-5).map(({ verb, target }) => [verb, verb === 'session.failed' ? target : '']),
      [
        ['session.failed', ''],
        ['session.failed', id],
        ['session.failed', id],
        ['session.created', ''],
        ['session.ended', ''],
      ],
    )
    assert.match(rows.at(-2)?.after ?? '', /"method":"password","factor":"recovery-code"/)
    assert.deepEqual([rows.at(-1)?.actor, rows.at(-1)?.actorName], ['operator', 'grace'])
    assert.doesNotMatch(JSON.stringify(rows), /canary/)
    for (const code of console.recoveryCodes) assert.ok(!JSON.stringify(rows).includes(code))
  })
})

const logOf = ({ app }: TestConsole) =>
  app.control.store.control.selectFrom('controlAudit').selectAll().orderBy('sequence').execute()
