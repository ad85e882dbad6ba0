import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser, isRight, mayDo, type Role } from '../../src/accounts/index.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, logIn } from '../support/media.ts'
import { askPage, cookieIn, visitAs } from '../support/pages.ts'
import { onSiteOf, type TestTenant } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }

onEachStore('the account pages', (store) => {
  test('a change of password ends the other sessions and renews this one', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [here, there] = [await visitAs(app, cats), await visitAs(app, cats)]
    const before = here.cookie
    const wrong = await here.send('/settings/security', { current: 'wrong', password: 'another one' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /That isn’t your current password/)
    const short = await here.send('/settings/security', { current: ada.password, password: 'short' })
    assert.match(short.text, /Use 8 to 128 characters/)
    assert.equal((await there.show('/settings')).status, 200)

    const changed = await here.send('/settings/security', { current: ada.password, password: 'another one' })
    assert.deepEqual([changed.status, changed.headers.location], [303, '/settings/security?saved=1'])
    assert.notEqual(here.cookie, before)
    assert.equal((await here.show('/settings')).status, 200)
    assert.equal((await there.show('/settings')).status, 302)
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: before })).status, 302)
    assert.equal((await askPage(app, cats, 'POST /login', { form: ada })).status, 401)
    const again = { form: { ...ada, password: 'another one' } }
    assert.equal((await askPage(app, cats, 'POST /login', again)).status, 303)
  })

  test('sessions are listed and ended one by one or all others at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [here, second, third] = [
      await visitAs(app, cats),
      await visitAs(app, cats),
      await visitAs(app, cats),
    ]
    const { text } = await here.show('/settings/security')
    assert.equal(text.match(/>This session</g)?.length, 1)
    const ids = [...text.matchAll(/action="\/settings\/sessions\/(\w+)\/end"/g)].map(([, id]) => id)
    assert.equal(ids.length, 3)
    const { json } = await ask5(app, cats, 'GET sessions', {
      headers: { cookie: second.cookie, 'sec-fetch-site': 'same-origin' },
    })
    const ofSecond = json.data.find(({ is_current }: { is_current: boolean }) => is_current).id
    await here.send(`/settings/sessions/${ofSecond}/end`, {})
    assert.equal((await second.show('/settings')).status, 302)
    assert.equal((await third.show('/settings')).status, 200)
    // One that is gone already is no fault; another user's is not touched.
    assert.equal((await here.send(`/settings/sessions/${ofSecond}/end`, {})).status, 303)
    await here.send('/settings/sessions/end-others', {})
    assert.equal((await third.show('/settings')).status, 302)
    assert.equal((await here.show('/settings')).status, 200)
  })

  test('an upload key needs no proof, a stronger one does, and each is shown once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    app.wait(601)
    const keyIn = (text: string) => /trc_\w+/.exec(text)?.[0] ?? ''
    const upload = await here.send('/settings/keys', { name: 'Phone <b>"', scope: 'upload', days: '30' })
    assert.deepEqual([upload.status, upload.headers['cache-control']], [200, 'no-store'])
    assert.equal((await ask5(app, cats, 'GET me', { key: keyIn(upload.text) })).json.scope, 'upload')
    assert.match(upload.text, /Phone &lt;b&gt;&quot;/)
    assert.equal(keyIn((await here.show('/settings/keys')).text), '')
    const twice = await here.send('/settings/keys', { name: 'Phone <b>"', scope: 'upload' })
    assert.equal(twice.status, 409)
    assert.match(twice.text, /You already have a key with this name/)
    assert.match(twice.text, /value="Phone &lt;b&gt;&quot;"/)

    const unproven = await here.send('/settings/keys', { name: 'Script', scope: 'write' })
    assert.equal(unproven.status, 400)
    assert.match(unproven.text, /name="current"/)
    assert.match(unproven.text, /value="Script"/)
    assert.match(unproven.text, /name="scope" value="write"/)
    const proven = await here.send('/settings/keys', {
      name: 'Script',
      scope: 'write',
      current: ada.password,
    })
    assert.equal((await ask5(app, cats, 'GET me', { key: keyIn(proven.text) })).json.scope, 'write')

    const { json } = await ask5(app, cats, 'GET keys', { key: keyIn(proven.text) })
    const { id } = json.data.find(({ name }: { name: string }) => name === 'Script')
    const rotated = await here.send(`/settings/keys/${id}/rotate`, {})
    assert.equal((await ask5(app, cats, 'GET me', { key: keyIn(proven.text) })).status, 401)
    assert.equal((await ask5(app, cats, 'GET me', { key: keyIn(rotated.text) })).status, 200)
    app.wait(601)
    const late = await here.send(`/settings/keys/${id}/rotate`, {})
    assert.deepEqual([late.status, late.headers.location], [303, '/prove?to=/settings/keys'])
    const wrong = await here.send('/prove', { password: 'wrong', to: '/settings/keys' })
    assert.equal(wrong.status, 400)
    const proof = await here.send('/prove', { password: ada.password, to: '//evil.test' })
    assert.equal(proof.headers.location, '/settings')
    assert.equal((await here.show('/prove?to=/settings/keys')).headers.location, '/settings/keys')
    await here.send(`/settings/keys/${id}/revoke`, {})
    assert.equal((await ask5(app, cats, 'GET me', { key: keyIn(rotated.text) })).status, 401)
    for (const bad of ['none', '%00', 'a b'])
      assert.equal((await here.send(`/settings/keys/${encodeURI(bad)}/revoke`, {})).status, 404, bad)
  })

  test('a user signs up where it is open, under a name that is free', async () => {
    const environment = { SERVICE_ENABLE_SIGNUP: '1', SERVICE_MAX_USERS: '3' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const bob = { username: 'Bob', email: 'bob@example.com', password: 'bobs password' }
    const signUp = (more: Record<string, string> = {}) =>
      askPage(app, cats, 'POST /signup', { form: { ...bob, ...more } })
    for (const [more, message] of [
      [{ username: 'x' }, /Use 3 to 32/],
      [{ username: '"><script>' }, /value="&quot;&gt;&lt;script&gt;"/],
      [{ email: 'bob' }, /Enter an e-mail address/],
      [{ password: 'short' }, /Use 8 to 128/],
      [{ username: 'ADA' }, /This user name is taken/],
      [{ username: 'Settings' }, /This user name is reserved/],
      [{ username: 'Admin' }, /This user name is reserved/],
      [{ username: 'me.png' }, /This user name is reserved/],
      [{ email: 'ADA@example.com' }, /Another account uses this e-mail address/],
    ] as const) {
      const { status, text } = await signUp(more)
      assert.ok(status === 400 || status === 409, `${status}`)
      assert.match(text, message)
    }
    const made = await signUp()
    assert.equal(made.status, 303)
    assert.match((await askPage(app, cats, 'GET /', { cookie: cookieIn(made) })).text, /Account of Bob/)
    assert.equal((await signUp({ username: 'carol', email: 'carol@example.com' })).status, 303)
    const full = await signUp({ username: 'dave', email: 'dave@example.com' })
    assert.equal(full.status, 403)
    assert.match(full.text, /limit of 3 users is reached/)
  })

  test('what is chosen for uploads and keys stays with the account', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const chosen = { format: 'markdown', size: 'medium', expiration: 'P1W', nsfw: '1', album: '' }
    assert.equal((await here.send('/settings/uploads', chosen)).status, 303)
    await here.send('/settings/page-keys', {})
    const { text } = await (await visitAs(app, cats)).show('/settings/uploads')
    for (const part of ['markdown', 'medium', 'P1W'])
      assert.match(text, new RegExp(`value="${part}" selected`))
    assert.match(text, /name="nsfw" value="1" checked/)
    assert.match(text, /data-keys="off" data-format="markdown" data-size="medium"/)
    const strange = await here.send('/settings/uploads', { ...chosen, album: '<b>', format: 'x' })
    assert.equal(strange.status, 400)
  })

  test('an address is changed with a proof, and must be free', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await onSiteOf(app, cats, (site) =>
      createUser(site, {
        username: 'bob',
        email: 'bob@example.com',
        password: 'bobs password',
        role: 'user',
      }),
    )
    const here = await visitAs(app, cats)
    const taken = await here.send('/settings/email', { email: 'BOB@example.com' })
    assert.equal(taken.status, 409)
    assert.match(taken.text, /Another account uses this e-mail address/)
    app.wait(601)
    const unproven = await here.send('/settings/email', { email: 'new@example.com' })
    assert.equal(unproven.status, 400)
    assert.match(unproven.text, /value="new@example.com"/)
    const form = { email: 'new@example.com', current: ada.password }
    assert.equal((await here.send('/settings/email', form)).status, 303)
    await logIn(app, cats, { login: 'new@example.com', password: ada.password })
  })

  test('a session lasts from its last use, and not for ever', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const lasting = cookieIn(await askPage(app, cats, 'POST /login', { form: { ...ada, stay: '1' } }))
    const short = cookieIn(await askPage(app, cats, 'POST /login', { form: ada }))
    const status = async (cookie: string) => {
      const { status } = await askPage(app, cats, 'GET /settings', { cookie })
      // The use is written beside the request.
      await ask5(app, cats, 'GET me', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
      return status
    }
    app.wait(11 * 3_600)
    assert.equal(await status(short), 200)
    await useWritten(app, cats, short)
    app.wait(11 * 3_600)
    assert.equal(await status(short), 200)
    await useWritten(app, cats, short)
    app.wait(13 * 3_600)
    assert.equal(await status(short), 302)
    for (let month = 0; month < 6; month += 1) {
      assert.equal(await status(lasting), 200, `month ${month}`)
      await useWritten(app, cats, lasting)
      app.wait(29 * 86_400)
    }
    app.wait(6 * 86_400)
    assert.equal(await status(lasting), 302)
  })
})

