import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Album, findAlbum, findAlbumPassword, insertAlbum } from '../../src/media/albums/albums-table.ts'
import { createAlbum, editAlbum, type Privacy, pageAccessOf, readFile } from '../../src/media/index.ts'
import { ask, browserHeaders, type Delivered, withoutPath } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { moveTo, onSiteOf, type TestTenant, upload, uploaded, userWithKey } from '../support/uploads.ts'

const password = 'mane & tail'

/** An album of the tenant's administrator and a file in it. */
async function fileInAlbum(app: TestApp, tenant: TestTenant, privacy: Privacy) {
  const given = privacy === 'password' ? { password } : {}
  const input = { username: 'ada', title: `My ${privacy}`, privacy, ...given }
  const { id } = await onSiteOf(app, tenant, (site) => createAlbum(site, input))
  const image = await uploaded(app, tenant, { fields: { album_id: id, title: 'A lion' } })
  return { albumId: id, image }
}

const oembedOf = (image: { url_viewer: string }) =>
  `${new URL(image.url_viewer).origin}/oembed?url=${encodeURIComponent(image.url_viewer)}`

/** What the page's form sends. */
async function give(app: TestApp, url: string, text: string, headers: Record<string, string> = {}) {
  const { host, pathname } = new URL(url)
  return app.send('POST', pathname, {
    bytes: new URLSearchParams({ password: text }).toString(),
    headers: { host, 'content-type': 'application/x-www-form-urlencoded', ...browserHeaders, ...headers },
  })
}

const cookieOf = ({ headers }: { headers: Delivered['headers'] }) =>
  String(headers['set-cookie']?.[0] ?? '')
    .split(';', 1)
    .join()

const isQuestion = ({ text }: { text: string }) =>
  text.includes('type="password"') && !withoutPath(text).includes('lion')

onEachStore('the privacy of an album', (store) => {
  test('leaves the addresses of its files as they are, whatever it is', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const privacy of ['public', 'link', 'password', 'private'] as const) {
      const { image } = await fileInAlbum(app, cats, privacy)
      for (const url of [image.url, image.thumb.url])
        assert.equal((await ask(app, url)).status, 200, `${privacy} ${url}`)
    }
  })

  test('private: pages, short links and oEmbed are as if there were no file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { image, albumId } = await fileInAlbum(app, cats, 'private')
    const none = `${image.url_short.slice(0, -12)}AAAAAAAAAAAA`
    for (const headers of [browserHeaders, {}]) {
      for (const [url, missing] of [
        [image.url_viewer, none],
        [image.url_short, none],
        [oembedOf(image), oembedOf({ url_viewer: none })],
      ] as const) {
        const [seen, unseen] = [await ask(app, url, headers), await ask(app, missing, headers)]
        assert.deepEqual([seen.status, withoutPath(seen.text)], [404, withoutPath(unseen.text)])
      }
      assert.equal((await give(app, image.url_short, password, headers)).status, 404)
    }
    // The delete link is its owner's, and leads back to nothing that is not there.
    const { text } = await ask(app, image.delete_url, browserHeaders)
    assert.match(text, /href="\/">Keep it/)

    await onSiteOf(app, cats, (site) => editAlbum(site, { id: albumId, privacy: 'public' }))
    assert.equal((await ask(app, image.url_viewer)).status, 200)
    assert.equal((await ask(app, oembedOf(image))).status, 200)
  })

  test('private: its owner, administrators and managers see the page, and no other user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    const { image } = await fileInAlbum(app, cats, 'private')
    const locked = await fileInAlbum(app, cats, 'password')
    await onSiteOf(app, cats, async (site) => {
      const file = await readFile(site, image.id_encoded)
      const owner = { kind: 'user', userId: file.userId ?? '', role: 'user' } as const
      for (const actor of [owner, { ...owner, userId: bob.userId, role: 'admin' } as const]) {
        const { isListed, lock } = await pageAccessOf(site, actor, file)
        assert.deepEqual({ isListed, lock }, { isListed: false, lock: undefined })
      }
      await assert.rejects(pageAccessOf(site, { ...owner, userId: bob.userId }, file))
      await assert.rejects(pageAccessOf(site, { kind: 'guest' }, file))
      const other = await readFile(site, locked.image.id_encoded)
      assert.equal((await pageAccessOf(site, owner, other)).lock, undefined)
      assert.equal((await pageAccessOf(site, { kind: 'guest' }, other)).lock?.albumId, locked.albumId)
    })
  })

  test('link: pages are shown and ask not to be indexed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const [privacy, isIndexed] of [
      ['public', true],
      ['link', false],
    ] as const) {
      const { image } = await fileInAlbum(app, cats, privacy)
      const page = await ask(app, image.url_viewer, browserHeaders)
      assert.equal(page.status, 200)
      assert.equal(page.headers['x-robots-tag'], isIndexed ? undefined : 'noindex')
      assert.equal(page.text.includes('<meta name="robots" content="noindex">'), !isIndexed)
      assert.equal((await ask(app, oembedOf(image))).status, 200)
    }
  })

  test('format=redirect leads to the page, which a signature opens in a private album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const privacy of ['public', 'link', 'password', 'private'] as const) {
      const { albumId } = await fileInAlbum(app, cats, privacy)
      const fields = { album_id: albumId, format: 'redirect' }
      const { status, headers } = await upload(app, cats, { fields })
      assert.equal(status, 302)
      assert.match(
        headers.location ?? '',
        privacy === 'private' ? /^\/image\/[A-Za-z0-9]+\?s=[0-9a-f]{32}$/ : /^\/image\/[^/]+$/,
      )
      const address = `http://cats.test${headers.location}`
      const page = await ask(app, address)
      assert.equal(page.status, 200, privacy)
      if (privacy !== 'private') continue
      assert.equal(page.headers['x-robots-tag'], 'noindex')
      const picture = /<img[^>]+src="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      assert.equal((await ask(app, new URL(picture, address).href)).status, 200)
      const [path = '', signature = ''] = address.split('?s=')
      const other = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
      for (const wrong of [path, `${path}?s=${other}`, `${address}&e=99999999999`])
        assert.equal((await ask(app, wrong)).status, 404, wrong)
    }
  })
})

