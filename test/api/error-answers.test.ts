import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { test } from 'vitest'
import { createUser } from '../../src/accounts/index.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { freePort, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, cookieIn } from '../support/pages.ts'
import { onSiteOf, set } from '../support/uploads.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

async function startStates(): Promise<TestApp> {
  const app = await startTestApp()
  await app.tenant('cats')
  await app.tenant('off')
  await app.call('PATCH', 'tenants/off', { is_enabled: false })
  await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: true })
  return app
}

const titles = {
  400: 'We couldn’t read this request',
  403: 'This site is closed for now',
  404: 'Not found',
  503: 'Temporarily unavailable',
}

test('no cache keeps a page that refuses something', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const refused: string[] = []
  for (const { method, path } of pageRoutes) {
    const call = `${method} ${path.replace(/\{\w+\}/g, 'none')}`
    const { status, headers } = await askPage(app, cats, call, method === 'POST' ? { form: {} } : {})
    if (status < 400) continue
    refused.push(call)
    assert.match(String(headers['cache-control']), /\bno-store\b/, `${call}: ${status}`)
  }
  for (const call of ['GET /explore', 'GET /tag/none', 'POST /login']) assert.ok(refused.includes(call), call)
})

test('a browser at a site gets a page, every other client JSON', async () => {
  await using app = await startStates()
  for (const [host, path, status, text] of [
    ['nobody.test', '/', 404, 'Not Found'],
    ['cats.test', '/none', 404, 'Not Found'],
    ['off.test', '/', 403, 'Forbidden'],
    ['new.test', '/', 503, 'Service Unavailable'],
    ['a b', '/', 400, 'Bad Request'],
    ['cats.test', '/%ff', 400, 'Bad Request'],
  ] as const) {
    const page = await app.send('GET', path, { headers: { host, accept: browser } })
    assert.equal(page.status, status)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none';/)
    assert.ok(page.text.includes(`<h1>${titles[status]}</h1>`), page.text)
    assert.ok(page.text.includes('<meta name="robots" content="noindex">'))
    assert.ok(!/https?:|<img|<style|<script>/.test(page.text))
    for (const accept of [undefined, '*/*', 'application/json', 'text/plain', 'image/*', 'text/htmlx']) {
      const headers: Record<string, string> = accept === undefined ? { host } : { host, accept }
      const { json, headers: sent } = await app.send('GET', path, { headers })
      assert.equal(sent['content-type'], 'application/json; charset=utf-8', String(accept))
      assert.deepEqual(Object.keys(json), ['status_code', 'error', 'status_txt'])
      assert.deepEqual([json.status_code, json.error.code, json.status_txt], [status, status, text])
      assert.deepEqual(json.error.list, [json.error.message])
    }
    for (const { headers } of [page, await app.send('GET', path, { headers: { host } })]) {
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['retry-after'] !== undefined, status === 503)
    }
  }
  for (const path of [
    '/api/1/upload',
    '/1/upload',
    '//api//1/upload',
    '/%61pi/1/upload',
    '/_/none',
    '/_/api/4/tenants',
    '/%5f/none',
    '/_/',
  ]) {
    const { headers } = await app.send('GET', path, { headers: { host: 'nobody.test', accept: browser } })
    assert.match(String(headers['content-type']), /^application\/json/, path)
  }
})

test('a bug is reported by a number that the log has too, and by nothing else', async () => {
  await using app = await startStates()
  const database = new Database(join(app.dataDir, 'control.db'))
  database.exec(`update "tenant" set "limits" = 'not JSON' where "id" = 'cats'`)
  database.exec(`update "meta" set "value" = "value" + 1 where "name" = 'version'`)
  database.close()
  const logged: object[] = []
  app.app.log.error = (entry: object) => void logged.push(entry)
  const { status, json, text } = await app.call('GET', 'tenants/cats')
  assert.equal(status, 500)
  const [, incident] = /^Something went wrong\. Incident ([A-Za-z0-9]{12})\.$/.exec(json.error.message) ?? []
  assert.deepEqual(json, {
    status_code: 500,
    error: { message: json.error.message, code: 500, list: [json.error.message] },
    status_txt: 'Internal Server Error',
  })
  assert.ok(!/JSON|at |\.ts|select|tenant/.test(text.replace(json.status_txt, '')))
  assert.equal(logged.length, 1)
  assert.partialDeepStrictEqual(logged[0], { incident, route: '/_/api/4/tenants/:id' })
  assert.equal((await app.call('GET', 'tenants/new')).status, 200)
})

