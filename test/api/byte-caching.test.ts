import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'vitest'
import { answerTo, startFastPath } from '../support/clients/fast-path.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

const forYear = 'public, max-age=31536000, immutable'
const forMinutes = 'public, max-age=300'

const switchTo = async (app: TestApp, tenant: TestTenant, isImmutable: boolean) => {
  const key = await keyOf(app, tenant, 'admin')
  const body = { immutable_bytes: isImmutable }
  const changed = await ask5(app, tenant, 'PATCH settings', { key, body })
  assert.equal(changed.status, 200, changed.text)
}

onEachStore('the setting immutable_bytes', (store) => {
  test('chooses between a year and minutes with an ETag, for every version and kind of request', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ width: 900, height: 700 }) })
    const urls = [image.url, image.thumb.url, image.medium.url]
    const tags = new Map<string, string>()
    const check = async (caching: string) => {
      for (const url of urls) {
        const sent = await ask(app, url)
        assert.deepEqual([sent.status, sent.headers['cache-control']], [200, caching], url)
        const tag = String(sent.headers.etag)
        assert.equal(tags.get(url) ?? tag, tag)
        tags.set(url, tag)
        const same = await ask(app, url, { 'if-none-match': tag })
        assert.deepEqual([same.status, same.headers['cache-control']], [304, caching], url)
        const part = await ask(app, url, { range: 'bytes=0-9' })
        assert.deepEqual([part.status, part.headers['cache-control']], [206, caching], url)
        assert.equal((await ask(app, url, {}, 'HEAD')).headers['cache-control'], caching, url)
      }
    }
    await check(forYear)
    await switchTo(app, cats, false)
    await check(forMinutes)
    await switchTo(app, cats, true)
    await check(forYear)
  })

  test('what becomes private is 404 at its old addresses at once, and the forms say what caches hold', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'x' } })).json
    const inAlbum = await uploaded(app, cats, { fields: { album_id: album.id } })
    const loose = await uploaded(app, cats, { file: await picture({ seed: 4 }) })
    const { show, send } = await visitAs(app, cats)
    const forms = [`/album/${album.id}/edit`, `${new URL(loose.url_viewer).pathname}/edit`]
    for (const path of forms) assert.match((await show(path)).text, /up to a year/, path)
    assert.match((await show(new URL(loose.url_viewer).pathname)).text, /up to a year/)
    await switchTo(app, cats, false)
    for (const path of forms) assert.match((await show(path)).text, /up to 5 minutes/, path)

    assert.equal((await ask(app, inAlbum.url)).status, 200)
    assert.equal((await ask(app, loose.url)).status, 200)
    const form = { title: 'x', privacy: 'private', version: String(album.version), sort: 'position' }
    assert.equal((await send(`/album/${album.id}/edit`, form)).status, 303)
    await ask5(app, cats, `PATCH files/${loose.id_encoded}`, { key, body: { is_private: true } })
    for (const { url, thumb } of [inAlbum, loose])
      for (const each of [url, thumb.url]) assert.equal((await ask(app, each)).status, 404, each)
  })
})

test('the fast path and a proxy that sends the bytes follow the setting too', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  await using fastPath = await startFastPath(app)
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats)
  const proof = createHmac('sha256', app.secret).update('/f').digest('hex')
  const request = (...lines: string[]) =>
    [
      `GET ${new URL(image.url).pathname} HTTP/1.1`,
      'Host: cats.test',
      'Connection: close',
      ...lines,
      '',
      '',
    ].join('\r\n')
  const check = async (caching: string) => {
    assert.equal((await ask(app, image.url)).headers['cache-control'], caching)
    for (const lines of [[], [`X-Terrace-Accel: /f ${proof}`]])
      for (const port of [app.port, fastPath.port]) {
        const answer = await answerTo(port, request(...lines))
        assert.equal(/\r\ncache-control: ([^\r]*)/i.exec(answer)?.[1], caching, answer)
        assert.equal(/\r\nx-accel-redirect: /.test(answer), lines.length > 0)
      }
  }
  await check(forYear)
  await switchTo(app, cats, false)
  await check(forMinutes)
})
