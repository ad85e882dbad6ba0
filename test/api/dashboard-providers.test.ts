import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider, beginAt } from '../support/clients/connecting.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { keyOf, walk } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { clientSecret, startLoginProvider } from '../support/servers/login-provider.ts'
import { onSiteOf, type TestTenant } from '../support/uploads.ts'

const fields = {
  name: 'office',
  title: 'Work',
  issuer: 'https://login.example.com/realm',
  client_id: 'terrace',
  client_secret: clientSecret,
  scopes: 'openid email',
  is_enabled: '1',
  new_user_role: 'user',
}

const { client_secret: _, ...withoutSecret } = fields

const storedOf = (app: TestApp, cats: TestTenant) =>
  onSiteOf(app, cats, (site) => site.db.selectFrom('loginProvider').selectAll().execute())

type Visitor = Awaited<ReturnType<typeof visitAs>>

async function versionOf(here: Visitor, name: string): Promise<string> {
  const { text } = await here.show(`/dashboard/providers/${name}`)
  return /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''
}

const enabledOf = async (app: TestApp) =>
  (await app.call('GET', 'tenants/cats')).json.stats.login_providers as number

onEachStore('the providers of the dashboard', (store) => {
  test('are made, and the secret never comes back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    assert.match((await here.show('/dashboard/providers')).text, /No providers yet/)
    const made = await here.send('/dashboard/providers/new', fields)
    assert.deepEqual([made.status, made.headers.location], [303, '/dashboard/providers/office?saved=1'])
    const taken = await here.send('/dashboard/providers/new', fields)
    assert.equal(taken.status, 409)
    assert.match(taken.text, /Another provider has this name/)
    const page = await here.show('/dashboard/providers/office')
    assert.ok(!page.text.includes(clientSecret) && page.text.includes('A secret is stored'))
    const [row] = await storedOf(app, cats)
    assert.ok(row && !JSON.stringify(row).includes(clientSecret))
  })

  test('are edited, and an empty secret keeps the one that is stored', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send('/dashboard/providers/new', fields)
    const [row] = await storedOf(app, cats)
    const edited = { ...withoutSecret, title: 'Wörk <b>', version: await versionOf(here, 'office') }
    assert.equal((await here.send('/dashboard/providers/office', edited)).status, 303)
    assert.equal(
      (await storedOf(app, cats))[0]?.sealedSecret,
      row?.sealedSecret,
      'an empty secret keeps the one there',
    )
    const late = await here.send('/dashboard/providers/office', edited)
    assert.equal(late.status, 412)
    assert.match(late.text, /Another administrator changed/)
    assert.match((await askPage(app, cats, 'GET /login')).text, /Log in with Wörk &lt;b&gt;/)
  })

  test('never send a stored secret to another issuer', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send('/dashboard/providers/new', fields)
    const [row] = await storedOf(app, cats)
    const edited = { ...withoutSecret, version: await versionOf(here, 'office') }
    const moved = { ...edited, issuer: 'https://evil.example' }
    const kept = await here.send('/dashboard/providers/office', moved)
    assert.equal(kept.status, 400, 'a kept secret is not sent to another issuer')
    assert.match(kept.text, /enter its client secret too/)
    const both = { ...edited, client_secret: 'new', remove_secret: '1' }
    const unclear = await here.send('/dashboard/providers/office', both)
    assert.equal(unclear.status, 400)
    assert.match(unclear.text, /Enter a secret or remove it, not both/)
    assert.match(unclear.text, /name="remove_secret"[^>]* checked/)
    assert.equal((await storedOf(app, cats))[0]?.sealedSecret, row?.sealedSecret)
  })

  test('lose their secret if the form says so', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send('/dashboard/providers/new', fields)
    await here.send('/dashboard/providers/new', { ...fields, name: 'home', title: 'Home' })
    const removed = { ...withoutSecret, version: await versionOf(here, 'home'), remove_secret: '1' }
    assert.equal((await here.send('/dashboard/providers/home', removed)).status, 303)
    assert.deepEqual(
      (await storedOf(app, cats)).map(({ name, sealedSecret }) => `${name} ${sealedSecret === ''}`).sort(),
      ['home true', 'office false'],
    )
    const bare = (await here.show('/dashboard/providers/home')).text
    assert.ok(!bare.includes('remove_secret') && bare.includes('Leave empty if the client has none'))
  })

  test('are ordered, switched off and deleted', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send('/dashboard/providers/new', fields)
    await here.send('/dashboard/providers/new', { ...fields, name: 'home', title: 'Home' })
    assert.equal(await enabledOf(app), 2)
    await here.send('/dashboard/providers/home/move', { to: 'up' })
    assert.match((await askPage(app, cats, 'GET /login')).text, /connect\/home[\s\S]*connect\/office/)
    await here.send('/dashboard/providers/office/switch', { to: 'off' })
    assert.equal(await enabledOf(app), 1)
    assert.doesNotMatch((await askPage(app, cats, 'GET /login')).text, /connect\/office/)
    const version = await versionOf(here, 'home')
    assert.match((await here.show('/dashboard/providers/home/delete')).text, /Connected accounts: 0/)
    assert.equal((await here.send('/dashboard/providers/home/delete', { version: '99' })).status, 412)
    assert.equal((await here.send('/dashboard/providers/home/delete', { version })).status, 303)
    assert.equal(await enabledOf(app), 0)
    assert.equal((await here.show('/dashboard/providers/home')).status, 404)
  })

  test('are recorded in the audit log without their secret', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send('/dashboard/providers/new', fields)
    const [row] = await storedOf(app, cats)
    const edited = { ...withoutSecret, title: 'Wörk <b>', version: await versionOf(here, 'office') }
    await here.send('/dashboard/providers/office', edited)
    await here.send('/dashboard/providers/new', { ...fields, name: 'home', title: 'Home' })
    const removed = { ...withoutSecret, version: await versionOf(here, 'home'), remove_secret: '1' }
    await here.send('/dashboard/providers/home', removed)
    await here.send('/dashboard/providers/home/move', { to: 'up' })
    await here.send('/dashboard/providers/office/switch', { to: 'off' })
    await here.send('/dashboard/providers/home/delete', { version: await versionOf(here, 'home') })

    const key = await keyOf(app, cats, 'admin')
    const log = await walk(app, cats, 'GET audit', { key })
    const changes = log.filter(({ verb }) => verb.startsWith('provider.')).toReversed()
    assert.deepEqual(
      changes.map(({ verb, target }) => `${verb} ${target}`),
      [
        'provider.created office',
        'provider.updated office',
        'provider.created home',
        'provider.updated home',
        'provider.updated home',
        'provider.updated office',
        'provider.updated office',
        'provider.deleted home',
      ],
    )
    assert.equal(changes[1].after.title, 'Wörk <b>')
    assert.ok(row && !JSON.stringify(log).includes(row.sealedSecret))
  })

  test('name what is wrong with a field, and keep what was typed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const wrong = {
      name: ['', 'new', 'A', '-a', 'a_b', 'x'.repeat(33)],
      title: ['', 'x'.repeat(65), 'a\tb'],
      issuer: [
        '',
        'login.example.com',
        'ftp://a.example',
        'https://u:p@a.example',
        'https://a.example/?x',
        'https://ä.example',
      ],
      client_id: ['', 'x'.repeat(257)],
      client_secret: ['x'.repeat(513)],
      scopes: ['', 'email', 'openid  email', 'openid "x'],
    }
    for (const [field, texts] of Object.entries(wrong))
      for (const text of texts) {
        const refused = await here.send('/dashboard/providers/new', { ...fields, [field]: text })
        assert.equal(refused.status, 400, `${field} ${text}`)
        assert.match(refused.text, new RegExp(`id="${field}"[^>]*aria-invalid="true"`), `${field} ${text}`)
        assert.ok(refused.text.includes('https://login.example.com/realm') || field === 'issuer')
        assert.ok(!refused.text.includes(clientSecret))
      }
  })

  test('are for administrators, within the limit of the plan', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_MAX_LOGIN_PROVIDERS: '1' } })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const password = 'a long password'
    const user = { username: 'manny', email: 'manny@example.com', password, role: 'manager' }
    await here.send('/dashboard/users/new', user)
    const manager = await visitAs(app, cats, { login: 'manny', password })
    for (const path of ['', '/new', '/office', '/office/delete'])
      assert.equal((await manager.show(`/dashboard/providers${path}`)).status, 403, path)
    for (const path of ['new', 'office', 'office/check', 'office/switch', 'office/move', 'office/delete'])
      assert.equal((await manager.send(`/dashboard/providers/${path}`, fields)).status, 403, path)
    assert.equal((await askPage(app, cats, 'POST /dashboard/providers/new', { form: fields })).status, 302)
    const forged = { cookie: here.cookie, form: { ...fields, csrf: 'x' } }
    assert.equal((await askPage(app, cats, 'POST /dashboard/providers/new', forged)).status, 403)

    await here.send('/dashboard/providers/new', fields)
    const over = await here.send('/dashboard/providers/new', { ...fields, name: 'home' })
    assert.equal(over.status, 403)
    assert.match(over.text, /limit of \d+ providers is reached/)
    const { is_enabled: _, ...off } = fields
    assert.equal((await here.send('/dashboard/providers/new', { ...off, name: 'home' })).status, 303)
    assert.equal((await here.send('/dashboard/providers/home/switch', { to: 'on' })).status, 403)
    await here.send('/dashboard/providers/office/switch', { to: 'off' })
    assert.equal((await here.send('/dashboard/providers/home/switch', { to: 'on' })).status, 303)
  })

  test('are checked by their discovery document, and an issuer with accounts stays', async () => {
    await using login = await startLoginProvider()
    await using app = await startTestApp({
      store,
      environment: { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow },
    })
    const cats = await app.tenant('cats')
    await addProvider(app, cats, login, { name: 'office', fields: { scopes: 'openid unheard' } })
    const here = await visitAs(app, cats)
    const check = async () => (await here.send('/dashboard/providers/office/check', {})).text
    const good = await check()
    assert.ok(good.includes(`The provider responds as ${login.issuer}`))
    assert.match(good, /doesn’t know these scopes: unheard/)
    const save = async (issuer: string) =>
      here.send('/dashboard/providers/office', {
        ...fields,
        issuer,
        version: await versionOf(here, 'office'),
      })
    await save(`${login.issuer}/`)
    assert.match(await check(), /The provider responds as/, 'the last slash of a bare host does not matter')
    await save(`${login.issuer}/other`)
    assert.match(await check(), /not as this issuer/)
    login.answer = (_, response) => void response.end('{"issuer":"https://evil.example"}')
    assert.match(await check(), /not as this issuer/)
    login.answer = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    assert.match(await check(), /not as this issuer/)
    login.answer = (_, response) => void response.writeHead(500).end()
    assert.match(await check(), /We couldn’t reach the provider/)

    await onSiteOf(app, cats, async (site) => {
      const { id } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
      const at = '2026-01-01T00:00:00.000Z'
      const row = { id: 'i', providerName: 'office', subject: 's', userId: id, label: 'l' }
      await site.db
        .insertInto('identity')
        .values({ ...row, createdAt: at, lastUsedAt: null })
        .execute()
    })
    const moved = await save('https://other.example')
    assert.equal(moved.status, 409)
    assert.match(moved.text, /Accounts are connected through this issuer/)
  })

  test('inside the network are refused unless the operator allows them, and reveal nothing of it', async () => {
    await using login = await startLoginProvider()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await addProvider(app, cats, login, { name: 'office' })
    const here = await visitAs(app, cats)
    for (const issuer of [
      login.issuer,
      'http://127.0.0.1:9',
      'http://169.254.169.254',
      'http://localhost',
      'http://10.0.0.1',
    ]) {
      const version = await versionOf(here, 'office')
      await here.send('/dashboard/providers/office', { ...fields, issuer, version })
      assert.match(
        (await here.send('/dashboard/providers/office/check', {})).text,
        /We couldn’t reach the provider/,
        issuer,
      )
      const begun = await askPage(app, cats, 'GET /connect/office')
      assert.equal(begun.status, 503, issuer)
      assert.match(begun.text, /We can’t reach the provider right now/)
      assert.doesNotMatch(begun.text.replaceAll('cats.test', ''), /127\.0\.0\.1|not public/)
    }
    assert.equal(login.requests, 0)
  })

  test('that are down, or answer with too much or with nothing of use, are named on a page', async () => {
    const login = await startLoginProvider()
    await using app = await startTestApp({
      store,
      environment: { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow },
    })
    const cats = await app.tenant('cats')
    await addProvider(app, cats, login, { name: 'office' })
    const statusOf = async (path = '/connect/office', cookie?: string) => {
      const answer = await askPage(app, cats, `GET ${path}`, cookie === undefined ? {} : { cookie })
      assert.match(answer.text, /Log-in failed/)
      assert.match(answer.text, /href="\/login"/)
      return answer.status
    }
    const begun = await beginAt(app, cats, '/connect/office')
    const { searchParams } = new URL(begun.address)
    const denied = new URLSearchParams({ error: 'access_denied', iss: login.issuer })
    denied.set('state', searchParams.get('state') ?? '')
    assert.equal(await statusOf(`/connect/office/back?${denied}`, begun.cookie), 403)
    app.wait(600)
    login.answer = (_, response) => void response.end('x'.repeat(300_000))
    assert.equal(await statusOf(), 503)
    login.answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
    assert.equal(await statusOf(), 400)
    login.answer = (_, response) => void response.destroy()
    assert.equal(await statusOf(), 503)
    login.answer = undefined
    const next = await beginAt(app, cats, '/connect/office')
    await login[Symbol.asyncDispose]()
    const state = new URL(next.address).searchParams.get('state') ?? ''
    const answered = new URLSearchParams({ code: 'x', state, iss: login.issuer })
    assert.equal(await statusOf(`/connect/office/back?${answered}`, next.cookie), 503)
    app.wait(600)
    assert.equal(await statusOf(), 503)
  })
})
