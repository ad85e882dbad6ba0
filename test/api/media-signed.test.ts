import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { editAlbum } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { runsOf } from '../support/tiers.ts'
import { onSiteOf, picture, set, type TestTenant, upload, uploaded, userWithKey } from '../support/uploads.ts'

const privacies = ['public', 'link', 'password', 'private'] as const
type Privacy = (typeof privacies)[number]
const isHiding = (privacy: Privacy) => privacy === 'password' || privacy === 'private'

const bare = (url: string) => url.split('?')[0] ?? ''

/** A file in an album of this privacy. */
async function fileIn(app: TestApp, tenant: TestTenant, key: string, privacy: Privacy) {
  const body = { title: privacy, privacy, ...(privacy === 'password' && { password: 'nine lives' }) }
  const album = (await ask5(app, tenant, 'POST albums', { key, body })).json
  const file = await picture({ width: 900, height: 700, seed: privacies.indexOf(privacy) })
  const image = await uploaded(app, tenant, { file, fields: { album_id: album.id } })
  return { album, image, file }
}

const read5 = async (app: TestApp, tenant: TestTenant, key: string, id: string) =>
  (await ask5(app, tenant, `GET files/${id}`, { key })).json

onEachStore('signed addresses', (store) => {
  test('of each privacy: bytes, page, oEmbed and the API, for a visitor and the owner', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    for (const privacy of privacies) {
      const { image, file } = await fileIn(app, cats, key, privacy)
      const isProtected = isHiding(privacy)
      for (const url of [image.url, image.thumb.url, image.medium.url]) {
        assert.equal(/\?s=[0-9a-f]{32}$/.test(url), isProtected, url)
        const sent = await ask(app, url)
        assert.equal(sent.status, 200, url)
        const plain = await ask(app, bare(url))
        assert.equal(plain.status, isProtected ? 404 : 200, url)
        assert.equal((await ask(app, bare(url), {}, 'HEAD')).status, isProtected ? 404 : 200)
        const caching = isProtected ? 'private, max-age=600' : 'public, max-age=31536000, immutable'
        assert.equal(sent.headers['cache-control'], caching)
        const same = await ask(app, url, { 'if-none-match': String(sent.headers.etag) })
        assert.deepEqual([same.status, same.headers['cache-control']], [304, caching])
        assert.equal((await ask(app, url, { range: 'bytes=0-9' })).status, 206)
      }
      assert.deepEqual((await ask(app, image.url)).bytes, file)
      const seen = await read5(app, cats, key, image.id_encoded)
      for (const url of [seen.url, seen.versions.thumb.url])
        assert.equal(/\?e=\d+&s=[0-9a-f]{32}$/.test(url), isProtected, url)
      assert.equal((await ask(app, seen.url)).status, 200)
      const page = { public: 200, link: 200, password: 200, private: 404 }[privacy]
      assert.equal((await ask(app, image.url_viewer)).status, page)
      const oembed = `${new URL(image.url).origin}/oembed?url=${encodeURIComponent(image.url_viewer)}`
      assert.equal(
        (await ask(app, oembed)).status,
        { public: 200, link: 200, password: 401, private: 404 }[privacy],
      )
    }
    const { image } = await fileIn(app, cats, key, 'private')
    const redirected = await upload(app, cats, {
      fields: { album_id: (await read5(app, cats, key, image.id_encoded)).album_id, format: 'redirect' },
    })
    assert.equal(redirected.status, 302)
    const location = new URL(String(redirected.headers.location), image.url).href
    assert.equal((await ask(app, location)).status, 200)
    await set(app, cats, { protect_bytes: '0' })
    assert.equal((await ask(app, bare(image.url))).status, 200)
    assert.equal((await ask(app, image.url)).status, 200)
    assert.equal((await read5(app, cats, key, image.id_encoded)).url, bare(image.url))
  })

  test('the page of an unlocked album shows its picture', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image } = await fileIn(app, cats, key, 'password')
    const { pathname } = new URL(image.url_viewer)
    const form = { host: cats.hostname, 'content-type': 'application/x-www-form-urlencoded' }
    const opened = await app.send('POST', pathname, { bytes: 'password=nine+lives', headers: form })
    const [cookie = ''] = opened.headers['set-cookie'] ?? []
    const page = await ask(app, image.url_viewer, { cookie: cookie.split(';')[0] ?? '' })
    const sources = [...page.text.matchAll(/(?:src|href)="(\/images\/[^"]+)"/g)].map(([, path]) =>
      String(path).replaceAll('&amp;', '&'),
    )
    assert.ok(sources.length >= 2)
    for (const path of sources)
      assert.equal((await ask(app, new URL(path, image.url).href)).status, 200, path)
  })

  test('a changed byte in any part is refused; the order of options does not matter; an ended one is 410', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image } = await fileIn(app, cats, key, 'private')
    const other = await fileIn(app, cats, key, 'password')
    const body = { urls: [`${new URL(bare(image.url)).pathname}?width=640&format=webp`] }
    const signed = await ask5(app, cats, 'POST sign', { key, body })
    assert.equal(signed.status, 200, signed.text)
    const url = new URL(signed.json.urls[0])
    assert.deepEqual([...url.searchParams.keys()], ['width', 'format', 'e', 's'])
    assert.equal((await ask(app, url.href)).status, 200)
    const pairs = url.search.slice(1).split('&')
    for (const order of [pairs.toReversed(), pairs.toSorted()])
      assert.equal((await ask(app, `${url.origin}${url.pathname}?${order.join('&')}`)).status, 200)

    const query = url.search.slice(1)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(query.length - 1),
        fc.constantFrom('0', '1', 'a', 'Z'),
        async (at, character) => {
          fc.pre(query[at] !== character)
          const changed = `${query.slice(0, at)}${character}${query.slice(at + 1)}`
          const { status } = await ask(app, `${url.origin}${url.pathname}?${changed}`)
          assert.equal(status, 404, changed)
        },
      ),
      { numRuns: runsOf(100) },
    )
    for (const wrong of [
      `${url.pathname}?${query}&dpr=2`,
      `${url.pathname}?${query}&s=${url.searchParams.get('s')}`,
      `${url.pathname}?${pairs.slice(1).join('&')}`,
      `${new URL(other.image.url).pathname}?${query}`,
      `${new URL(image.thumb.url).pathname}?${query}`,
      `${url.pathname}?${query}&%ff=1`,
    ])
      assert.equal((await ask(app, url.origin + wrong)).status, 404, wrong)
    app.wait(7 * 86_400)
    assert.equal((await ask(app, url.href)).status, 410)
    assert.equal((await ask(app, image.url)).status, 200)
  })

  test('a proxy that sends the bytes gets their path only for a signed address', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image } = await fileIn(app, cats, key, 'private')
    const headers = { 'x-terrace-accel': `/inner ${app.sign('/inner')}` }
    const sent = await ask(app, image.url, headers)
    assert.deepEqual([sent.status, sent.bytes.length], [200, 0])
    assert.match(String(sent.headers['x-accel-redirect']), /^\/inner\//)
    assert.equal(sent.headers['cache-control'], 'private, max-age=600')
    const refused = await ask(app, bare(image.url), headers)
    assert.deepEqual([refused.status, refused.headers['x-accel-redirect']], [404, undefined])
  })

  test('POST sign refuses what the caller may not sign, naming it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image } = await fileIn(app, cats, key, 'private')
    const open = await fileIn(app, cats, key, 'public')
    const sign = (body: object, by = key) => ask5(app, cats, 'POST sign', { key: by, body })
    const [path, openPath] = [new URL(bare(image.url)).pathname, new URL(open.image.url).pathname]
    const faults = async (body: object, by = key) => {
      const answer = await sign(body, by)
      assert.deepEqual(problem(answer), [400, 'invalid'], answer.text)
      return answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    }
    const urls = [
      path,
      'https://elsewhere.test/images/a.png',
      '/image/x',
      `${path}?s=1`,
      '/images/none.png',
      '',
    ]
    assert.deepEqual(await faults({ urls }), ['#/urls/1', '#/urls/2', '#/urls/3', '#/urls/4', '#/urls/5'])
    assert.deepEqual(await faults({ urls: [] }), ['#/urls'])
    assert.deepEqual(await faults({ urls: Array.from({ length: 101 }, () => path) }), ['#/urls'])
    const far = new Date(Date.now() + 8 * 86_400_000).toISOString()
    assert.deepEqual(await faults({ urls: [path], expires_at: far }), ['#/expires_at'])
    assert.deepEqual(await faults({ urls: [path], expires_at: null }), ['#/expires_at'])
    assert.deepEqual(await faults({ urls: [openPath], expires_at: '2020-01-01T00:00:00Z' }), ['#/expires_at'])
    assert.equal((await sign({ urls: [openPath], expires_at: far })).status, 200)
    const { url } = (await sign({ urls: [openPath], expires_at: null })).json.urls
      .map((text: string) => ({ url: text }))
      .at(0)
    assert.match(url, /\?s=[0-9a-f]{32}$/)
    assert.equal((await ask(app, url)).status, 200)
  })

  test('a change of privacy ends addresses; so does closing the album above', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image, album } = await fileIn(app, cats, key, 'private')
    const statusOf = async (url: string) => (await ask(app, url)).status
    const given = (await read5(app, cats, key, image.id_encoded)).url
    assert.deepEqual([await statusOf(image.url), await statusOf(given)], [200, 200])
    const edit = (privacy: Privacy, password?: string) =>
      onSiteOf(app, cats, (site) => editAlbum(site, { id: album.id, privacy, ...(password && { password }) }))
    await edit('public')
    assert.deepEqual([await statusOf(image.url), await statusOf(bare(image.url))], [200, 200])
    await edit('private')
    assert.deepEqual(
      [await statusOf(image.url), await statusOf(given), await statusOf(bare(image.url))],
      [404, 404, 404],
    )
    assert.equal(await statusOf((await read5(app, cats, key, image.id_encoded)).url), 200)

    const top = (await ask5(app, cats, 'POST albums', { key, body: { title: 'top' } })).json
    const sub = (await ask5(app, cats, 'POST albums', { key, body: { title: 'sub', parent_id: top.id } }))
      .json
    const below = await uploaded(app, cats, { fields: { album_id: sub.id } })
    assert.equal(await statusOf(below.url), 200)
    await ask5(app, cats, `PATCH albums/${top.id}`, { key, body: { privacy: 'private' } })
    assert.equal(await statusOf(below.url), 404)
    assert.equal(await statusOf((await read5(app, cats, key, below.id_encoded)).url), 200)
    await ask5(app, cats, `DELETE albums/${sub.id}`, { key })
    assert.equal(await statusOf(below.url), 404)
  })

  test('rotating, and moves between privacies, end addresses; other edits and moves do not', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { image } = await fileIn(app, cats, key, 'private')
    const other = (
      await ask5(app, cats, 'POST albums', { key, body: { title: 'other', privacy: 'private' } })
    ).json
    const patch = async (body: object) => {
      const edited = await ask5(app, cats, `PATCH files/${image.id_encoded}`, { key, body })
      assert.equal(edited.status, 200, edited.text)
      return edited.json.url as string
    }
    const works = async (url: string) => (await ask(app, url)).status === 200
    const version = async () => (await read5(app, cats, key, image.id_encoded)).address_version
    assert.equal(await version(), 1)
    const given = await patch({ title: 'A cat', album_id: other.id })
    assert.equal(await version(), 1)
    assert.deepEqual([await works(image.url), await works(given)], [true, true])
    const rotated = await patch({ rotate_address: true })
    assert.deepEqual([await works(image.url), await works(given), await works(rotated)], [false, false, true])
    assert.equal(await version(), 2)
    const loose = await patch({ album_id: null })
    assert.equal(loose, bare(loose))
    const closed = await patch({ is_private: true })
    assert.deepEqual(
      [await works(rotated), await works(bare(closed)), await works(closed)],
      [false, false, true],
    )
    assert.equal(await version(), 4)
    const raw = await app.send('POST', `/api/5/files?album_id=${other.id}`, {
      bytes: await picture({ seed: 60 }),
      headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' },
    })
    assert.equal(raw.status, 201, raw.text)
    assert.match(raw.json.url, /\?s=[0-9a-f]{32}$/)
    app.wait(30 * 86_400)
    assert.equal(await works(raw.json.url), true)
  })

  test('a share gives addresses that name it; revoked on one server, their bytes are 410 on the other at once', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const other = all.at(-1) ?? first
    const cats = await first.tenant('cats')
    const key = await keyOf(first, cats, 'write')
    const { album, image } = await fileIn(first, cats, key, 'private')
    const share = async (body: object) => {
      const made = (await ask5(first, cats, `POST albums/${album.id}/shares`, { key, body })).json
      const token = made.url.split('/').at(-1)
      const opened = (await ask5(other, cats, 'POST shares/open', { body: { token } })).json
      const headers = { 'x-share': opened.pass }
      const seen = (await ask5(other, cats, `GET files/${image.id_encoded}`, { headers })).json
      return { id: made.id, seen, headers }
    }
    const whole = await share({})
    assert.match(whole.seen.url, new RegExp(`\\?e=\\d+&sh=${whole.id}&s=`))
    assert.equal((await ask(other, whole.seen.url)).status, 200)
    const small = await share({ allow_download: false })
    assert.equal(small.seen.url, null)
    assert.equal((await ask(other, small.seen.versions.medium.url)).status, 200)
    assert.doesNotMatch(small.seen.srcset, / 900w/)
    await ask5(first, cats, `PATCH shares/${whole.id}`, { key, body: { allow_download: false } })
    assert.equal((await ask(other, whole.seen.url)).status, 404)
    await ask5(first, cats, `DELETE shares/${small.id}`, { key })
    for (const url of [small.seen.versions.medium.url, small.seen.versions.thumb.url])
      assert.equal((await ask(other, url)).status, 410)
    const ended = await share({ expires_at: new Date(Date.now() + 600_000).toISOString(), max_views: 1 })
    assert.equal((await ask(other, ended.seen.url)).status, 200)
    for (const app of new Set(all)) app.wait(601)
    assert.equal((await ask(other, ended.seen.url)).status, 410)
    const moved = await share({})
    await ask5(first, cats, `DELETE albums/${album.id}`, { key })
    assert.equal((await ask(other, moved.seen.url)).status, 410)
  })

  test('what is signed through a share names it, is no more than it gives, and ends with it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { album, image } = await fileIn(app, cats, key, 'private')
    const { userId } = await userWithKey(app, cats, 'bob')
    const [original, medium] = [image.url, image.medium.url].map((url) => new URL(url).pathname)
    const bobs = await keyOf(app, cats, 'write', userId)
    const share = async (body: object) => {
      const made = (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body })).json
      const token = made.url.split('/').at(-1)
      const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
      const sign = (url = '', more = {}, by = bobs) =>
        ask5(app, cats, 'POST sign', {
          key: by,
          headers: { 'x-share': pass },
          body: { urls: [url], ...more },
        })
      return { id: made.id, endsAt: Date.parse(made.expires_at), sign }
    }
    const withheld = await share({ allow_download: false })
    assert.deepEqual(problem(await withheld.sign(original)), [400, 'invalid'])
    const small = (await withheld.sign(medium)).json.urls[0]
    assert.equal(new URL(small).searchParams.get('sh'), withheld.id)
    assert.equal((await ask(app, small)).status, 200)
    assert.equal((await ask(app, small.replace(`&sh=${withheld.id}`, ''))).status, 404)
    // A key that reaches another album alone sees the file by the share, though its user is an administrator.
    const reach = (await ask5(app, cats, 'POST albums', { key, body: { title: 'mine' } })).json.id
    const bound = await keyOf(app, cats, 'admin', undefined, reach)
    assert.deepEqual(problem(await withheld.sign(original, {}, bound)), [400, 'invalid'])

    const soon = new Date(Date.now() + 600_000).toISOString()
    const given = await share({ expires_at: soon })
    for (const more of [{}, { expires_at: new Date(Date.now() + 6 * 86_400_000).toISOString() }]) {
      const signed = await given.sign(original, more)
      assert.equal(signed.status, 200, signed.text)
      const { searchParams } = new URL(signed.json.urls[0])
      assert.equal(searchParams.get('sh'), given.id)
      assert.ok(Number(searchParams.get('e')) * 1_000 <= given.endsAt)
    }
    const url = (await given.sign(original)).json.urls[0]
    assert.equal((await ask(app, url)).status, 200)
    const patch = (body: object) => ask5(app, cats, `PATCH shares/${given.id}`, { key, body })
    await patch({ allow_download: false })
    assert.equal((await ask(app, url)).status, 404)
    await patch({ allow_download: true })
    assert.equal((await ask(app, url)).status, 200)
    assert.equal((await ask5(app, cats, `DELETE shares/${given.id}`, { key })).status, 204)
    assert.equal((await ask(app, url)).status, 410)
    assert.deepEqual(problem(await given.sign(original)), [410, 'gone'])
    const own = await ask5(app, cats, 'POST sign', { key, body: { urls: [`${original}?sh=1`] } })
    assert.deepEqual(problem(own), [400, 'invalid'])
  })
})
