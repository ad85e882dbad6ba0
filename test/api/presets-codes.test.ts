import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask, browserHeaders } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { multipartOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

async function putPresets(app: TestApp, cats: TestTenant, count = 1): Promise<void> {
  const key = await keyOf(app, cats, 'admin')
  const body = { width: 300, height: 200, fit: 'cover', format: 'jpeg' }
  for (let index = 0; index < count; index += 1)
    assert.equal((await ask5(app, cats, `PUT presets/card${index}`, { key, body })).status, 201)
}

const codesIn = (text: string) =>
  [...text.matchAll(/value="([^"]*preset=[^"]*)"/g)].map(([, code = '']) =>
    code
      .replaceAll('&quot;', '"')
      .replaceAll('&#34;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )

test('the page of a file leads to links and snippets in the sizes of presets, ten of them at most', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await picture({ width: 900, height: 600 })
  const { url, url_viewer: viewer, url_short: short } = await uploaded(app, cats, { file })
  assert.deepEqual(codesIn((await ask(app, viewer, browserHeaders)).text), [])
  await putPresets(app, cats)
  const inUsualSizes = (await ask(app, viewer, browserHeaders)).text
  assert.deepEqual(codesIn(inUsualSizes), [])
  const [, more = ''] = /href="([^"]*\?codes=presets)#codes"/.exec(inUsualSizes) ?? []
  const page = await ask(app, new URL(more, viewer).href, browserHeaders)
  assert.match(page.text, /Preset card0 \(300 × 200\)/)
  const link = `${url}?preset=card0`
  assert.deepEqual(codesIn(page.text), [
    link,
    `<a href="${short}"><img src="${link}" alt="${/alt="([^"]*)" width="300"/.exec(codesIn(page.text)[1] ?? '')?.[1]}" width="300" height="200"></a>`,
    codesIn(page.text)[2] ?? '',
    `[url=${short}][img]${link}[/img][/url]`,
  ])
  assert.ok(codesIn(page.text)[2]?.endsWith(`](${link})](${short})`))
  assert.equal((await ask(app, link)).headers['content-type'], 'image/jpeg')
  const before = page.text.length
  const key = await keyOf(app, cats, 'admin')
  for (let index = 1; index < 15; index += 1)
    await ask5(app, cats, `PUT presets/card${index}`, { key, body: { width: index + 1 } })
  const full = await ask(app, new URL(more, viewer).href, browserHeaders)
  assert.equal(codesIn(full.text).length, 40)
  assert.ok(full.text.length > before)
})

test('the result of an upload without script has them too, and settings for programs name them', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const here = await visitAs(app, cats)
  assert.doesNotMatch((await here.show('/settings/apps')).text, /preset=/)
  await putPresets(app, cats, 2)
  const file = await picture({ width: 900, height: 600 })
  const form = multipartOf([
    { name: 'csrf', value: here.csrf },
    { name: 'source', value: file, fileName: 'cat.png' },
  ])
  const sent = await app.send('POST', '/upload', {
    bytes: form.bytes,
    headers: {
      host: cats.hostname,
      ...browserHeaders,
      'content-type': form.type,
      'sec-fetch-site': 'same-origin',
      cookie: here.cookie,
    },
  })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(codesIn(sent.text).length, 8)
  const apps = await here.show('/settings/apps')
  assert.match(apps.text, /\{json:image\.url\}\?preset=card0/)
  assert.deepEqual(codesIn(apps.text), ['?preset=card0', '?preset=card1'])
  assert.equal((await askPage(app, cats, 'GET /settings/apps')).status, 302)
})
