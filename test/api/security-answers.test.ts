import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addProvider, beginAt } from '../support/clients/connecting.ts'
import { browserHeaders } from '../support/delivered.ts'
import { type Answer, onEachStore, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { passThrough, startLoginProvider } from '../support/servers/login-provider.ts'
import { type TestTenant, uploaded } from '../support/uploads.ts'

/** One answer of each kind that a browser can be led to: pages, redirects, APIs, files, assets, refusals. */
async function answersOfEveryKind(app: TestApp, cats: TestTenant): Promise<Map<string, Answer>> {
  const { url, thumb } = await uploaded(app, cats)
  const at = (path: string, headers = {}) =>
    app.send('GET', path, { headers: { host: cats.hostname, ...headers } })
  const file = (headers = {}) => at(new URL(url).pathname, headers)
  const tag = String((await file()).headers.etag)
  const home = await askPage(app, cats, 'GET /')
  const [asset = ''] = /\/_\/assets\/[\w.-]+/.exec(home.text) ?? []
  return new Map([
    ['a page', home],
    ['a page that is not there', await askPage(app, cats, 'GET /none')],
    ['a page of the documentation', await at('/_/docs', browserHeaders)],
    ['a redirect', await askPage(app, cats, 'GET /settings')],
    ['a file', await file()],
    ['a file from memory', await file()],
    ['a file that the browser has', await file({ 'if-none-match': tag })],
    ['a part of a file', await file({ range: 'bytes=0-3' })],
    ['a part beyond the end', await file({ range: 'bytes=99999999-' })],
    ['a thumb', await at(new URL(thumb.url).pathname)],
    ['a file that is not there', await at('/images/none.png')],
    ['an asset', await at(asset)],
    ['an asset that is not there', await at('/_/assets/none.js')],
    ['the API of a site', await ask5(app, cats, 'GET me')],
    ['a problem', await ask5(app, cats, 'GET keys')],
    ['the upload API', await app.send('POST', '/api/1/upload', { headers: { host: cats.hostname } })],
    ['the management API', await app.call('GET', 'tenants')],
    ['robots.txt', await at('/robots.txt')],
    ['the sitemap', await at('/sitemap.xml')],
    ['the manifest', await at('/manifest.webmanifest')],
    ['health', await at('/_/health/live')],
    ['an unknown host', await at('/', { host: 'nobody.test' })],
    ['a wrong method', await app.send('DELETE', '/', { headers: { host: cats.hostname } })],
  ])
}

test('every answer forbids sniffing, framing and foreign content, and names its type and charset', async () => {
  await using app = await startTestApp()
  const answers = await answersOfEveryKind(app, await app.tenant('cats'))
  for (const [what, { headers, text, status }] of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff', what)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none';.*base-uri 'none'/, what)
    // Files alone are made to be shown by other sites; their policy lets nothing in them run.
    const isFile =
      what.startsWith('a thumb') ||
      /^a (file( from memory)?|file that the browser has|part of a file)$/.test(what)
    assert.match(policy, isFile ? /; sandbox; frame-ancestors \*$/ : /; frame-ancestors 'none'/, what)
    assert.doesNotMatch(policy, /script-src (?!'self')|unsafe-eval|object-src/, what)
    if (text === '' || status === 304) continue
    const type = headers['content-type'] ?? ''
    assert.match(type, /^(image\/(png|jpeg|webp)$|.*; charset=utf-8$)/, what)
  }
  const refused = await sendRaw(app.port, 'nonsense\r\n\r\n')
  assert.match(refused, /^HTTP\/1\.1 400 [\s\S]*x-content-type-options: nosniff/i)
  assert.match(refused, /content-security-policy: default-src 'none';.*frame-ancestors 'none'/i)
})

test('under https every answer keeps plain http away for a year', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const cats = await app.tenant('cats')
  const send: TestApp['send'] = (method, path, call = {}) =>
    app.send(method, path, { ...call, headers: { 'x-forwarded-proto': 'https', ...call.headers } })
  const behind = { ...app, send, call: app.call } as TestApp
  for (const [what, { headers }] of await answersOfEveryKind(behind, cats)) {
    if (what === 'the management API') continue
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=31536000\b/, what)
  }
  const plain = await app.send('GET', '/', { headers: { host: cats.hostname } })
  assert.equal(plain.headers['strict-transport-security'], undefined)
})

const cookiesIn = ({ headers }: Answer) => headers['set-cookie'] ?? []

