import assert from 'node:assert/strict'
import { test } from 'vitest'
import { recoveryCodesIn, switchOn } from '../support/clients/second-step.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, logIn } from '../support/media.ts'
import { askPage, cookieIn, stepCookieIn, visitAs } from '../support/pages.ts'
import { runHere } from '../support/tool.ts'
import type { TestTenant } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }

/** The first step; returns the cookie that carries the log-in to the second. */
async function halfWay(app: TestApp, tenant: TestTenant, to = '/settings') {
  const first = await askPage(app, tenant, 'POST /login', { form: { ...ada, to } })
  assert.deepEqual([first.status, first.headers.location], [303, '/login/code'])
  assert.ok(!String(first.headers['set-cookie']).includes('terrace-session='), 'no session yet')
  return stepCookieIn(first, 'terrace-login')
}

onEachStore('the second step', (store) => {
  test('is set up behind a proof, asked for at log-in, and a code counts once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    app.wait(601)
    const unproven = await here.show('/settings/security/totp')
    assert.deepEqual([unproven.status, unproven.headers.location], [303, '/prove?to=/settings/security/totp'])
    await here.send('/prove', { password: ada.password, to: '/settings/security/totp' })
    const { codeIn, recovery } = await switchOn(app, here)
    assert.equal(new Set(recovery).size, 10)

    const cookie = await halfWay(app, cats)
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie })).status, 302)
    const send = (code: string, sent = cookie) =>
      askPage(app, cats, 'POST /login/code', { cookie: sent, form: { code } })
    // The code that confirmed the set-up was used by it.
    assert.equal((await send(codeIn())).status, 400)
    app.wait(30)
    assert.equal((await send('12 34 56 78')).status, 400)
    const done = await send(codeIn())
    assert.deepEqual([done.status, done.headers.location], [303, '/settings'])
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: cookieIn(done) })).status, 200)
    assert.notEqual(cookieIn(done), here.cookie)
    assert.equal((await send(codeIn())).status, 400, 'a code of this step was taken')
    assert.equal((await send(codeIn(2))).status, 400, 'two steps ahead')
    assert.equal((await send(codeIn(1))).status, 303, 'one step ahead')
    app.wait(60)
    assert.equal((await send(codeIn(-1))).status, 400, 'not older than one that was taken')
    assert.equal((await send(codeIn(-2))).status, 400, 'two steps ago')
    assert.equal((await send(codeIn())).status, 303)
  })

  test('a half-done log-in ends after ten minutes, with a new password, and at another site', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const here = await visitAs(app, cats, ada)
    const { codeIn } = await switchOn(app, here)
    const refused = async (cookie: string, tenant = cats) => {
      const { status, headers } = await askPage(app, tenant, 'POST /login/code', {
        cookie,
        form: { code: codeIn(1) },
      })
      assert.deepEqual([status, headers.location], [303, '/login?ended=1'])
    }
    const old = await halfWay(app, cats)
    await refused(old, dogs)
    await refused(`${old.slice(0, -1)}${old.endsWith('A') ? 'B' : 'A'}`)
    await refused('terrace-login=%00')
    app.wait(600)
    await refused(old)
    assert.match((await askPage(app, cats, 'GET /login?ended=1')).text, /You took too long to log in/)
    const before = await halfWay(app, cats)
    await here.send('/settings/security', { current: ada.password, password: 'another password' })
    await refused(before)
  })

  test('ten recovery codes work once each, and new ones replace them', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    const { recovery } = await switchOn(app, here)
    const [first = '', second = ''] = recovery
    const logInBy = async (code: string) =>
      (await askPage(app, cats, 'POST /login/code', { cookie: await halfWay(app, cats), form: { code } }))
        .status
    assert.equal(await logInBy(first.toUpperCase().replaceAll('-', ' ')), 303)
    assert.equal(await logInBy(first), 400)
    assert.match((await here.show('/settings/security/totp')).text, /Recovery codes left: 9/)
    const renew = (code: string) => here.send('/settings/security/totp/codes', { code })
    const renewed = recoveryCodesIn((await renew(second)).text)
    assert.equal(renewed.length, 10)
    assert.equal(await logInBy(second), 400)
    assert.equal(await logInBy(renewed[0] ?? ''), 303)
    app.wait(601)
    const off = (code: string) => here.send('/settings/security/totp/off', { code })
    for (const change of [renew, off])
      assert.match(String((await change(renewed[1] ?? '')).headers.location), /^\/prove/)
    await here.send('/prove', { password: ada.password })
    assert.equal((await off(renewed[1] ?? '')).status, 303)
    await logIn(app, cats, ada)
  })

  test('is changed and switched off for a code of it, not for the password only', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    const { codeIn, recovery } = await switchOn(app, here)
    app.wait(30)
    const { text } = await here.show('/settings/security/totp')
    assert.equal(text.match(/name="code"/g)?.length, 2)
    for (const path of ['codes', 'off'])
      for (const code of ['', '000000', codeIn(-3), 'aaaa-aaaa-aaaa-aaaa']) {
        const refused = await here.send(`/settings/security/totp/${path}`, { code })
        assert.equal(refused.status, 400, `${path} ${code}`)
        assert.match(refused.text, /This code is wrong or was used already/)
        assert.equal(recoveryCodesIn(refused.text).length, 0)
      }
    const renewed = await here.send('/settings/security/totp/codes', { code: codeIn() })
    const [first = ''] = recoveryCodesIn(renewed.text)
    assert.equal((await here.send('/settings/security/totp/off', { code: codeIn() })).status, 400, 'used')
    assert.equal((await here.send('/settings/security/totp/off', { code: recovery[0] ?? '' })).status, 400)
    assert.equal((await here.send('/settings/security/totp/off', { code: first })).status, 429)
    app.wait(601)
    await here.send('/prove', { password: ada.password })
    assert.equal((await here.send('/settings/security/totp/off', { code: first })).status, 303)
    await logIn(app, cats, ada)
  })

  test('ten wrong codes from all networks refuse every code, and no password', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
    const cats = await app.tenant('cats')
    const { codeIn } = await switchOn(app, await visitAs(app, cats, ada))
    const cookie = await halfWay(app, cats)
    app.wait(30)
    const send = (code: string, index: number) =>
      askPage(app, cats, 'POST /login/code', {
        cookie,
        form: { code },
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
      })
    for (let tries = 0; tries < 10; tries += 1) assert.equal((await send('', tries)).status, 400)
    const right = await send(codeIn(), 99)
    assert.deepEqual([right.status, right.headers['retry-after']], [429, '600'])
    assert.match(right.text, /Too many wrong codes. Try again in 10 minutes/)
    // The password has a count of its own, also in the network of the wrong codes.
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    assert.equal((await askPage(app, cats, 'POST /login', { form: ada, headers })).status, 303)
    const both = { ...ada, totp: codeIn() }
    assert.equal((await ask5(app, cats, 'POST sessions', { body: both, headers })).status, 429)
    app.wait(600)
    const again = { ...ada, totp: codeIn() }
    assert.equal((await ask5(app, cats, 'POST sessions', { body: again, headers })).status, 201)
  })

  test('wrong passwords do not refuse a code', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { codeIn } = await switchOn(app, await visitAs(app, cats, ada))
    const cookie = await halfWay(app, cats)
    app.wait(30)
    for (let tries = 0; tries < 10; tries += 1)
      await askPage(app, cats, 'POST /login', { form: { ...ada, password: 'wrong' } })
    const sent = await askPage(app, cats, 'POST /login/code', { cookie, form: { code: codeIn() } })
    assert.equal(sent.status, 303)
  })

  test('a clock that jumps ahead and back locks out no user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    const { codeIn } = await switchOn(app, here)
    const post = async (totp: string) =>
      (await ask5(app, cats, 'POST sessions', { body: { ...ada, totp } })).status
    app.wait(86_400)
    assert.equal(await post(codeIn()), 201)
    for (let tries = 0; tries < 9; tries += 1) assert.equal(await post('000000'), 401)
    app.wait(-86_400 + 60)
    assert.equal(await post(codeIn()), 201)
    assert.equal(await post(codeIn()), 401, 'a code counts once')
    // A half-done log-in of the future has ended.
    app.wait(3_600)
    const cookie = await halfWay(app, cats)
    app.wait(-3_600)
    const sent = await askPage(app, cats, 'POST /login/code', { cookie, form: { code: codeIn(1) } })
    assert.equal(sent.headers.location, '/login?ended=1')
  })

  test('programs send the code, an administrator and the tool take the second step off', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    const { codeIn } = await switchOn(app, here)
    app.wait(30)
    const post = (totp?: string) =>
      ask5(app, cats, 'POST sessions', { body: { ...ada, ...(totp && { totp }) } })
    const missing = await post()
    assert.deepEqual([missing.status, missing.json.code], [401, 'totp-required'])
    const wrong = await post('000000')
    assert.deepEqual([wrong.status, wrong.json.code], [401, 'unauthenticated'])
    assert.equal((await post('9'.repeat(65))).status, 400)
    assert.equal((await post(codeIn())).status, 201)
    assert.equal((await post(codeIn())).status, 401)
    const headers = { cookie: here.cookie, 'sec-fetch-site': 'same-origin' }
    const me = await ask5(app, cats, 'GET me', { headers })
    const off = () => ask5(app, cats, `DELETE users/${me.json.user.id}/totp`, { headers })
    assert.equal((await off()).status, 204)
    assert.equal((await off()).status, 409)
    assert.equal((await ask5(app, cats, 'DELETE users/none/totp', { headers })).status, 404)
    await logIn(app, cats, ada)
    app.wait(30)
    await switchOn(app, here)
    const reset = ['site', '--tenant', 'cats', 'user:reset-totp', '--username', 'ada']
    const { code, err } = await runHere(reset, app.environment)
    assert.equal(code, 0, err)
    await logIn(app, cats, ada)
  })

  test('an administrator resets it on the page of the user, behind a proof', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    await here.send('/dashboard/users/new', {
      username: 'bob',
      email: 'bob@example.org',
      password: 'another long password',
      role: 'user',
    })
    const bob = { login: 'bob', password: 'another long password' }
    const list = (await here.show('/dashboard/users')).text
    const [, id = ''] = /dashboard\/users\/(\w+)"[^>]*>bob</.exec(list) ?? []
    const path = `/dashboard/users/${id}`
    const hasButton = async () => (await here.show(path)).text.includes('Reset two-step verification')
    assert.equal(await hasButton(), false)
    const bobs = await visitAs(app, cats, bob)
    await switchOn(app, bobs)
    assert.equal(await hasButton(), true)
    app.wait(601)
    assert.equal((await bobs.send(`${path}/second-step`, {})).status, 403)
    const unproven = await here.send(`${path}/second-step`, {})
    assert.deepEqual([unproven.status, unproven.headers.location], [303, `/prove?to=${path}`])
    await here.send('/prove', { password: ada.password, to: path })
    assert.equal((await here.send(`${path}/second-step`, {})).headers.location, `${path}?saved=1`)
    assert.equal(await hasButton(), false)
    assert.equal((await askPage(app, cats, 'POST /login', { form: bob })).headers.location, '/')
    const again = await here.send(`${path}/second-step`, {})
    assert.ok(again.status >= 400 && again.status < 500, String(again.status))
  })
})
