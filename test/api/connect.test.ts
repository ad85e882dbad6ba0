import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { addProvider, beginAt, connectBy } from '../support/clients/connecting.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, cookieIn, stepCookieIn, tokenIn, visitAs } from '../support/pages.ts'
import { passThrough, startLoginProvider } from '../support/servers/login-provider.ts'
import type { TestTenant } from '../support/uploads.ts'

async function startWorld(store: StoreKind, environment: Record<string, string> = {}) {
  const login = await startLoginProvider()
  const app = await startTestApp({
    store,
    environment: { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow, SERVICE_ENABLE_SIGNUP: '1', ...environment },
  })
  const cats = await app.tenant('cats')
  await addProvider(app, cats, login, { name: 'office' })
  return {
    login,
    app,
    cats,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await login[Symbol.asyncDispose]()
    },
  }
}

/** Connects ada's account there with ada's account here, as the person does. */
async function connectAda(app: TestApp, cats: TestTenant) {
  const here = await visitAs(app, cats)
  const back = await connectBy(app, cats, '/connect/office?to=/settings/security', here.cookie)
  assert.deepEqual([back.status, back.headers.location], [303, '/connect/office/account'])
  const cookie = `${here.cookie}; ${stepCookieIn(back, 'terrace-account')}`
  const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
  assert.match(page.text, /Connect this The office account to your account ada/)
  const form = { csrf: tokenIn(page) }
  assert.equal((await askPage(app, cats, 'POST /connect/office/link', { cookie, form: {} })).status, 403)
  const linked = await askPage(app, cats, 'POST /connect/office/link', { cookie, form })
  assert.deepEqual([linked.status, linked.headers.location], [303, '/settings/security'])
  return here
}

