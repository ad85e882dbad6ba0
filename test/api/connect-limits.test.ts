import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider, beginAt, connectBy } from '../support/clients/connecting.ts'
import { onEachStore, type StoreKind, startTestApp } from '../support/harness.ts'
import { askPage, cookieIn, stepCookieIn, visitAs } from '../support/pages.ts'
import { passThrough, startLoginProvider } from '../support/servers/login-provider.ts'

const keptSeconds = 600
const mostBegun = 60

async function startWorld(store: StoreKind) {
  const [login, other] = [await startLoginProvider(), await startLoginProvider()]
  const environment = {
    SERVICE_LOGIN_PROVIDER_ALLOW: `${login.allow},${other.allow}`,
    SERVICE_ENABLE_SIGNUP: '1',
  }
  const app = await startTestApp({ store, environment })
  const cats = await app.tenant('cats')
  await addProvider(app, cats, login, { name: 'office' })
  return {
    login,
    other,
    app,
    cats,
    statusOf: async (path = '/connect/office') => (await askPage(app, cats, `GET ${path}`)).status,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await login[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

onEachStore('the discovery document of a provider', (store) => {
  test('is read once in ten minutes, and by every check of an administrator', async () => {
    await using world = await startWorld(store)
    const { login, app, cats, statusOf } = world
    assert.equal((await connectBy(app, cats, '/connect/office')).status, 303)
    assert.deepEqual([await statusOf(), await statusOf()], [303, 303])
    assert.equal(login.discoveries, 1)
    // The clock of the tests runs on by itself too.
    app.wait(keptSeconds - 120)
    assert.deepEqual([await statusOf(), login.discoveries], [303, 1])
    app.wait(120)
    assert.deepEqual(new Set(await Promise.all([1, 2, 3, 4, 5].map(() => statusOf()))), new Set([303]))
    assert.equal(login.discoveries, 2, 'requests at the same time share one read')
    const here = await visitAs(app, cats)
    for (const count of [3, 4]) {
      await here.send('/dashboard/providers/office/check', {})
      assert.equal(login.discoveries, count)
    }
  })

  test('is not kept if it could not be read or is of no use', async () => {
    await using world = await startWorld(store)
    const { login, statusOf } = world
    login.answer = (_, response) => void response.writeHead(500).end()
    assert.equal(await statusOf(), 503)
    const evil = JSON.stringify({ issuer: 'https://evil.example' })
    login.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(evil)
    assert.equal(await statusOf(), 400)
    login.answer = (_, response) => void response.writeHead(204).end()
    assert.equal(await statusOf(), 400)
    login.answer = undefined
    assert.equal(await statusOf(), 303)
  })

  test('is not taken for another configuration or another site', async () => {
    await using world = await startWorld(store)
    const { login, other, app, cats, statusOf } = world
    const { address } = await beginAt(app, cats, '/connect/office')
    assert.ok(address.startsWith(login.issuer))
    const here = await visitAs(app, cats)
    const { text } = await here.show('/dashboard/providers/office')
    const [, version = ''] = /name="version" value="(\d+)"/.exec(text) ?? []
    const fields = { title: 'Work', client_id: 'elsewhere', client_secret: 'x', scopes: 'openid' }
    const edit = { ...fields, version, issuer: other.issuer, is_enabled: '1' }
    other.register('http://cats.test/connect/office/back')
    assert.equal((await here.send('/dashboard/providers/office', edit)).status, 303)
    const moved = await beginAt(app, cats, '/connect/office')
    assert.ok(moved.address.startsWith(other.issuer) && moved.address.includes('client_id=elsewhere'))

    const dogs = await app.tenant('dogs')
    await addProvider(app, dogs, other, { name: 'office' })
    const before = other.discoveries
    await beginAt(app, dogs, '/connect/office')
    assert.equal(other.discoveries, before + 1)
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow } })
    assert.equal(await statusOf(), 503, 'the operator has closed the host')
  })
})

