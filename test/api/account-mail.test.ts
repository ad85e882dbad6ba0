import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, cookieIn } from '../support/pages.ts'
import { startMailSite } from '../support/servers/mail-site.ts'

const ada = { login: 'ada', password: 'a long password' }

onEachStore('mail', (store) => {
  test('a reset link sets a new password once, within 30 minutes, and ends all sessions', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    const cookie = cookieIn(await askPage(app, cats, 'POST /login', { form: ada }))
    const ask = (email: string) => askPage(app, cats, 'POST /password', { form: { email } })
    // One answer for all addresses.
    const unknown = await ask('nobody@example.com')
    const known = await ask('Ada@Example.com')
    const plain = (text: string) => text.replaceAll(/nobody@example.com|Ada@Example.com/g, 'X')
    assert.deepEqual([known.status, plain(known.text)], [unknown.status, plain(unknown.text)])
    const first = await site.read('ada@example.com', /^New password for cats\.test$/)
    assert.match(first.text, /account ada at cats\.test/)
    assert.equal(new URL(first.link).host, `cats.test:${app.port}`)

    // Looking at a link does not use it.
    await ask('ada@example.com')
    const second = await site.read('ada@example.com', /New password/)
    assert.equal((await askPage(app, cats, `GET ${first.path}`)).status, 200)
    const shown = await askPage(app, cats, `GET ${second.path}`)
    assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'no-store'])
    const set = (path: string, password: string) => askPage(app, cats, `POST ${path}`, { form: { password } })
    assert.equal((await set(second.path, 'short')).status, 400)
    const done = await set(second.path, 'another one')
    assert.deepEqual([done.status, done.headers.location], [303, '/login?reset=1'])
    assert.equal((await set(second.path, 'a third one')).status, 404)
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie })).status, 302)
    const form = { login: 'ada', password: 'another one' }
    assert.equal((await askPage(app, cats, 'POST /login', { form })).status, 303)

    await ask('ada@example.com')
    const late = await site.read('ada@example.com', /New password/)
    app.wait(1_801)
    assert.equal((await set(late.path, 'a third one')).status, 404)
    for (const token of ['x', '%00', 'a'.repeat(5_000), '..'])
      assert.equal((await askPage(app, cats, `GET /password/${token}`)).status < 500, true, token)
  })

  test('a sign-up is confirmed by its link, and does not reveal who has an account', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    assert.doesNotMatch((await askPage(app, cats, 'GET /signup')).text, /type="password"/)
    const signUp = (form: Record<string, string>) => askPage(app, cats, 'POST /signup', { form })
    const asked = await signUp({ username: 'bob', email: 'bob@example.com' })
    assert.equal(asked.status, 200)
    assert.equal(asked.headers['set-cookie'], undefined)
    const known = await signUp({ username: 'bobby', email: 'ADA@example.com' })
    const plain = (text: string) => text.replaceAll(/bob@example.com|ADA@example.com/g, 'X')
    assert.equal(plain(known.text), plain(asked.text))
    assert.match((await site.read('ADA@example.com', /Your account/)).text, /already have an account: ada/)
    const { path } = await site.read('bob@example.com', /Your account/)

    const logIn = { form: { login: 'bob', password: 'bobs password' } }
    assert.equal((await askPage(app, cats, 'POST /login', logIn)).status, 401)
    const question = await askPage(app, cats, `GET ${path}`)
    assert.match(question.text, /Your user name is bob/)
    for (const form of [{}, { password: '' }, { password: 'short' }] as Record<string, string>[]) {
      const refused = await askPage(app, cats, `POST ${path}`, { form })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /type="password"/)
    }
    const form = { password: 'bobs password' }
    const made = await askPage(app, cats, `POST ${path}`, { form })
    assert.match((await askPage(app, cats, 'GET /', { cookie: cookieIn(made) })).text, /Account of bob/)
    assert.equal((await askPage(app, cats, `POST ${path}`, { form })).status, 404)
    assert.equal((await askPage(app, cats, 'POST /login', logIn)).status, 303)

    await signUp({ username: 'carol', email: 'carol@example.com' })
    const third = await site.read('carol@example.com', /Your account/)
    app.wait(86_401)
    assert.equal((await askPage(app, cats, `POST ${third.path}`, { form })).status, 404)
  })

  test('the password of a sign-up is that of the person who opened the mail, not of the one who asked', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    const asked = { username: 'bob', email: 'bob@example.com', password: 'of the attacker' }
    assert.equal((await askPage(app, cats, 'POST /signup', { form: asked })).status, 200)
    const { path } = await site.read('bob@example.com', /Your account/)
    assert.equal(
      (await askPage(app, cats, `POST ${path}`, { form: { password: 'of the owner' } })).status,
      303,
    )
    const logIn = (password: string) =>
      askPage(app, cats, 'POST /login', { form: { login: 'bob', password } })
    assert.equal((await logIn('of the attacker')).status, 401)
    assert.equal((await logIn('of the owner')).status, 303)
  })

  test('of one network ten mails are sent in an hour', async () => {
    await using site = await startMailSite(store)
    const { app, cats } = site
    const ask = () => askPage(app, cats, 'POST /password', { form: { email: 'nobody@example.com' } })
    for (let count = 0; count < 10; count += 1) assert.equal((await ask()).status, 200)
    const refused = await ask()
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '3600'])
    assert.match(refused.text, /value="nobody@example.com"/)
    // They are no wrong passwords.
    assert.equal((await askPage(app, cats, 'POST /login', { form: ada })).status, 303)
    app.wait(3_601)
    assert.equal((await ask()).status, 200)
  })
})

test('a mail server that is down is no fault of the page', async () => {
  await using app = await startTestApp({ environment: { SERVICE_SMTP_URL: 'smtp://127.0.0.1:1' } })
  const cats = await app.tenant('cats')
  const { status } = await askPage(app, cats, 'POST /password', { form: { email: 'ada@example.com' } })
  assert.equal(status, 200)
})