onEachStore('cookies', (store) => {
  test('are all bound to the host, hidden from scripts and kept from other sites under https', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const secret = { title: 'Locked', privacy: 'password', password: 'open sesame' }
    const album = (await ask5(app, cats, 'POST albums', { key, body: secret })).json
    const share = (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: { name: 'a link' } }))
      .json
    const sharePath = new URL(share.url).pathname
    const opened = await askPage(app, cats, `GET ${sharePath}`)
    const albumPath = new URL(album.url).pathname
    const form = { login: 'ada', password: 'a long password' }
    const cookies = [
      ...cookiesIn(await askPage(app, cats, 'POST /login', { form })),
      ...cookiesIn(
        await askPage(app, cats, 'POST /_/preferences', { form: { language: 'de', theme: 'dark' } }),
      ),
      ...cookiesIn(opened),
      ...cookiesIn(await askPage(app, cats, `POST ${albumPath}`, { form: { password: 'open sesame' } })),
    ]
    const names = ['session', 'language', 'theme', `share-${share.id}`, `album-${album.id}`]
    for (const name of names)
      assert.ok(
        cookies.some((cookie) => cookie.startsWith(`__Host-terrace-${name}=`)),
        `${name}: ${cookies.join('\n')}`,
      )
    for (const cookie of cookies) {
      assert.match(cookie, /^__Host-/)
      assert.match(cookie, /; Path=\/(;|$)/)
      for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax'])
        assert.ok(cookie.split('; ').includes(attribute), cookie)
      assert.doesNotMatch(cookie, /domain/i)
    }
    const kept = cookies.map((cookie) => cookie.split(';', 1).join()).join('; ')
    const again = await askPage(app, cats, `GET ${sharePath}`, { cookie: kept })
    assert.deepEqual([again.status, cookiesIn(again)], [200, []])
    const unlocked = await askPage(app, cats, `GET ${albumPath}`, {
      cookie: kept.replace(/__Host-terrace-session=\w+; /, ''),
    })
    assert.match(unlocked.text, /<html lang="de" class="dark"/)
    assert.doesNotMatch(unlocked.text, /type="password"/)
  })

  test('of a session are shown to no script: no body has the token', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const body = { login: 'ada', password: 'a long password' }
    const logged = await ask5(app, cats, 'POST sessions', { body })
    const [, token = ''] = /terrace-session=(\w+)/.exec(String(logged.headers['set-cookie'])) ?? []
    assert.ok(token.length > 40)
    const headers = { cookie: `terrace-session=${token}`, 'sec-fetch-site': 'same-origin' }
    for (const answer of [
      logged,
      await ask5(app, cats, 'GET sessions', { headers }),
      await askPage(app, cats, 'GET /settings/security', { cookie: headers.cookie }),
    ]) {
      assert.ok(answer.status < 300, answer.text)
      assert.ok(!answer.text.includes(token))
    }
  })
})

onEachStore('pages about accounts', (store) => {
  test('are kept by no browser and no cache, and a log-out clears what was kept before', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const paths = [
      '/settings',
      '/settings/security',
      '/settings/keys',
      '/dashboard',
      '/dashboard/users',
      '/dashboard/audit',
    ]
    for (const path of paths) {
      const { status, headers } = await here.show(path)
      assert.deepEqual([status, headers['cache-control']], [200, 'no-store'], path)
    }
    const form = { csrf: here.csrf }
    const out = await askPage(app, cats, 'POST /logout', { cookie: here.cookie, form })
    assert.deepEqual([out.status, out.headers['clear-site-data']], [303, '"cache"'])
    assert.equal((await here.show('/settings')).headers.location, '/login?to=%2Fsettings')
  })
})

test('TRACE is refused everywhere, and repeats nothing of the request', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const { url } = await uploaded(app, cats)
  for (const path of [
    '/',
    '/login',
    '/api/5/me',
    '/api/1/upload',
    '/_/api/4/tenants',
    new URL(url).pathname,
  ]) {
    const asked = {
      headers: { host: cats.hostname, 'x-canary': 'a canary', cookie: 'terrace-session=canary' },
    }
    const { status, text } = await app.send('TRACE', path, asked)
    assert.ok(status === 404 || status === 405, `${path}: ${status}`)
    assert.doesNotMatch(text, /canary/)
  }
})

onEachStore('a log-in by a provider', (store) => {
  test('is not begun by a page of another site: its person has to press a button', async () => {
    await using login = await startLoginProvider()
    const environment = { SERVICE_LOGIN_PROVIDER_ALLOW: login.allow }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await addProvider(app, cats, login, { name: 'office' })
    for (const from of ['cross-site', 'same-site']) {
      const led = await askPage(app, cats, 'GET /connect/office?to=/mine', {
        headers: { 'sec-fetch-site': from },
      })
      assert.deepEqual([led.status, led.headers.location], [303, '/login?to=%2Fmine'])
      assert.equal(led.headers['set-cookie'], undefined)
    }
    const begun = await beginAt(app, cats, '/connect/office')
    assert.ok((await passThrough(begun.address)).search.includes('code='))
  })
})