const head = (app: TestApp, body: string) =>
  `POST /_/api/4/tenants HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\nX-Signature: ${app.sign(body)}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

test('a server that closes finishes what it has begun, and takes nothing new', async () => {
  const app = await startTestApp()
  const body = '{"id":"late","hostname":"late.test","is_enabled":true}'
  const begun = connect(app.port, '127.0.0.1')
  const idle = connect(app.port, '127.0.0.1')
  let answer = ''
  begun.on('data', (chunk) => {
    answer += chunk
  })
  idle.on('error', () => undefined)
  begun.write(head(app, body) + body.slice(0, 10))
  idle.write('GET /_/health/live HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(idle, 'data')

  const closing = app[Symbol.asyncDispose]()
  const idleClosed = once(idle, 'close')
  await wait(100)
  await assert.rejects(sendRaw(app.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /ECONNREFUSED/)
  begun.write(`${body.slice(10)}GET /_/health/live HTTP/1.1\r\nHost: a\r\n\r\n`)
  await once(begun, 'close')
  await Promise.all([closing, idleClosed])
  assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/)
  // What came behind it was answered in our own words or not at all.
  assert.ok(!/"statusCode"/.test(answer))
})

test('a server that cannot have its internal port leaves the other one free', async () => {
  await using app = await startTestApp()
  const port = await freePort()
  const environment = { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_INTERNAL_PORT: String(app.port) }
  await assert.rejects(startTestApp({ environment }), /EADDRINUSE/)
  await assert.rejects(sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /ECONNREFUSED/)
})

test('the internal listener is as strict as the other one', async () => {
  const internal = await freePort()
  await using _app = await startTestApp({ environment: { SERVICE_INTERNAL_PORT: String(internal) } })
  for (const [bytes, status] of [
    ['nonsense\r\n\r\n', 400],
    ['GET /_/health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['GET /_/health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['GET /_/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
  ] as const) {
    const text = await sendRaw(internal, bytes)
    assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text)
    if (status !== 200) assert.ok(text.includes(`"status_code":${status}`))
  }
})

test('every error page shows who is logged in, the navigation and the reason in the language of the reader', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  const login = { login: 'ada', password: 'a long password' }
  const cookie = cookieIn(await askPage(app, cats, 'POST /login', { form: login }))
  const inGerman = { headers: { 'accept-language': 'de' } }
  const addresses = {
    'GET /no/such/page': 404,
    'GET /images/2026/none.jpg': 404,
    'GET /image/none.abcdefghijkl': 404,
    'GET /album/none.abcdefghijkl': 404,
    'GET /delete/abcdefghijkl/none': 404,
    'GET /share/none': 404,
    'DELETE /explore': 405,
  }
  for (const [call, status] of Object.entries(addresses)) {
    const page = await askPage(app, cats, call, { cookie, ...inGerman })
    assert.equal(page.status, status, call)
    assert.match(page.text, /<html lang="de"/, call)
    assert.match(page.text, /Konto von ada/, call)
    assert.match(page.text, /<nav class="top-nav".*href="\/explore"/, call)
    assert.match(String(page.headers['cache-control']), /\bno-store\b/, call)
    assert.doesNotMatch((await askPage(app, cats, call, inGerman)).text, /Konto von ada/, call)
  }

  await set(app, cats, { listing: 'off' })
  const reasons = {
    'GET /explore': 'Die Administratoren haben Listen ausgeschaltet.',
    'POST /login': 'Dieses Formular kam nicht von einer Seite dieser Website.',
  }
  for (const [call, reason] of Object.entries(reasons)) {
    const { text } = await askPage(app, cats, call, inGerman)
    assert.ok(text.includes(reason), text)
  }
})

test('a disabled site says that it is closed for now', async () => {
  await using app = await startStates()
  const off = { hostname: 'off.test' }
  const page = await askPage(app, off, 'GET /')
  assert.equal(page.status, 403)
  assert.match(
    page.text,
    /<h1>This site is closed for now<\/h1>\n<p>The operator has disabled this site\. Try again later\.<\/p>/,
  )
  assert.match(
    (await askPage(app, off, 'GET /', { headers: { 'accept-language': 'es' } })).text,
    /Este sitio está cerrado por ahora/,
  )
})

test('a page that is for others says for whom', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const eve = {
    username: 'eve',
    email: 'eve@example.com',
    password: 'a long password',
    role: 'user',
  } as const
  await onSiteOf(app, cats, (site) => createUser(site, eve))
  const form = { login: 'eve', password: eve.password }
  const cookie = cookieIn(await askPage(app, cats, 'POST /login', { form }))
  const page = await askPage(app, cats, 'GET /dashboard', { cookie, headers: { 'accept-language': 'de' } })
  assert.equal(page.status, 403)
  assert.match(page.text, /Diese Seite ist für Administratoren und Manager der Website\./)
})
