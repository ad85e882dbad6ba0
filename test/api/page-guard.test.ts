import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, cookieIn, tokenIn } from '../support/pages.ts'
import { onSiteOf } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }

onEachStore('the guard of the pages', (store) => {
  test('a log-in opens a new session, whatever the browser had before, and a log-out ends it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const planted = 'terrace-session=plantedplantedplantedplanted'
    const first = await askPage(app, cats, 'POST /login', { form: { ...ada, to: '/?a=1' }, cookie: planted })
    assert.deepEqual([first.status, first.headers.location], [303, '/?a=1'])
    const cookie = cookieIn(first)
    assert.doesNotMatch(cookie, /planted/)
    assert.match(String(first.headers['set-cookie']), /; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.doesNotMatch((await askPage(app, cats, 'GET /', { cookie: planted })).text, /Account of ada/)

    const home = await askPage(app, cats, 'GET /', { cookie })
    assert.match(home.text, /Account of ada/)
    // Logging in again ends the session before.
    const second = await askPage(app, cats, 'POST /login', { form: ada, cookie })
    assert.doesNotMatch((await askPage(app, cats, 'GET /', { cookie })).text, /Account of ada/)
    const form = { csrf: tokenIn(await askPage(app, cats, 'GET /', { cookie: cookieIn(second) })) }
    const gone = await askPage(app, cats, 'POST /logout', { form, cookie: cookieIn(second) })
    assert.deepEqual([gone.status, gone.headers.location], [303, '/'])
    assert.match(String(gone.headers['set-cookie']), /^terrace-session=; Max-Age=0;/)
    assert.match((await askPage(app, cats, 'GET /', { cookie: cookieIn(second) })).text, /Log in/)
  })

  test('the session of a banned user, and that of another site, opens nothing', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const cookie = cookieIn(await askPage(app, cats, 'POST /login', { form: ada }))
    assert.doesNotMatch((await askPage(app, dogs, 'GET /', { cookie })).text, /Account of/)
    // The row alone: `editUser` would also delete the session.
    await onSiteOf(app, cats, (site) => site.db.updateTable('user').set({ isBanned: 1 }).execute())
    assert.doesNotMatch((await askPage(app, cats, 'GET /', { cookie })).text, /Account of/)
  })
})

test('a form counts only from a page of the site itself', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const status = async (headers: Record<string, string>) => {
    const plain = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const bytes = new URLSearchParams(ada).toString()
    return (await app.send('POST', '/login', { bytes, headers: { host: cats.hostname, ...plain } })).status
  }
  const own = `http://${cats.hostname}:${app.port}`
  assert.equal(await status({ 'sec-fetch-site': 'same-origin' }), 303)
  assert.equal(await status({ origin: own }), 303)
  assert.equal(await status({ 'x-terrace-page': '1' }), 303)
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(await status({ 'sec-fetch-site': site, origin: own, 'x-terrace-page': '1' }), 403, site)
  for (const origin of ['http://dogs.test', `http://${cats.hostname}`, 'null'])
    assert.equal(await status({ origin, 'x-terrace-page': '1' }), 403, origin)
  assert.equal(await status({}), 403)
})

test('a form of a session needs the token of this session', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const logIn = async () => cookieIn(await askPage(app, cats, 'POST /login', { form: ada }))
  const [cookie, other] = [await logIn(), await logIn()]
  const token = tokenIn(await askPage(app, cats, 'GET /', { cookie }))
  const otherToken = tokenIn(await askPage(app, cats, 'GET /', { cookie: other }))
  assert.notEqual(token, otherToken)
  for (const csrf of ['', otherToken, `${token}0`, 'ä'.repeat(64)]) {
    const refused = await askPage(app, cats, 'POST /logout', { cookie, form: { csrf } })
    assert.equal(refused.status, 403, csrf)
    // The error page still says who is logged in.
    assert.match(refused.text, /Account of ada/)
  }
  const headers = { 'x-csrf-token': token }
  assert.equal((await askPage(app, cats, 'POST /logout', { cookie, form: {}, headers })).status, 303)
})

test('the way back stays on the site', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  for (const to of [
    '//dogs.test/',
    'https://dogs.test',
    '/\\dogs.test',
    'javascript:1',
    '/a\r\nx: y',
    '/ä',
  ]) {
    const { headers } = await askPage(app, cats, 'POST /login', { form: { ...ada, to } })
    assert.equal(headers.location, '/', to)
  }
})

test('a form of a session that has ended leads back to the page that it was on', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const location = async (referer: string) => {
    const headers = { referer }
    return (await askPage(app, cats, 'POST /settings/email', { form: { email: 'a@b' }, headers })).headers
      .location
  }
  assert.equal(
    await location(`http://${cats.hostname}:${app.port}/settings?a=1`),
    '/login?to=%2Fsettings%3Fa%3D1',
  )
  for (const elsewhere of ['http://dogs.test/settings', 'no address', ''])
    assert.equal(await location(elsewhere), '/login?to=%2F', elsewhere)
})

test('wrong log-ins keep the form, and too many are refused for a while', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const tried = (password: string) =>
    askPage(app, cats, 'POST /login', { form: { login: '"<b>ada', password, stay: '1', to: '/x' } })
  const wrong = await tried('wrong')
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /Wrong user name or password/)
  assert.match(wrong.text, /value="&quot;&lt;b&gt;ada"/)
  assert.match(wrong.text, /name="stay" value="1" checked/)
  assert.match(wrong.text, /name="to" value="\/x"/)
  for (let count = 1; count < 10; count += 1) assert.equal((await tried('wrong')).status, 401)
  const refused = await askPage(app, cats, 'POST /login', { form: ada })
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600'])
  assert.match(refused.text, /Too many wrong passwords. Try again in 10 minutes/)
  app.wait(601)
  assert.equal((await askPage(app, cats, 'POST /login', { form: ada })).status, 303)
})

test('under https the cookie is bound to the host, and a log-out has the browser forget its pages', async () => {
  await using app = await startTestApp({ environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
  const cats = await app.tenant('cats')
  const opened = await askPage(app, cats, 'POST /login', { form: { ...ada, stay: '1' } })
  const cookie = cookieIn(opened)
  assert.match(
    String(opened.headers['set-cookie']?.[0]),
    /^__Host-terrace-session=\w+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  const form = { csrf: tokenIn(await askPage(app, cats, 'GET /', { cookie })) }
  const gone = await askPage(app, cats, 'POST /logout', { form, cookie })
  assert.equal(gone.headers['clear-site-data'], '"cache"')
  // Our own header is no proof where browsers send better ones.
  const headers = { 'x-terrace-page': '1', host: cats.hostname }
  assert.equal((await app.send('POST', '/login', { headers })).status, 403)
})
