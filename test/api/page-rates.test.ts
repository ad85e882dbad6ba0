import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { limit, set, uploaded } from '../support/uploads.ts'

async function started() {
  const app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  let network = 0
  /** As a visitor of a network that has asked for nothing yet. */
  const visitor = () => {
    network += 1
    const headers = { 'x-forwarded-for': `192.0.2.${network}`, 'sec-fetch-site': 'same-origin' }
    return (path: string, more: Record<string, string> = {}) =>
      askPage(app, cats, `GET ${path}`, { headers: { ...headers, ...more } })
  }
  return { app, cats, visitor }
}

test('each GET of a page, a sitemap, a zip and a grid is a read, and one of nothing too', async () => {
  const { app, cats, visitor } = await started()
  await using _ = app
  const key = await keyOf(app, cats, 'admin')
  const album = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip', privacy: 'public' } })
  const { url_viewer: viewer } = await uploaded(app, cats, { fields: { album_id: album.json.id } })
  await limit(app, cats, { SERVICE_RATE_READS: '2' })
  for (const path of [
    '/',
    '/explore',
    '/tags',
    '/login',
    '/settings',
    '/dashboard',
    '/sitemap.xml',
    '/robots.txt',
    '/api-v1',
    '/none',
    '/none/none/none',
    '/page/none',
    '/image/none',
    '/album/none',
    '/share/none',
    '/oembed?url=x',
    new URL(viewer).pathname,
    `/album/${album.json.id}/zip`,
    '/-/files/shape?in=explore',
    '/-/files/window?in=explore',
    '/-/upload',
    '/image/x/delete/y',
  ]) {
    const ask = visitor()
    for (const _time of [1, 2]) assert.notEqual((await ask(path)).status, 429, path)
    const refused = await ask(path, { 'accept-language': 'es' })
    assert.equal(refused.status, 429, path)
    assert.ok(Number(refused.headers['retry-after']) >= 1, path)
    assert.match(refused.text, /<html lang="es"/, path)
    assert.equal((await ask('/explore')).status, 429)
    assert.equal(
      (await ask5(app, cats, 'GET pages', { headers: { 'x-forwarded-for': '192.0.2.99' } })).status,
      200,
    )
    app.wait(60)
  }
})

test('searches on pages count as searches, with those of the API', async () => {
  const { app, cats, visitor } = await started()
  await using _ = app
  await limit(app, cats, { SERVICE_RATE_SEARCH: '2' })
  for (const path of [
    '/search?q=a',
    '/search',
    '/-/files/shape?in=search:a',
    '/-/files/window?in=search%3Aa',
  ]) {
    const ask = visitor()
    for (const _time of [1, 2]) assert.notEqual((await ask(path)).status, 429, path)
    assert.equal((await ask(path)).status, 429, path)
    assert.equal((await ask('/explore')).status, 200)
  }
  const ada = await visitAs(app, cats)
  assert.equal((await ada.show('/dashboard/users?q=a')).status, 200)
  const asAda = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
  assert.equal((await ask5(app, cats, 'GET files?q=a', { headers: asAda })).status, 200)
  assert.equal((await ada.show('/dashboard/files?q=a')).status, 429)
  assert.equal((await ada.show('/dashboard/files')).status, 200)
  assert.equal((await ask5(app, cats, 'GET files?q=a', { headers: asAda })).status, 429)
})

test('a user has one count on pages and in the API, from every network, and a key its own', async () => {
  const { app, cats, visitor } = await started()
  await using _ = app
  const ada = await visitAs(app, cats)
  const key = await keyOf(app, cats, 'read')
  await limit(app, cats, { SERVICE_RATE_READS: '3' })
  app.wait(60)
  const [cookie, here, there] = [{ cookie: ada.cookie }, visitor(), visitor()]
  assert.equal((await here('/explore', cookie)).status, 200)
  assert.equal((await there('/explore', cookie)).status, 200)
  const session = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
  assert.equal((await ask5(app, cats, 'GET me', { headers: session })).status, 200)
  assert.equal((await ask5(app, cats, 'GET me', { headers: session })).status, 429)
  assert.equal((await there('/explore', cookie)).status, 429)
  assert.equal((await there('/explore')).status, 200)
  assert.equal((await ask5(app, cats, 'GET me', { key })).status, 200)
  await limit(app, cats, { SERVICE_RATE_READS: '0' })
  assert.equal((await there('/explore', cookie)).status, 200)
})

test('bytes, assets and health count towards no rate', async () => {
  const { app, cats, visitor } = await started()
  await using _ = app
  const { url } = await uploaded(app, cats)
  await limit(app, cats, { SERVICE_RATE_READS: '1' })
  const ask = visitor()
  const page = await ask('/explore')
  assert.equal(page.status, 200)
  const [, asset = ''] = /href="(\/_\/assets\/[^"]+)"/.exec(page.text) ?? []
  assert.notEqual(asset, '')
  for (const path of [
    new URL(url).pathname,
    asset,
    '/_/health/live',
    '/manifest.webmanifest',
    '/favicon.ico',
  ])
    for (const _time of [1, 2]) {
      const { status } = await ask(path)
      assert.ok(status === 200 || status === 302, `${path}: ${status}`)
    }
  assert.equal((await ask('/explore')).status, 429)
})
