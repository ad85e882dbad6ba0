import assert from 'node:assert/strict'
import { test } from 'vitest'
import { browserHeaders } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'

const choose = (app: TestApp, form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.send('POST', '/_/preferences', {
    bytes: new URLSearchParams(form).toString(),
    headers: { host: 'cats.test', 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

const kept = 'Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax'

test('language and theme are kept in cookies, and what is unknown changes nothing', async () => {
  await using app = await startTestApp()
  const both = await choose(app, { language: 'de', theme: 'dark', to: '/image/x?a=1' })
  assert.deepEqual([both.status, both.headers.location, both.text], [303, '/image/x?a=1', ''])
  assert.deepEqual(both.headers['set-cookie'], [
    `terrace-language=de; ${kept}`,
    `terrace-theme=dark; ${kept}`,
  ])
  const automatic = await choose(app, { theme: 'auto' })
  assert.deepEqual(automatic.headers['set-cookie'], [
    'terrace-theme=auto; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  ])
  const unknown = await choose(app, { language: 'xx; Domain=evil.example', theme: '<script>' })
  assert.deepEqual([unknown.status, unknown.headers['set-cookie']], [303, undefined])
  assert.equal((await choose(app, {}, { 'content-type': 'application/json' })).status, 415)
  assert.equal((await app.send('GET', '/_/preferences', {})).status, 405)
})

test('the form leads to a path of its own host and nowhere else', async () => {
  await using app = await startTestApp()
  const elsewhere = ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '']
  for (const to of [...elsewhere, '/a\r\nset-cookie: b=c', '/ä', '\t//evil.example'])
    assert.equal((await choose(app, { theme: 'dark', to })).headers.location, '/', to)
})

test('under https cookies are secure, and pages keep other windows and plain http away', async () => {
  await using app = await startTestApp({ environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
  await app.tenant('cats')
  const { headers } = await choose(app, { language: 'es' })
  assert.deepEqual(headers['set-cookie'], [`__Host-terrace-language=es; ${kept}; Secure`])
  for (const path of ['/', '/none', '/_/docs']) {
    const page = await app.send('GET', path, { headers: { ...browserHeaders, host: 'cats.test' } })
    assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin', path)
    assert.equal(page.headers['strict-transport-security'], 'max-age=31536000', path)
    assert.equal(page.headers['referrer-policy'], 'same-origin', path)
  }
})

test('error pages speak the language of the reader, escape what they repeat and offer a next step', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const ask = (path: string, headers: Record<string, string> = {}) =>
    app.send('GET', path, { headers: { ...browserHeaders, host: 'cats.test', ...headers } })
  const german = await ask('/none?a="><script>alert(1)</script>', { 'accept-language': 'de-AT' })
  assert.equal(german.status, 404)
  assert.match(german.text, /<html lang="de">[\s\S]*<h1>Nicht gefunden<\/h1>[\s\S]*href="\/">Zur Startseite</)
  assert.ok(german.text.includes('value="/none?a=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
  const dark = await ask('/none', { cookie: 'terrace-theme=dark; terrace-language=es' })
  assert.match(dark.text, /<html lang="es" class="dark">/)
  // A host without a site has no front page to lead to.
  const nowhere = await ask('/none', { host: 'nobody.test' })
  assert.doesNotMatch(nowhere.text, /<a [^>]*href="\/"/)
})