onEachStore('an album with a password', (store) => {
  test('asks for it, reveals nothing, and shows all its files to those who know it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { image, albumId } = await fileInAlbum(app, cats, 'password')
    const second = await uploaded(app, cats, { fields: { album_id: albumId, title: 'A lion cub' } })
    for (const url of [image.url_viewer, image.url_short]) {
      const question = await ask(app, url, browserHeaders)
      assert.deepEqual([question.status, isQuestion(question)], [200, true])
      assert.match(
        String(question.headers['content-security-policy']),
        /^default-src 'none'.*form-action 'self'/,
      )
      assert.deepEqual(
        [question.headers['x-robots-tag'], question.headers['cache-control']],
        ['noindex', 'no-store'],
      )
    }
    const { status, text } = await ask(app, oembedOf(image))
    assert.deepEqual([status, text.includes('lion')], [401, false])

    const wrong = await give(app, image.url_short, 'mane')
    assert.deepEqual([wrong.status, isQuestion(wrong), wrong.headers['set-cookie']], [403, true, undefined])
    assert.match(wrong.text, /role="alert"><svg.*<\/svg><span>Wrong password for this album\./)
    const program = await give(app, image.url_short, '', { accept: '*/*' })
    assert.deepEqual(
      [program.status, program.json.error.message],
      [403, 'That is not the password of this album.'],
    )

    const right = await give(app, image.url_short, password)
    assert.deepEqual([right.status, right.headers.location], [303, image.path_viewer])
    assert.match(
      String(right.headers['set-cookie']?.[0]),
      /^terrace-album-\w+=\d+\.[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    )
    const cookie = cookieOf(right)
    for (const url of [image.url_viewer, second.url_short]) {
      const page = await ask(app, url, { cookie: `other=1; ${cookie}; more=2` })
      assert.deepEqual([page.status, isQuestion(page), page.headers['x-robots-tag']], [200, false, 'noindex'])
      assert.ok(!page.text.includes('json+oembed'))
    }
    // A look at the question is no view of the file.
    assert.match((await ask(app, image.url_viewer, { cookie })).text, /<dt>Views<\/dt><dd>2</)
  })

  test('is opened by nothing but its own pass, until that ends', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const { image, albumId } = await fileInAlbum(app, cats, 'password')
    const neighbour = await fileInAlbum(app, cats, 'password')
    const foreign = await fileInAlbum(app, dogs, 'password')
    const cookie = cookieOf(await give(app, image.url_short, password))
    const isOpen = async (given: string) => !isQuestion(await ask(app, image.url_short, { cookie: given }))
    assert.equal(await isOpen(cookie), true)
    // Whoever sets cookies for the whole domain cannot shut anybody out.
    assert.equal(await isOpen(`terrace-album-${albumId}=1.x; ${cookie}`), true)

    // Nor is the album's twin on another site, of the same id and the same hash.
    const passwordHash = await onSiteOf(app, cats, ({ db }) => findAlbumPassword(db, albumId))
    await onSiteOf(app, dogs, async ({ db }) => {
      const owned = (await findAlbum(db, foreign.albumId)) as Album
      await insertAlbum(db, { ...owned, id: albumId, passwordHash })
    })
    const twin = await uploaded(app, dogs, { fields: { album_id: albumId, title: 'A lion' } })
    assert.equal(isQuestion(await ask(app, twin.url_short, { cookie })), true)

    const [name = '', pass = ''] = cookie.split('=')
    const [endsAt = '', seal = ''] = pass.split('.')
    for (const other of [neighbour.image, foreign.image]) {
      const [, otherPass] = cookieOf(await give(app, other.url_short, password)).split('=')
      assert.equal(await isOpen(`${name}=${otherPass}`), false)
    }
    for (const forged of [
      '',
      name,
      `${name}=`,
      `${name}=${Number(endsAt) + 1}.${seal}`,
      `${name}=${endsAt}.${seal.slice(1)}`,
      `${name}=${endsAt}.${'A'.repeat(43)}`,
      `${name}=${endsAt}`,
      `x${cookie}`,
    ])
      assert.equal(await isOpen(forged), false, forged)

    moveTo(app, new Date((Number(endsAt) - 60) * 1_000).toISOString())
    assert.equal(await isOpen(cookie), true)
    moveTo(app, new Date(Number(endsAt) * 1_000).toISOString())
    assert.equal(await isOpen(cookie), false)

    const later = cookieOf(await give(app, image.url_short, password))
    assert.equal(await isOpen(later), true)
    await onSiteOf(app, cats, (site) => editAlbum(site, { id: albumId, password: 'another one' }))
    assert.equal(await isOpen(later), false)
    assert.equal((await give(app, image.url_short, password)).status, 403)
    assert.equal((await give(app, image.url_short, 'another one')).status, 303)
  })

  test('takes ten wrong ones of a network within ten minutes, on all servers together', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const cats = await first.tenant('cats')
    const { image } = await fileInAlbum(first, cats, 'password')
    const turn = (place: number) => all[place % all.length] as TestApp
    const answers = await Promise.all(times(24, (place) => give(turn(place), image.url_short, 'wrong')))
    assert.deepEqual(tally(answers), { 403: 10, 429: 14 })
    const refused = await give(first, image.url_short, password)
    assert.deepEqual(
      [refused.status, isQuestion(refused), refused.headers['retry-after']],
      [429, true, '600'],
    )
    assert.match(refused.text, /Too many wrong passwords from your network\. Try again in 10 minutes\./)
    const program = await give(first, image.url_short, password, { accept: 'application/json' })
    assert.deepEqual([program.status, program.headers['retry-after']], [429, '600'])

    for (const app of all) app.wait(601)
    // The right one takes no place.
    for (const _ of times(12, String))
      assert.equal((await give(first, image.url_short, password)).status, 303)
    assert.equal((await give(first, image.url_short, 'wrong')).status, 403)
  })

  test('takes no other body than its own form, and none that is too long', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { image } = await fileInAlbum(app, cats, 'password')
    const path = new URL(image.url_short).pathname
    const send = (bytes: string, type: string) =>
      app.send('POST', path, { bytes, headers: { host: 'cats.test', 'content-type': type } })
    assert.equal((await send(JSON.stringify({ password }), 'application/json')).status, 415)
    const form = 'application/x-www-form-urlencoded'
    assert.equal((await send(`password=${'x'.repeat(5_000)}`, form)).status, 413)
    assert.equal((await send('passwort=1', `${form}; charset=utf-8`)).status, 403)
    const isPublic = await fileInAlbum(app, cats, 'public')
    assert.equal(
      (await give(app, isPublic.image.url_short, 'x')).headers.location,
      isPublic.image.path_viewer,
    )
  })
})