onEachStore('log-ins by a provider from one network', (store) => {
  test('are refused after sixty that were not finished in ten minutes', async () => {
    await using world = await startWorld(store)
    const { app, cats, statusOf } = world
    assert.equal((await connectBy(app, cats, '/connect/office')).status, 303)
    const statuses = []
    for (let begun = 0; begun < mostBegun; begun += 1) statuses.push(await statusOf())
    assert.deepEqual(new Set(statuses), new Set([303]))
    const over = await askPage(app, cats, 'GET /connect/office')
    assert.deepEqual([over.status, over.headers['retry-after']], [429, '600'])
    assert.match(over.text, /Too many log-ins from your network/)
    assert.equal(await statusOf('/connect/none'), 404)
    const ada = await visitAs(app, cats)
    assert.equal((await ada.show('/settings')).status, 200, 'passwords are counted apart')
    app.wait(600)
    assert.equal(await statusOf(), 303)
  })
})

onEachStore('a log-in at a provider', (store) => {
  test('is a proof only for ten minutes after the person has logged in there', async () => {
    await using world = await startWorld(store)
    const { login, app, cats } = world
    const now = () => app.app.control.clock.now().getTime()
    const isProven = async (cookie: string) =>
      (await askPage(app, cats, 'GET /prove?to=/settings', { cookie })).status === 303
    login.person = { sub: 'x', email: 'new@example.com', email_verified: true }
    const ago = (seconds: number) => {
      const at = new Date(now() - seconds * 1_000)
      login.loggedInAt = () => at
    }

    ago(3_600)
    const back = await connectBy(app, cats, '/connect/office')
    const pending = stepCookieIn(back, 'terrace-account')
    const form = { username: 'anne' }
    const made = await askPage(app, cats, 'POST /connect/office/signup', { cookie: pending, form })
    assert.equal(await isProven(cookieIn(made)), false, 'a sign-up by a log-in of an hour ago')
    const old = cookieIn(await connectBy(app, cats, '/connect/office'))
    assert.equal(await isProven(old), false, 'a log-in of an hour ago')
    const refused = await connectBy(app, cats, '/connect/office', old)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /didn’t ask you to log in again/)
    assert.ok(!String(refused.headers['set-cookie']).includes('terrace-session='))
    assert.equal(await isProven(old), false)

    ago(300)
    const asked = await beginAt(app, cats, '/connect/office', old)
    assert.equal(new URL(asked.address).searchParams.get('max_age'), '600')
    const proven = cookieIn(await connectBy(app, cats, '/connect/office', old))
    assert.equal(await isProven(proven), true)
    app.wait(180)
    assert.equal(await isProven(proven), true)
    app.wait(120)
    assert.equal(await isProven(proven), false, 'ten minutes after the log-in there')

    ago(0)
    const stripped = await beginAt(app, cats, '/connect/office', proven)
    const address = new URL(stripped.address)
    for (const name of ['max_age', 'prompt']) address.searchParams.delete(name)
    const { pathname, search } = await passThrough(address.href)
    const without = await askPage(app, cats, `GET ${pathname}${search}`, {
      cookie: `${stripped.cookie}; ${proven}`,
    })
    assert.equal(without.status, 403, 'the provider was not asked for the time')
    assert.equal(await isProven(proven), false)
  })

  test('is a proof by itself if the provider never says when a person has logged in', async () => {
    await using world = await startWorld(store)
    const { login, app, cats } = world
    login.tellsLogInTime = false
    login.person = { sub: 'x', email: 'new@example.com', email_verified: true }
    const begun = await beginAt(app, cats, '/connect/office')
    assert.ok(!begun.address.includes('max_age'))
    const back = await connectBy(app, cats, '/connect/office')
    const made = await askPage(app, cats, 'POST /connect/office/signup', {
      cookie: stepCookieIn(back, 'terrace-account'),
      form: { username: 'anne' },
    })
    app.wait(601)
    const again = cookieIn(await connectBy(app, cats, '/connect/office', cookieIn(made)))
    const page = await askPage(app, cats, 'GET /prove?to=/settings', { cookie: again })
    assert.deepEqual([page.status, page.headers.location], [303, '/settings'])
  })
})
