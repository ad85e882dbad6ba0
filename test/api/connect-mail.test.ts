import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider, connectBy } from '../support/clients/connecting.ts'
import { onEachStore } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, cookieIn, stepCookieIn, tokenIn, visitAs } from '../support/pages.ts'
import { startLoginProvider } from '../support/servers/login-provider.ts'
import { startMailSite } from '../support/servers/mail-site.ts'

onEachStore('sign-up by a provider, with mail', (store) => {
  test('makes a user at once whose address waits, also if another user has it', async () => {
    await using login = await startLoginProvider()
    await using site = await startMailSite(store, { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow })
    const { app, cats } = site
    await addProvider(app, cats, login, { name: 'office' })
    const signUp = async (username: string, email: string) => {
      login.person = { sub: username, email, email_verified: true }
      const back = await connectBy(app, cats, '/connect/office?to=/settings')
      const cookie = stepCookieIn(back, 'terrace-account')
      const form = { username }
      const made = await askPage(app, cats, 'POST /connect/office/signup', { cookie, form })
      assert.deepEqual([made.status, made.headers.location], [303, '/settings'])
      const headers = { cookie: cookieIn(made), 'sec-fetch-site': 'same-origin' }
      const { user } = (await ask5(app, cats, 'GET me', { headers })).json
      return { user, cookie: cookieIn(made) }
    }
    const berta = await signUp('berta', 'berta@example.com')
    const { email, pending_email, is_email_confirmed } = berta.user
    assert.deepEqual([email, pending_email, is_email_confirmed], [null, 'berta@example.com', false])
    const squatter = await signUp('squatter', 'ada@example.com')
    assert.deepEqual([squatter.user.email, squatter.user.pending_email], [null, 'ada@example.com'])
    assert.match((await site.read('ada@example.com', /Your account/)).text, /already have an account: ada/)
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: squatter.cookie })).status, 200)

    // Staff see users without an address, and write to none of them.
    const ada = await visitAs(app, cats)
    assert.match((await ada.show('/dashboard/users')).text, /No address yet/)
    assert.doesNotMatch((await ada.show(`/dashboard/users/${berta.user.id}`)).text, /value="mail"/)
    const admin = await keyOf(app, cats, 'admin')
    const listed = (await ask5(app, cats, 'GET users', { key: admin })).json.data
    assert.deepEqual(listed.map(({ username, email }: Record<string, unknown>) => [username, email]).sort(), [
      ['ada', 'ada@example.com'],
      ['berta', null],
      ['squatter', null],
    ])
    const { path } = await site.read('berta@example.com', /Confirm/)
    const confirmed = await askPage(app, cats, `POST ${path}`, { form: {}, cookie: berta.cookie })
    assert.equal(confirmed.headers.location, '/settings?saved=1')
    const { json } = await ask5(app, cats, `GET users/${berta.user.id}`, { key: admin })
    assert.deepEqual([json.email, json.is_email_confirmed], ['berta@example.com', true])
  })

  test('the user gets a mail about a connected and a disconnected account', async () => {
    await using login = await startLoginProvider()
    await using site = await startMailSite(store, { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow })
    const { app, cats } = site
    await addProvider(app, cats, login, { name: 'office' })
    const ada = await visitAs(app, cats)
    const back = await connectBy(app, cats, '/connect/office?to=/settings/security', ada.cookie)
    const cookie = `${ada.cookie}; ${stepCookieIn(back, 'terrace-account')}`
    const page = await askPage(app, cats, 'GET /connect/office/account', { cookie })
    await askPage(app, cats, 'POST /connect/office/link', { cookie, form: { csrf: tokenIn(page) } })
    await site.read('ada@example.com', /was connected to yours/)
    const [, id = ''] = /connections\/(\w+)\/end/.exec((await ada.show('/settings/security')).text) ?? []
    await ada.send(`/settings/security/connections/${id}/end`, {})
    await site.read('ada@example.com', /was disconnected from yours/)
  })
})