test('the pass travels on safe connections only where the site is on https', async () => {
  const environment = { SERVICE_PUBLIC_SCHEME: 'https' }
  await using app = await startTestApp({ environment })
  const cats = await app.tenant('cats')
  const { image } = await fileInAlbum(app, cats, 'password')
  const { headers } = await give(app, image.url_short, password)
  assert.match(String(headers['set-cookie']?.[0]), /; Secure$/)

  await using behind = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { image: other } = await fileInAlbum(behind, await behind.tenant('cats'), 'password')
  for (const [scheme, isSecure] of [
    ['https', true],
    ['http', false],
  ] as const) {
    const forwarded = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': scheme }
    const { headers: set } = await give(behind, other.url_short, password, forwarded)
    assert.equal(/; Secure$/.test(String(set['set-cookie']?.[0])), isSecure, scheme)
  }
})

test('each network of visitors has its own tries', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const cats = await app.tenant('cats')
  const { image } = await fileInAlbum(app, cats, 'password')
  const from = (address: string) => give(app, image.url_short, 'wrong', { 'x-forwarded-for': address })
  for (const host of times(10, String)) assert.equal((await from(`2001:db8:1:2::${host}`)).status, 403)
  assert.equal((await from('2001:db8:1:2:ffff::1')).status, 429)
  assert.equal((await from('2001:db8:1:3::1')).status, 403)
  assert.equal((await from('198.51.100.7')).status, 403)
})