onEachStore('log-in by a provider', (store) => {
  test('signs up with a free name, logs in by the subject alone, and the address may change', async () => {
    await using world = await startWorld(store)
    const { login, app, cats } = world
    login.person = {
      sub: 'berta-there',
      email: 'berta@example.com',
      email_verified: true,
      preferred_username: 'ada',
    }
    assert.match(
      (await askPage(app, cats, 'GET /login?to=/mine')).text,
      /href="\/connect\/office\?to=%2Fmine"/,
    )
    const back = await connectBy(app, cats, '/connect/office?to=/settings')
    assert.equal(back.headers.location, '/connect/office/account')
    const cookie = stepCookieIn(back, 'terrace-account')
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
    assert.match(page.text, /name="username"[^>]* value="ada2"/)
    for (const [username, said] of [
      ['ada', /already/i],
      ['admin', /reserved|not be used|another/i],
      ['x', /3 to 32/],
    ] as const) {
      const refused = await askPage(app, cats, 'POST /connect/office/signup', { cookie, form: { username } })
      assert.ok(refused.status === 400 || refused.status === 409, String(refused.status))
      assert.match(refused.text, said)
    }
    const made = await askPage(app, cats, 'POST /connect/office/signup', {
      cookie,
      form: { username: 'berta' },
    })
    assert.deepEqual([made.status, made.headers.location], [303, '/settings'])
    const first = cookieIn(made)
    const profile = await askPage(app, cats, 'GET /settings', { cookie: first })
    assert.match(profile.text, /berta@example\.com/)
    const again = await askPage(app, cats, 'POST /connect/office/signup', {
      cookie,
      form: { username: 'berta3' },
    })
    assert.equal(again.status, 409, 'the account is connected by now')

    login.person = { ...login.person, email: 'ada@example.com' }
    const known = await connectBy(app, cats, '/connect/office?to=/settings')
    assert.equal(known.headers.location, '/settings')
    assert.notEqual(cookieIn(known), first)
    assert.match(String(known.headers['set-cookie']), /terrace-device=/)
    const mine = await askPage(app, cats, 'GET /settings', { cookie: cookieIn(known) })
    assert.match(mine.text, /berta@example\.com/)
  })

  test('an account with the same verified address is connected after its own log-in', async () => {
    await using world = await startWorld(store)
    const { app, cats } = world
    const back = await connectBy(app, cats, '/connect/office?to=/mine')
    const pending = stepCookieIn(back, 'terrace-account')
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie: pending })
    assert.match(page.text, /href="\/login\?to=%2Fconnect%2Foffice%2Faccount"/)
    const link = await askPage(app, cats, 'POST /connect/office/link', { cookie: pending, form: {} })
    assert.deepEqual([link.status, link.headers.location?.startsWith('/login')], [302, true])

    const here = await visitAs(app, cats)
    const cookie = `${here.cookie}; ${pending}`
    const form = { csrf: here.csrf }
    const linked = await askPage(app, cats, 'POST /connect/office/link', { cookie, form })
    assert.equal(linked.headers.location, '/mine')
    const now = await connectBy(app, cats, '/connect/office')
    assert.equal(now.headers.location, '/')
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: cookieIn(now) })).status, 200)
  })

  test('no page reveals to a person who is not logged in whether an address has an account', async () => {
    await using world = await startWorld(store)
    const { login, app, cats } = world
    const seen = async (name: string, person: Record<string, unknown>) => {
      login.person = { sub: name, preferred_username: name, email_verified: true, ...person }
      const back = await connectBy(app, cats, '/connect/office')
      const cookie = stepCookieIn(back, 'terrace-account')
      const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
      const made = await askPage(app, cats, 'POST /connect/office/signup', {
        cookie,
        form: { username: name },
      })
      const plain = page.text.replaceAll(name, 'NAME').replaceAll(String(person.email), 'ADDRESS')
      return [back.status, back.headers.location, page.status, plain, made.status, made.headers.location]
    }
    const known = await seen('known-one', { email: 'ada@example.com' })
    const unknown = await seen('other-one', { email: 'other@example.com' })
    assert.deepEqual(known, unknown)
    const ada = await visitAs(app, cats)
    await ada.send('/dashboard/providers/office', {
      version: '1',
      title: 'The office',
      issuer: login.issuer,
      client_id: 'terrace',
      scopes: 'openid email profile',
      is_enabled: '1',
      new_user_role: 'user',
    })
    const closed = [
      await seen('known-two', { email: 'ada@example.com' }),
      await seen('other-two', { email: 'other2@example.com' }),
    ]
    assert.match(String(closed[0]?.[3]), /isn’t connected to an account here/)
    assert.deepEqual(closed[0], closed[1])
  })

  test('connecting needs a proof, and the log-in by it the second step', async () => {
    await using world = await startWorld(store)
    const { app, cats } = world
    const stale = await visitAs(app, cats)
    app.wait(601)
    const back = await connectBy(app, cats, '/connect/office', stale.cookie)
    const cookie = `${stale.cookie}; ${stepCookieIn(back, 'terrace-account')}`
    const asked = await askPage(app, cats, 'POST /connect/office/link', {
      cookie,
      form: { csrf: stale.csrf },
    })
    assert.equal(asked.headers.location, '/prove?to=/connect/office/account')

    const here = await connectAda(app, cats)
    const { text } = await here.show('/settings/security/totp')
    const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
    const [, setup = ''] = /name="setup" value="([^"]+)"/.exec(text) ?? []
    const code = (steps: number) =>
      new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() + steps * 30_000 })
    await here.send('/settings/security/totp', { setup, code: code(0) })
    const half = await connectBy(app, cats, '/connect/office?to=/settings')
    assert.equal(half.headers.location, '/login/code')
    assert.ok(!String(half.headers['set-cookie']).includes('terrace-session='))
    app.wait(60)
    const step = stepCookieIn(half, 'terrace-login')
    const done = await askPage(app, cats, 'POST /login/code', { cookie: step, form: { code: code(0) } })
    assert.deepEqual([done.status, done.headers.location], [303, '/settings'])
  })

  test('without a password there is a proof by the provider, a first password, and always a way in', async () => {
    await using world = await startWorld(store)
    const { login, app, cats } = world
    login.person = { sub: 'x', email: 'new@example.com', email_verified: true, name: 'Änne Ö.' }
    const back = await connectBy(app, cats, '/connect/office')
    const pending = stepCookieIn(back, 'terrace-account')
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie: pending })
    assert.match(page.text, /name="username"[^>]* value="new"/)
    const made = await askPage(app, cats, 'POST /connect/office/signup', {
      cookie: pending,
      form: { username: 'anne' },
    })
    let cookie = cookieIn(made)
    const refused = await askPage(app, cats, 'POST /login', { form: { login: 'anne', password: '' } })
    assert.equal(refused.status, 401)
    const security = await askPage(app, cats, 'GET /settings/security', { cookie })
    const [, id = ''] = /connections\/(\w+)\/end/.exec(security.text) ?? []
    const end = (path: string, form: Record<string, string>) =>
      askPage(app, cats, `POST ${path}`, { cookie, form: { csrf: tokenIn(security), ...form } })
    const last = await end(`/settings/security/connections/${id}/end`, {})
    assert.equal(last.status, 409)
    assert.match(last.text, /only way to log in/)

    app.wait(601)
    const unproven = await end('/settings/security', { password: 'a first password' })
    assert.equal(unproven.headers.location, '/prove?to=/settings/security')
    const prove = await askPage(app, cats, 'GET /prove?to=/settings/security', { cookie })
    assert.match(prove.text, /href="\/connect\/office\?to=%2Fsettings%2Fsecurity"/)
    assert.doesNotMatch(prove.text, /name="password"/)
    const begun = await beginAt(app, cats, '/connect/office?to=/settings/security', cookie)
    assert.match(begun.address, /prompt=login/)
    const proven = await connectBy(app, cats, '/connect/office?to=/settings/security', cookie)
    assert.equal(
      (await askPage(app, cats, 'GET /settings', { cookie })).status,
      302,
      'the old session has ended',
    )
    cookie = cookieIn(proven)
    const fresh = await askPage(app, cats, 'GET /settings/security', { cookie })
    const set = await askPage(app, cats, 'POST /settings/security', {
      cookie,
      form: { csrf: tokenIn(fresh), password: 'a first password' },
    })
    assert.equal(set.status, 303, set.text)
    const anne = await visitAs(app, cats, { login: 'anne', password: 'a first password' })
    assert.equal((await anne.send(`/settings/security/connections/${id}/end`, {})).status, 303)
    const gone = await connectBy(app, cats, '/connect/office')
    assert.equal(gone.headers.location, '/connect/office/account')
  })

  test('an account of another user, a banned user and a provider that is off are refused', async () => {
    await using world = await startWorld(store)
    const { app, cats, login } = world
    await connectAda(app, cats)
    const ada = await visitAs(app, cats)
    const bob = { username: 'bobby', email: 'bob@example.com', password: 'a long password', role: 'user' }
    await ada.send('/dashboard/users/new', bob)
    const here = await visitAs(app, cats, { login: 'bobby', password: 'a long password' })
    const taken = await connectBy(app, cats, '/connect/office', here.cookie)
    assert.equal(taken.status, 409)
    assert.match(taken.text, /connected to another user/)
    assert.equal((await here.show('/settings')).status, 200, 'bobby is still bobby')

    login.person = { sub: 'bob-there', email: 'bob@there.example', email_verified: true }
    const back = await connectBy(app, cats, '/connect/office', here.cookie)
    const cookie = `${here.cookie}; ${stepCookieIn(back, 'terrace-account')}`
    await askPage(app, cats, 'POST /connect/office/link', { cookie, form: { csrf: here.csrf } })
    const users = await ada.show('/dashboard/users')
    const [, id = ''] = /href="\/dashboard\/users\/(\w+)"[^>]*>bobby/.exec(users.text) ?? []
    const version =
      /name="version" value="(\d+)"/.exec((await ada.show(`/dashboard/users/${id}`)).text)?.[1] ?? ''
    await ada.send(`/dashboard/users/${id}/ban`, { version, banned: '1', ban: '1', to: 'on' })
    const banned = await connectBy(app, cats, '/connect/office')
    assert.deepEqual([banned.status, String(banned.headers['set-cookie']).includes('session=')], [401, false])

    const begun = await beginAt(app, cats, '/connect/office')
    await ada.send('/dashboard/providers/office/switch', { to: 'off' })
    assert.equal((await askPage(app, cats, 'GET /connect/office')).status, 404)
    const late = await passThrough(begun.address)
    const off = await askPage(app, cats, `GET ${late.pathname}${late.search}`, { cookie: begun.cookie })
    assert.equal(off.status, 404)
    assert.doesNotMatch((await askPage(app, cats, 'GET /login')).text, /connect\/office/)
  })
})
