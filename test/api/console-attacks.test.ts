import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import {
  askConsole,
  consoleAddress,
  consoleCookieIn,
  consoleHost,
  operatorPassword,
  setUpOperator,
  type TestConsole,
} from '../support/console.ts'
import { addressOf, ownAccount, routesOf, rowsOf, startConsoleWorld } from '../support/console-routes.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { onBothStores, onEachStore, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'
import { stepCookieIn } from '../support/pages.ts'

async function idOf({ app }: TestConsole, username: string): Promise<string> {
  const { id } = await app.control.store.control
    .selectFrom('operator')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  return id
}

/** The log has rows of the attempts themselves; nothing else may change. */
async function changesOf(app: TestConsole) {
  const { controlAudit, controlAuditHead, operatorTry, ...rows } = await rowsOf(app)
  return rows
}

onEachStore('an operator who', (store) => {
  test('has become a viewer, or is deleted, changes nothing by any form that is still open', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const mallory = await app.operator('operator', 'mallory')
    const id = await idOf(app, 'mallory')
    const forms = routesOf('POST').filter(({ path, isForGuests }) => !isForGuests && path !== 'logout')
    assert.equal((await app.console.post(`operators/${id}/role`, { role: 'viewer' })).status, 303)
    const asViewer = await changesOf(app)
    for (const route of forms.filter(({ path }) => !ownAccount.test(path)))
      assert.equal((await mallory.post(addressOf(world, route))).status, 403, route.path)
    assert.deepEqual(await changesOf(app), asViewer)

    assert.equal((await app.console.post(`operators/${id}/delete`)).status, 303)
    const afterwards = await changesOf(app)
    for (const route of forms) {
      const { status, headers } = await askConsole(app, {
        method: 'POST',
        path: addressOf(world, route),
        cookie: mallory.cookie,
        form: { csrf: mallory.csrf },
      })
      assert.ok([302, 403].includes(status), `${route.path}: ${status}`)
      assert.ok(status === 403 || String(headers.location).includes('/login?to='), route.path)
    }
    assert.deepEqual(await changesOf(app), afterwards)
  })

  test('gave the last proof ten minutes ago does nothing that needs one', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const forms = routesOf('POST').filter(({ proof }) => proof !== undefined)
    assert.ok(forms.length > 10)
    app.wait(601)
    const before = await changesOf(app)
    for (const route of forms) {
      const { status, headers } = await app.console.post(addressOf(world, route), { drop_tables: '1' })
      if (route.isForScript) assert.equal(status, 403, route.path)
      else assert.deepEqual([status, /prove\?to=/.test(String(headers.location))], [303, true], route.path)
    }
    assert.deepEqual(await changesOf(app), before)
  })

  test('only looks changes nothing, and no cache keeps any answer', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const before = await changesOf(app)
    for (const route of routesOf('GET')) {
      const path = addressOf(world, route)
      for (const cookie of [app.console.cookie, undefined])
        for (const answer of [
          await askConsole(app, { path, ...(cookie !== undefined && { cookie }) }),
          await askConsole(app, { path: `${path}/none`, ...(cookie !== undefined && { cookie }) }),
        ]) {
          assert.ok(answer.status < 500, path)
          assert.match(answer.headers['cache-control'] ?? '', /no-store/, `${path}: ${answer.status}`)
          assert.equal(answer.headers['access-control-allow-origin'], undefined, path)
        }
    }
    for (const route of routesOf('POST')) {
      const { status, headers } = await app.console.get(addressOf(world, route))
      assert.match(headers['cache-control'] ?? '', /no-store/, `GET ${route.path}: ${status}`)
    }
    assert.deepEqual(await changesOf(app), before)
  })
})

onBothStores('of two servers', (store) => {
  test('one takes a code, or a recovery code, that both get at once', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    await using beside = await startTestApp({ beside: app })
    const { username, totpSecret, recoveryCodes } = app.console
    const servers: readonly TestApp[] = [app, beside, app, beside]
    // To the beginning of the next step but one, whose code nobody has used.
    const rest = 60 - ((app.app.control.clock.now().getTime() / 1_000) % 30)
    for (const server of [app, beside]) server.wait(rest)
    const totp = new TOTP({ secret: totpSecret })
    const code = totp.generate({ timestamp: app.app.control.clock.now().getTime() })
    for (const given of [code, recoveryCodes[0] ?? '']) {
      const halves = await Promise.all(
        servers.map(async (server) => {
          const form = { login: username, password: operatorPassword }
          const answer = await askConsole(server, { method: 'POST', path: 'login', form })
          return stepCookieIn(answer, 'terrace-console-login')
        }),
      )
      const answers = await Promise.all(
        servers.map((server, at) =>
          askConsole(server, {
            method: 'POST',
            path: 'login/code',
            cookie: halves[at] ?? '',
            form: { code: given },
          }),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 401, 401, 401])
    }
  })
})

