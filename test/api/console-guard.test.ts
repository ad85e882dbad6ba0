import assert from 'node:assert/strict'
import { test } from 'vitest'
import { consoleRoutes } from '../../src/console/page-list.ts'
import { askConsole, consoleAddress, consoleCookieIn, consoleHost, startConsole } from '../support/console.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'

const titleOf = ({ text }: Answer) => /<h1[^>]*>([^<]*)</.exec(text)?.[1]

const keysOf = async ({ app }: TestApp) =>
  (await app.control.store.control.selectFrom('controlKey').select('id').execute()).length

onEachStore('a request to the console', (store) => {
  test('is refused by the first check that it fails, in their order', async () => {
    await using app = await startConsole({ store, environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
    await app.tenant('cats')
    const viewer = await app.operator('viewer')
    const count = await keysOf(app)
    const bad = {
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/json',
      'x-csrf-token': 'wrong',
    }
    const send = (client: typeof viewer | undefined, headers: Record<string, string>, path = 'keys') =>
      app.send('POST', consoleAddress(path), {
        bytes: 'a'.repeat(600_000),
        headers: { host: consoleHost, ...bad, ...(client && { cookie: client.cookie }), ...headers },
      })
    app.wait(601)

    for (const host of ['cats.test', 'localhost', 'nobody.test', `sub.${consoleHost}`]) {
      const elsewhere = await send(undefined, { host })
      assert.equal(elsewhere.status, 404, host)
      assert.doesNotMatch(elsewhere.text, /viewer|log in to the console/i)
    }
    assert.equal((await send(undefined, {}, 'nothing')).status, 404)
    const method = await app.send('DELETE', consoleAddress('keys'), {
      headers: { host: consoleHost, ...bad },
    })
    assert.deepEqual([method.status, method.headers.allow], [405, 'GET, HEAD, OPTIONS, POST'])
    assert.equal((await send(undefined, {}, 'me')).status, 405)

    assert.equal((await send(undefined, {})).status, 403, 'from elsewhere')
    const here = { 'sec-fetch-site': 'same-origin' }
    const guest = await send(undefined, here)
    assert.deepEqual(
      [guest.status, guest.headers.location],
      [302, '/_/console/login?to=%2F_%2Fconsole%2Fkeys'],
    )
    const seen = await send(viewer, here)
    assert.deepEqual(
      [seen.status, seen.json.error.message],
      [403, 'A viewer can see everything and change nothing.'],
    )
    const { console } = app
    const outdated = await send(console, here)
    assert.equal(outdated.status, 403)
    assert.match(outdated.json.error.message, /^This form belongs to a session that has ended/)
    const withToken = { ...here, 'x-csrf-token': console.csrf }
    const unproven = await send(console, withToken)
    assert.deepEqual(
      [unproven.status, unproven.headers.location],
      [303, '/_/console/prove?to=%2F_%2Fconsole%2Fkeys'],
    )
    const proven = await console.post('prove', {
      password: 'a long password of an operator',
      to: '/_/console/keys',
    })
    assert.deepEqual([proven.status, proven.headers.location], [303, '/_/console/keys'])
    assert.equal((await send(console, withToken)).status, 413)
    const typed = (bytes: string, type: string) =>
      app.send('POST', consoleAddress('keys'), {
        bytes,
        headers: { host: consoleHost, ...withToken, cookie: console.cookie, 'content-type': type },
      })
    const form = 'application/x-www-form-urlencoded'
    assert.equal((await typed('{"name":"x"}', 'application/json')).status, 415)
    assert.equal((await typed('name=%00', form)).status, 400)
    assert.equal(await keysOf(app), count, 'nothing was done by any of them')
    assert.equal((await typed('name=x', form)).status, 200)
    assert.equal(await keysOf(app), count + 1)
  })

  test('is refused for addresses that are not on the list, before it learns which pages there are', async () => {
    const environment = {
      SERVICE_CONSOLE_HOSTNAME: consoleHost,
      SERVICE_CONSOLE_IP_ALLOW_LIST: '192.0.2.0/28,2001:db8::/48',
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    }
    await using app = await startTestApp({ store, environment })
    const status = async (from: string | undefined, path: string, host = consoleHost) => {
      const headers = { host, ...(from !== undefined && { 'x-forwarded-for': from }) }
      return (await askConsole(app, { path, headers })).status
    }
    for (const from of ['192.0.2.1', '2001:db8:0:1::5'])
      assert.deepEqual([await status(from, 'login'), await status(from, 'nothing')], [200, 404], from)
    for (const from of ['192.0.2.16', '2001:db9::1', undefined]) {
      for (const path of ['login', 'nothing', 'keys', ''])
        assert.equal(await status(from, path), 403, `${from} ${path}`)
      assert.equal(await status(from, 'login', 'localhost'), 404)
    }
    const put = await app.send('PUT', consoleAddress('login'), { headers: { host: consoleHost } })
    assert.equal(put.status, 403)
  })

  test('on the host of a tenant is answered on this machine only', async () => {
    await using app = await startTestApp({ store })
    const far = { 'x-forwarded-for': '192.0.2.1' }
    const status = async (headers = {}, server: TestApp = app) =>
      (await askConsole(server, { path: 'login', headers: { host: 'localhost', ...headers } })).status
    assert.deepEqual([await status(), await status(far)], [200, 200])
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'localhost', is_enabled: false })
    assert.deepEqual(
      [await status(), await status(far), await status({ forwarded: 'for=x' })],
      [200, 404, 404],
    )
    const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
    await using proxied = await startTestApp({ beside: app, environment })
    assert.equal(await status({}, proxied), 404, 'a proxy on this machine')
    await app.call('DELETE', 'tenants/cats')
    assert.deepEqual([await status(), await status(far)], [200, 200])
  })

  test('at a name that does not mean this machine is closed while a tenant has it', async () => {
    await using app = await startConsole({ store })
    assert.equal((await app.console.get('keys')).status, 200)
    await app.call('POST', 'tenants', { id: 'cats', hostname: consoleHost, is_enabled: true })
    for (const path of ['keys', 'login', 'nothing'])
      assert.equal((await app.console.get(path)).status, 404, path)
    assert.equal((await app.console.post('logout')).status, 404)
    await app.call('PATCH', 'tenants/cats', { hostname: 'cats.test' })
    assert.equal((await app.console.get('keys')).status, 200)
  })

  test('counts with the cookie of the console only, and sites do not know that cookie', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const [, ofSite = ''] = ada.cookie.split('=')
    const [name = '', ofConsole = ''] = app.console.cookie.split('=')
    for (const cookie of [ada.cookie, `${name}=${ofSite}`, `terrace-session=${ofConsole}`, `${name}=`])
      assert.equal((await askConsole(app, { path: 'keys', cookie })).status, 302, cookie)
    assert.equal(
      (await askConsole(app, { path: 'keys', cookie: `${name}=x${ofSite}; ${name}=${ofConsole}` })).status,
      200,
    )
    for (const cookie of [app.console.cookie, `terrace-session=${ofConsole}`]) {
      assert.equal((await askPage(app, cats, 'GET /settings', { cookie })).status, 302)
      const me = await app.send('GET', '/api/5/me', {
        headers: { host: cats.hostname, cookie, 'sec-fetch-site': 'same-origin' },
      })
      assert.equal(me.json.user ?? null, null, me.text)
    }
    const api = await app.send('GET', '/_/api/4/tenants', {
      headers: { host: consoleHost, cookie: app.console.cookie, 'sec-fetch-site': 'same-origin' },
    })
    assert.equal(api.status, 401)
    assert.equal((await askPage(app, { hostname: consoleHost }, 'GET /dashboard')).status, 404)
  })
})