/**
 * Waits until the last use of a session is of the present minute. A use is left out while the one before is being written, so it
 * is used until then.
 */
async function useWritten(app: TestApp, tenant: TestTenant, cookie: string): Promise<void> {
  const now = app.app.control.clock.now().getTime()
  for (;;) {
    const rows = await onSiteOf(app, tenant, (site) =>
      site.db.selectFrom('session').select('lastUsedAt').execute(),
    )
    if (rows.some(({ lastUsedAt }) => now - Date.parse(lastUsedAt) < 120_000)) return
    await ask5(app, tenant, 'GET me', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  }
}

test('each role reaches its pages, and guests are led to the log-in and back', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const roles = ['manager', 'user'] as const
  for (const role of roles) {
    const account = { username: role, email: `${role}@example.com`, password: `the ${role} password`, role }
    await onSiteOf(app, cats, (site) => createUser(site, account))
  }
  const cookies = {
    admin: cookieIn(await askPage(app, cats, 'POST /login', { form: ada })),
    manager: cookieIn(
      await askPage(app, cats, 'POST /login', {
        form: { login: 'manager', password: 'the manager password' },
      }),
    ),
    user: cookieIn(
      await askPage(app, cats, 'POST /login', { form: { login: 'user', password: 'the user password' } }),
    ),
  }
  for (const { path, access } of pageRoutes.filter(({ method }) => method === 'GET')) {
    const real = path.replaceAll(/\{\w+\}/g, 'x')
    for (const [role, cookie] of Object.entries(cookies)) {
      const { status } = await askPage(app, cats, `GET ${real}`, {
        cookie,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      const mayOpen = !isRight(access) || mayDo(role as Role, access)
      assert.equal(status === 403, !mayOpen, `${role} ${real} ${status}`)
      assert.ok(status < 500, `${role} ${real} ${status}`)
    }
    const guest = await askPage(app, cats, `GET ${real}?a=1&b=2`)
    if (access === 'anyone') continue
    assert.equal(guest.status, 302, real)
    assert.equal(guest.headers.location, `/login?to=${encodeURIComponent(`${real}?a=1&b=2`)}`)
  }
})

test('closed sign-up is not found, and old addresses lead on', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  assert.equal((await askPage(app, cats, 'GET /signup')).status, 404)
  assert.equal((await askPage(app, cats, 'POST /signup', { form: {} })).status, 404)
  assert.doesNotMatch((await askPage(app, cats, 'GET /login')).text, /Sign up/)
  for (const [from, status, to] of [
    ['/account', 301, '/settings'],
    ['/settings/api', 301, '/settings/keys'],
    ['/account/password-forgot', 301, '/password'],
    ['/.well-known/change-password', 302, '/settings/security'],
  ] as const) {
    const { headers, ...answer } = await askPage(app, cats, `GET ${from}`)
    assert.deepEqual([answer.status, headers.location], [status, to])
  }
  const reset = await askPage(app, cats, 'GET /password')
  assert.match(reset.text, /This site can’t send e-mail/)
})
