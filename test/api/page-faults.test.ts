import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { multipartOf, uploaded } from '../support/uploads.ts'

const faultsIn = (text: string) =>
  [...text.matchAll(/id="([\w-]+)-fault"[^>]*>[\s\S]*?<span>([^<]*)<\/span>/g)].map(([, field, fault]) => [
    field,
    fault,
  ])

async function startSite() {
  const app = await startTestApp({ environment: { SERVICE_RATE_WRITES: '0' } })
  const cats = await app.tenant('cats')
  const ada = await visitAs(app, cats)
  const send = (language: string, path: string, form: Record<string, string>) =>
    askPage(app, cats, `POST ${path}`, {
      cookie: ada.cookie,
      form: { csrf: ada.csrf, ...form },
      headers: { 'accept-language': language },
    })
  return { app, cats, send, ada, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const long = 'x'.repeat(120)

test('a form shows what is wrong with a field in the language of its reader', async () => {
  await using site = await startSite()
  const texts = {
    en: 'Use 1 to 100 characters. You entered 120.',
    de: 'Erlaubt sind 1 bis 100 Zeichen, eingegeben sind 120.',
    es: 'Usa de 1 a 100 caracteres. Has escrito 120.',
  }
  for (const [language, text] of Object.entries(texts)) {
    const answer = await site.send(language, '/albums/new', { title: long, privacy: 'public' })
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsIn(answer.text), [['title', text]])
  }
})

test('no form of a German reader shows an English fault', async () => {
  await using site = await startSite()
  const { app, cats, send } = site
  const key = await keyOf(app, cats, 'write')
  const { json: album } = await ask5(app, cats, 'POST albums', { key, body: { title: 'Hafen' } })
  const { url_viewer } = await uploaded(app, cats)
  const viewer = new URL(url_viewer).pathname
  const forms: readonly (readonly [string, Record<string, string>])[] = [
    ['/albums/new', { title: long, privacy: 'password', sort: 'unknown' }],
    [`/album/${album.id}/shares`, { name: long, max_views: 'many', expires_at: '2001-01-01T00:00' }],
    [`${viewer}/edit`, { title: long, tags: `${long}, a\u0007b`, version: '1' }],
    ['/dashboard/tags/rename', { key: 'dusk', name: 'a,b' }],
    ['/dashboard/settings/general', { timezone: 'Nowhere/Town', seen_timezone: 'UTC' }],
    ['/dashboard/pages/new', { title: '', url_key: '-', body: 'text' }],
    ['/dashboard/branding', { site_name: long, accent: 'red', seen_site_name: '', seen_accent: '' }],
    ['/settings/keys', { name: '', scope: 'upload' }],
    ['/upload', { url: 'http://127.0.0.1/x.png', tags: long }],
  ]
  for (const [path, form] of forms) {
    const { status, text } = await send('de', path, form)
    assert.equal(status, 400, path)
    assert.doesNotMatch(text, /must be|must not|must have|is required|is not (?:a|one)/, path)
  }
})

test('a file of a type that the site does not accept is refused with the name of the type', async () => {
  await using site = await startSite()
  const { app, cats, ada } = site
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  const { type, bytes } = multipartOf([
    { name: 'csrf', value: ada.csrf },
    { name: 'source', fileName: 'drawing.svg', value: Buffer.from(drawing) },
  ])
  const texts = {
    en: 'This site doesn’t accept SVG files.',
    de: 'Diese Website nimmt keine SVG-Dateien an.',
    es: 'Este sitio no acepta archivos SVG.',
  }
  for (const [language, expected] of Object.entries(texts)) {
    const { status, text } = await app.send('POST', '/upload', {
      bytes,
      headers: {
        host: cats.hostname,
        cookie: ada.cookie,
        'content-type': type,
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        'accept-language': language,
      },
    })
    assert.equal(status, 400, text)
    assert.ok(text.includes(expected), text)
  }
})

test('a file that is too large is refused with the limit as the reader writes numbers', async () => {
  await using site = await startSite()
  const { app, cats, ada } = site
  await app.call('PATCH', `tenants/${cats.id}`, { limits: { SERVICE_MAX_UPLOAD_SIZE: '1500' } })
  for (const [language, size] of [
    ['en', '1.5 KB'],
    ['de', '1,5 KB'],
    ['es', '1,5 KB'],
  ] as const) {
    const headers = {
      host: cats.hostname,
      cookie: ada.cookie,
      'content-type': 'application/octet-stream',
      'sec-fetch-site': 'same-origin',
      'x-terrace-page': '1',
      'x-csrf-token': ada.csrf,
      'accept-language': language,
    }
    const bytes = Buffer.alloc(2_000)
    const { status, text } = await app.send('POST', '/api/5/files?filename=a.png', { bytes, headers })
    assert.equal(status, 413, text)
    assert.ok(text.includes(size), text)
  }
})

test('scripts of a page are refused in the language of the page, clients of the API in English', async () => {
  await using site = await startSite()
  const { app, cats, ada } = site
  const call = (headers: Record<string, string>) =>
    app.send('POST', '/api/5/albums', {
      bytes: JSON.stringify({ title: long }),
      headers: {
        host: cats.hostname,
        'content-type': 'application/json',
        'accept-language': 'de',
        ...headers,
      },
    })
  const script = await call({
    cookie: ada.cookie,
    'x-terrace-page': '1',
    'sec-fetch-site': 'same-origin',
    'x-csrf-token': ada.csrf,
  })
  const german = 'Erlaubt sind 1 bis 100 Zeichen, eingegeben sind 120.'
  assert.deepEqual([script.status, script.json.detail, script.json.error.message], [400, german, german])
  assert.deepEqual(script.json.errors, [{ pointer: '#/title', detail: german }])
  const client = await call({ authorization: `Bearer ${await keyOf(app, cats, 'write')}` })
  assert.equal(client.json.detail, 'title: must be 1 to 100 characters long, not 120')
})