onEachStore('a session of the console', (store) => {
  test('ends after 30 minutes without a request, and after 8 hours in any case', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const status = async () => (await console.get('keys')).status
    app.wait(29 * 60)
    assert.equal(await status(), 200)
    app.wait(29 * 60)
    assert.equal(await status(), 200)
    app.wait(30 * 60)
    assert.equal(await status(), 302)

    const other = await app.operator('viewer')
    for (let minutes = 29; minutes < 480; minutes += 29) {
      app.wait(29 * 60)
      assert.equal((await other.get('me')).status, 200, `after ${minutes} minutes`)
    }
    app.wait((480 % 29) * 60 - 30)
    assert.equal((await other.get('me')).status, 200, 'after nearly eight hours')
    app.wait(31)
    assert.equal((await other.get('me')).status, 302, 'after eight hours')
    app.wait(24 * 3_600)
    await app.operator('viewer')
    const rows = await app.app.control.store.control.selectFrom('operatorSession').select('id').execute()
    assert.equal(rows.length, 1, 'a log-in removes the rows of sessions that have ended a day ago')
  })

  test('is not kept by what a page asks for again and again', async () => {
    await using app = await startConsole({ store })
    const polled = consoleRoutes.filter(({ isPolled }) => isPolled)
    assert.ok(polled.length > 0)
    for (const { path } of polled) {
      const client = await app.operator('viewer')
      const ask = () => client.get(path.replaceAll(/\{\w+\}/g, 'AAAAAAAAAAAA'))
      for (let minutes = 5; minutes < 30; minutes += 5) {
        app.wait(300)
        assert.equal((await ask()).status, 404, `${path} after ${minutes} minutes`)
      }
      app.wait(300)
      assert.equal((await ask()).status, 302, path)
      assert.equal((await client.get('me')).status, 302)
    }
  })

  test('is ended on every server by a log-out', async () => {
    await using app = await startConsole({ store })
    await using beside = await startTestApp({ beside: app })
    const { cookie } = app.console
    assert.equal((await askConsole(beside, { path: 'keys', cookie })).status, 200)
    const out = await app.console.post('logout')
    assert.deepEqual([out.status, out.headers.location], [303, '/_/console/login'])
    assert.equal(out.headers['clear-site-data'], '"cache"')
    assert.match(
      String(out.headers['set-cookie']),
      /^terrace-console=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    for (const server of [app, beside])
      assert.equal((await askConsole(server, { path: 'keys', cookie })).status, 302)
  })
})