test('a log-in gives another token than any that was planted before, and leads nowhere but to the console', async () => {
  const world = await startConsoleWorld({})
  await using app = world.app
  const planted = 'A'.repeat(43)
  const ada = await setUpOperator(app, { role: 'operator', username: 'ada' })
  let step = 0
  for (const to of [
    '//evil.test',
    'https://evil.test/_/console',
    '/\\evil.test',
    '/_/console/../../evil',
    '/_/console@evil.test',
    '/_/console/%2e%2e/%2e%2e/',
    '\t//evil.test',
    '/_/console/-/find?q=x',
    'javascript:alert(1)',
  ]) {
    step += 1
    app.wait(step === 1 ? 60 : 31)
    const form = { login: 'ada', password: operatorPassword, to }
    const cookie = `terrace-console=${planted}; terrace-console=${ada.cookie.split('=')[1]}`
    const half = await askConsole(app, { method: 'POST', path: 'login', form, cookie })
    const code = new TOTP({ secret: ada.totpSecret }).generate({
      timestamp: app.app.control.clock.now().getTime(),
    })
    const both = `${cookie}; ${stepCookieIn(half, 'terrace-console-login')}`
    const done = await askConsole(app, { method: 'POST', path: 'login/code', cookie: both, form: { code } })
    assert.equal(done.status, 303, `${to} ${done.text}`)
    assert.match(String(done.headers.location), /^\/_\/console(?:\/(?!-|\.|%2e)|\?|$)/, to)
    const token = consoleCookieIn(done)
    assert.ok(!token.includes(planted) && token !== ada.cookie)
  }
  assert.equal((await askConsole(app, { path: 'me', cookie: `terrace-console=${planted}` })).status, 302)
  assert.equal((await ada.get('me')).status, 302, 'the session that the browser had before has ended')
})

test('no other name of the host, in whatever header, opens the console or is in its links', async () => {
  const world = await startConsoleWorld({})
  await using app = world.app
  const { cookie } = app.console
  for (const host of [
    'cats.test',
    `${consoleHost}.evil.test`,
    `evil.test#${consoleHost}`,
    `evil.test@${consoleHost}`,
    `${consoleHost}@evil.test`,
    `x.${consoleHost}`,
    `${consoleHost}, evil.test`,
    '127.0.0.1',
    'localhost',
    '',
  ]) {
    const { status, text } = await app.send('GET', consoleAddress('keys'), { headers: { host, cookie } })
    assert.ok([400, 404].includes(status), `${host}: ${status}`)
    assert.ok(!text.includes('console-rail'), host)
  }
  for (const headers of [
    { 'x-forwarded-host': consoleHost },
    { forwarded: `host=${consoleHost}` },
    { 'x-original-host': consoleHost, 'x-host': consoleHost },
    { 'x-original-url': consoleAddress('keys'), 'x-rewrite-url': consoleAddress('keys') },
  ]) {
    const sent = { host: 'cats.test', cookie, ...headers }
    assert.equal((await app.send('GET', consoleAddress('keys'), { headers: sent })).status, 404)
  }
  const lines = (head: string) => `${head}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`
  for (const head of [
    `GET ${consoleAddress('keys')} HTTP/1.1\r\nHost: ${consoleHost}\r\nHost: cats.test`,
    `GET http://cats.test${consoleAddress('keys')} HTTP/1.1\r\nHost: ${consoleHost}`,
    `GET ${consoleAddress('keys')} HTTP/1.1`,
  ])
    assert.doesNotMatch(await sendRaw(app.port, lines(head)), /console-rail|HTTP\/1.1 200/, head)
  const invited = await app.console.post(
    'operators',
    { username: 'eve', role: 'viewer' },
    {
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'javascript',
    },
  )
  assert.equal(invited.status, 200)
  assert.ok(!invited.text.includes('evil.test'))
  assert.match(invited.text, new RegExp(`value="http://${consoleHost}:`))
})

test('texts that a tenant, a value or a browser brings are text on pages, and no formula in tables', async () => {
  const world = await startConsoleWorld({})
  await using app = world.app
  const formula = '=HYPERLINK("http://evil.test")'
  for (const text of markupStrings.filter((each) => /[<>"]/.test(each) && !/[\r\n\0]/.test(each))) {
    const headers = { 'user-agent': formula }
    const saved = await app.console.post(
      'tenants/cats/values',
      { name: 'MY_TEXT', in: 'env', value: text },
      headers,
    )
    assert.equal(saved.status, 303, text)
    const revealed = await app.console.post('tenants/cats/values/reveal')
    assert.equal(revealed.status, 200)
    assert.ok(!revealed.text.includes(text) && revealed.text.includes('MY_'), text)
    const preview = await app.console.post('plans/small', { name: 'MY_TEXT', in: 'env', value: text })
    assert.ok(!preview.text.includes(text), text)
  }
  const { text } = await app.console.get('audit.csv')
  assert.match(text, /"'=HYPERLINK\(""http:\/\/evil\.test""\)"/)
  assert.doesNotMatch(text, /(?:^|,)"?=HYPERLINK/m)
})
