import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider, beginAt, connectBy } from '../support/clients/connecting.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, stepCookieIn, visitAs } from '../support/pages.ts'
import { passThrough, startLoginProvider } from '../support/servers/login-provider.ts'
import type { TestTenant } from '../support/uploads.ts'

async function startWorld(store: StoreKind) {
  const [office, home] = [await startLoginProvider(), await startLoginProvider()]
  const app = await startTestApp({
    store,
    environment: {
      SERVICE_LOGIN_PROVIDER_ALLOW: `${office.allow},${home.allow}`,
      SERVICE_ENABLE_SIGNUP: '1',
    },
  })
  const cats = await app.tenant('cats')
  await addProvider(app, cats, office, { name: 'office' })
  await addProvider(app, cats, home, { name: 'home' })
  return {
    office,
    home,
    app,
    cats,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await office[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** The answer at a callback, which must give nothing. */
async function refusedAt(app: TestApp, site: TestTenant, path: string, cookie: string | undefined) {
  const answer = await askPage(app, site, `GET ${path}`, cookie === undefined ? {} : { cookie })
  assert.equal(answer.status, 400, answer.text)
  assert.match(answer.text, /Log-in failed/)
  const set = String(answer.headers['set-cookie'])
  assert.ok(!/terrace-(session|account|login)=\w/.test(set), set)
  return answer
}

onEachStore('a log-in by a provider', (store) => {
  test('is good once, in the browser and at the site that began it, for ten minutes', async () => {
    await using world = await startWorld(store)
    const { app, cats } = world
    const dogs = await app.tenant('dogs')
    await addProvider(app, dogs, world.home, { name: 'office' })
    const begun = await beginAt(app, cats, '/connect/office')
    const back = await passThrough(begun.address)
    const path = `${back.pathname}${back.search}`
    await refusedAt(app, cats, path, undefined)
    await refusedAt(app, dogs, path, begun.cookie)
    await refusedAt(app, cats, path, `${begun.cookie.slice(0, -1)}${begun.cookie.endsWith('A') ? 'B' : 'A'}`)
    await refusedAt(app, cats, path, (await beginAt(app, cats, '/connect/office')).cookie)
    await refusedAt(app, cats, path.replace(/state=[^&]+/, 'state=other'), begun.cookie)
    await refusedAt(app, cats, path.replace(/state=[^&]+&?/, ''), begun.cookie)

    const first = await askPage(app, cats, `GET ${path}`, { cookie: begun.cookie })
    assert.equal(first.headers.location, '/connect/office/account')
    await refusedAt(app, cats, path, begun.cookie)

    const late = await beginAt(app, cats, '/connect/office')
    const answer = await passThrough(late.address)
    app.wait(600)
    await refusedAt(app, cats, `${answer.pathname}${answer.search}`, late.cookie)
    const ended = await askPage(app, cats, 'GET /connect/office/account', {
      cookie: stepCookieIn(first, 'terrace-account'),
    })
    assert.equal(ended.status, 400)
  })

  test('is refused with a used code, another nonce, or another challenge', async () => {
    await using world = await startWorld(store)
    const { app, cats } = world
    const used = await beginAt(app, cats, '/connect/office')
    const back = await passThrough(used.address)
    await askPage(app, cats, `GET ${back.pathname}${back.search}`, { cookie: used.cookie })
    const next = await beginAt(app, cats, '/connect/office')
    const replayed = new URLSearchParams(back.search)
    replayed.set('state', new URL(next.address).searchParams.get('state') ?? '')
    await refusedAt(app, cats, `/connect/office/back?${replayed}`, next.cookie)

    for (const name of ['nonce', 'code_challenge']) {
      const { address, cookie } = await beginAt(app, cats, '/connect/office')
      const changed = new URL(address)
      changed.searchParams.set(name, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
      const answer = await passThrough(changed.href)
      await refusedAt(app, cats, `${answer.pathname}${answer.search}`, cookie)
    }
  })

  test('is refused when the answer of one provider comes to the address of another', async () => {
    await using world = await startWorld(store)
    const { app, cats, office, home } = world
    const atWork = await beginAt(app, cats, '/connect/office')
    const ofWork = await passThrough(atWork.address)
    await refusedAt(app, cats, `/connect/home/back${ofWork.search}`, atWork.cookie)

    const before = home.requests
    const atHome = await beginAt(app, cats, '/connect/home')
    const mixed = new URLSearchParams(ofWork.search)
    assert.equal(mixed.get('iss'), office.issuer)
    mixed.set('state', new URL(atHome.address).searchParams.get('state') ?? '')
    await refusedAt(app, cats, `/connect/home/back?${mixed}`, atHome.cookie)
    assert.equal(home.requests - before, 1, 'discovery alone: the code of the other was not sent')
    const without = await beginAt(app, cats, '/connect/home')
    mixed.set('state', new URL(without.address).searchParams.get('state') ?? '')
    mixed.delete('iss')
    await refusedAt(app, cats, `/connect/home/back?${mixed}`, without.cookie)
  })

  test('offers no account for an address that was not verified, and makes none', async () => {
    await using world = await startWorld(store)
    const { app, cats, office } = world
    for (const email_verified of [false, undefined, 'true', 1]) {
      office.person = { sub: 'mallory', email: 'ada@example.com', email_verified }
      const back = await connectBy(app, cats, '/connect/office')
      const cookie = stepCookieIn(back, 'terrace-account')
      const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
      assert.match(page.text, /isn’t connected to an account here/)
      assert.doesNotMatch(page.text, /There is an account/)
      const form = { username: 'mallory' }
      const refused = await askPage(app, cats, 'POST /connect/office/signup', { cookie, form })
      assert.equal(refused.status, 403)
    }
  })

  test('signs up only where both the provider and the operator allow it, and never an administrator', async () => {
    await using world = await startWorld(store)
    const { app, cats, office } = world
    office.person = { sub: 'new', email: 'new@example.com', email_verified: true }
    const here = await visitAs(app, cats)
    const save = async (fields: Record<string, string>) => {
      const { text } = await here.show('/dashboard/providers/office')
      const [, version = ''] = /name="version" value="(\d+)"/.exec(text) ?? []
      const kept = {
        title: 'Work',
        issuer: office.issuer,
        client_id: 'terrace',
        scopes: 'openid email profile',
      }
      return here.send('/dashboard/providers/office', { ...kept, version, is_enabled: '1', ...fields })
    }
    const pending = stepCookieIn(await connectBy(app, cats, '/connect/office'), 'terrace-account')
    const signUp = () =>
      askPage(app, cats, 'POST /connect/office/signup', { cookie: pending, form: { username: 'newcomer' } })
    assert.equal((await save({})).status, 303)
    assert.equal((await signUp()).status, 404)
    assert.doesNotMatch((await askPage(app, cats, 'GET /signup')).text, /connect\/office/)
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie: pending })
    assert.match(page.text, /isn’t connected to an account here/)

    await save({ is_sign_up_open: '1', new_user_role: 'admin' })
    assert.match((await askPage(app, cats, 'GET /signup')).text, /Sign up with Work/)
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_ENABLE_SIGNUP: '0' } })
    assert.equal((await signUp()).status, 404)
    await app.call('PATCH', 'tenants/cats', { env: {} })
    assert.equal((await signUp()).status, 303)
    assert.match((await here.show('/dashboard/users?q=newcomer')).text, /newcomer/)
    const users = await here.show('/dashboard/users?q=newcomer')
    const [, id = ''] = /href="\/dashboard\/users\/(\w+)"[^>]*>newcomer/.exec(users.text) ?? []
    assert.match((await here.show(`/dashboard/users/${id}`)).text, /<option value="user" selected/)
  })

  test('leads to own paths alone, and markup in claims and titles stays text', async () => {
    await using world = await startWorld(store)
    const { app, cats, office } = world
    const markup = `"><script>alert(1)</script>`
    office.person = {
      sub: `s${markup}`,
      email: 'new@example.com',
      email_verified: true,
      preferred_username: markup,
      name: markup,
    }
    const made = await connectBy(app, cats, '/connect/office?to=https://evil.example/')
    const cookie = stepCookieIn(made, 'terrace-account')
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
    assert.doesNotMatch(page.text, /<script>alert/)
    assert.match(page.text, /name="username"[^>]* value="script-alert-1-script"/)
    const done = await askPage(app, cats, 'POST /connect/office/signup', {
      cookie,
      form: { username: 'scripty' },
    })
    assert.equal(done.headers.location, '/')
    for (const to of ['//evil.example', '/\\evil.example', `/${'x'.repeat(600)}`])
      assert.equal(
        (await connectBy(app, cats, `/connect/office?to=${encodeURIComponent(to)}`)).headers.location,
        '/',
      )

    for (const sub of ['ä', 'x'.repeat(256)]) {
      office.person = { sub }
      const { address, cookie: kept } = await beginAt(app, cats, '/connect/office')
      const answer = await passThrough(address)
      await refusedAt(app, cats, `${answer.pathname}${answer.search}`, kept)
    }
    assert.equal((await askPage(app, cats, 'GET /connect/%2e%2e')).status, 404)
    assert.equal((await askPage(app, cats, 'GET /connect/none/back?state=x')).status, 400)
    assert.equal((await askPage(app, cats, 'GET /connect/none')).status, 404)
  })
})