test('the cookie is for the host alone, hidden from scripts, and sent by the pages of the console only', async () => {
  await using app = await startConsole()
  await using secure = await startConsole({ environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
  for (const [server, form] of [
    [app, /^terrace-console=\w{43}; Path=\/; HttpOnly; SameSite=Strict$/],
    [secure, /^__Host-terrace-console=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/],
  ] as const) {
    const renewed = await askConsole(server, {
      method: 'POST',
      path: 'me/password',
      cookie: server.console.cookie,
      form: {
        csrf: server.console.csrf,
        current: 'a long password of an operator',
        password: 'another long one of hers',
      },
    })
    assert.equal(renewed.status, 303, renewed.text)
    assert.match(String(renewed.headers['set-cookie']), form)
    const cookie = consoleCookieIn(renewed)
    assert.equal((await askConsole(server, { path: 'me', cookie })).status, 200)
  }
  // Under https the cookie without its prefix is nothing: another host of the domain could have set it.
  const { cookie } = secure.console
  assert.equal((await askConsole(secure, { path: 'me', cookie: cookie.replace('__Host-', '') })).status, 302)
})

test('pages are kept by no cache, and errors are pages of the console in the language of the reader', async () => {
  await using app = await startConsole()
  const missing = await app.console.get('nothing', { 'accept-language': 'de' })
  assert.deepEqual([missing.status, missing.headers['cache-control']], [404, 'no-store'])
  assert.match(missing.text, /<html lang="de"/)
  assert.match(titleOf(missing) ?? '', /nicht gefunden|gibt es nicht/i)
  // The address of a form, and one without a record: what is said to programs helps no reader.
  for (const [path, status] of [
    ['logout', 405],
    ['tenants/nobody', 404],
  ] as const) {
    const page = await app.console.get(path)
    assert.deepEqual([page.status, titleOf(page)], [status, 'Not found'])
    assert.match(page.text, /<p>There’s nothing here\. The link may be mistyped/)
    assert.match(page.text, /<header class="console-rail">/, 'whoever is logged in goes on by the rail')
  }
  const viewer = await app.operator('viewer')
  assert.match((await viewer.get('tenants/new')).text, /console-rail[\s\S]*viewer-2?/)
  const guest = await askConsole(app, { path: 'nothing' })
  assert.deepEqual([guest.status, guest.text.includes('console-rail')], [404, false])
  for (const path of ['login', 'keys', 'operators', 'me']) {
    const { headers } = await app.console.get(path)
    assert.equal(headers['cache-control'], 'no-store', path)
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    assert.deepEqual(
      [headers['x-content-type-options'], headers['access-control-allow-origin']],
      ['nosniff', undefined],
    )
  }
})
