import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createCategory } from '../../src/media/index.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, tokenIn } from '../support/pages.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, set, uploaded, userWithKey, writeViews } from '../support/uploads.ts'

/** Albums of every privacy with a file in each, a loose and a private file, of ada, and people who look. */
async function startGallery(store: 'sqlite' | 'postgres', listing = 'public') {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing })
  const key = await keyOf(app, cats, 'write')
  const albums = {} as Record<string, string>
  for (const privacy of ['public', 'link', 'password', 'private']) {
    const body = { title: `Album ${privacy}`, privacy, ...(privacy === 'password' && { password: 'secret' }) }
    albums[privacy] = (await ask5(app, cats, 'POST albums', { key, body })).json.id
  }
  const category = await onSiteOf(app, cats, (site) => createCategory(site, { name: 'Street art' }))
  const file = await picture({ width: 300, height: 200, format: 'jpeg' })
  const upload = async (title: string, fields: Record<string, string> = {}) =>
    (
      await uploaded(app, cats, {
        file,
        fields: { title, tags: 'dusk', category_id: String(category.id), ...fields },
      })
    ).id_encoded as string
  const files = { loose: await upload('Loose file'), own: await upload('Own file') } as Record<string, string>
  await ask5(app, cats, `PATCH files/${files.own}`, { key, body: { is_private: true } })
  for (const [privacy, id] of Object.entries(albums))
    files[privacy] = await upload(`In ${privacy}`, { album_id: id })
  await userWithKey(app, cats, 'bob')
  const bob = await logIn(app, cats, { login: 'bob', password: 'a long password' })
  const ada = await logIn(app, cats)
  const cookies = { guest: undefined, bob: bob.headers.cookie, ada: ada.headers.cookie }
  const see = async (who: keyof typeof cookies, path: string, form?: Record<string, string>) => {
    const cookie = cookies[who]
    return askPage(app, cats, `${form ? 'POST' : 'GET'} ${path}`, {
      ...(cookie !== undefined && { cookie }),
      ...(form && { form }),
    })
  }
  return { app, cats, albums, files, see, cookies, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** Without the frame, which names the path. */
const mainOf = ({ text }: { text: string }) =>
  text.slice(text.indexOf('<main'), text.indexOf('</main>')).replaceAll(/href="[^"]*"/g, '')

const allTitles = ['Loose file', 'Own file', 'In public', 'In link', 'In password', 'In private']
const titlesIn = (text: string) => allTitles.filter((title) => text.includes(`alt="${title}"`))

onEachStore('the page of an album', (store) => {
  test('counts a view of those who see the album, and links its owner where people are listed', async () => {
    await using gallery = await startGallery(store)
    const { app, cats, albums, see } = gallery
    const path = `/album/${albums.public}`
    const { status, text } = await see('guest', path)
    assert.equal(status, 200)
    assert.match(text, /<a href="\/ada">/)
    await see('bob', path)
    await see('guest', `/album/${albums.password}`)
    await see('guest', `/album/${albums.private}`)
    await writeViews(app)
    const views = async () => (await ask5(app, cats, `GET albums/${albums.public}`)).json.views
    await until(async () => (await views()) === 2, 'two views are counted')
    const key = await keyOf(app, cats, 'read')
    for (const privacy of ['password', 'private'])
      assert.equal((await ask5(app, cats, `GET albums/${albums[privacy]}`, { key })).json.views, 0, privacy)
    await set(app, cats, { listing: 'off' })
    assert.doesNotMatch((await see('guest', path)).text, /href="\/ada"/)
  })
})

onEachStore('the lists of a site', (store) => {
  test('show each caller what the API would list', async () => {
    await using gallery = await startGallery(store)
    const { see } = gallery
    const seen = async (who: 'guest' | 'bob' | 'ada', path: string) => {
      const { status, text } = await see(who, path)
      assert.equal(status, 200, `${who} ${path} ${text.slice(0, 300)}`)
      return titlesIn(text)
    }
    const everyone = ['Loose file', 'In public']
    for (const path of [
      '/explore',
      '/tag/dusk',
      '/category/street-art',
      '/search?q=tag%3Adusk',
      '/ada',
      '/user/ADA',
    ]) {
      assert.deepEqual(await seen('guest', path), everyone, path)
      assert.deepEqual(await seen('bob', path), everyone, path)
      assert.deepEqual(await seen('ada', path), allTitles, path)
    }
    assert.deepEqual(await seen('ada', '/mine'), allTitles)
    assert.deepEqual(await seen('bob', '/mine'), [])
    assert.deepEqual(await seen('guest', '/search?q=loose'), ['Loose file'])
    assert.deepEqual(await seen('guest', '/search?q=private'), [])
    assert.deepEqual(await seen('guest', '/explore?type=video'), [])
    assert.match((await see('guest', '/tags')).text, /href="\/tag\/dusk"/)
    assert.match(
      (await see('guest', '/categories')).text,
      /href="\/category\/street-art"[^>]*>Street art<\/a> <span[^>]*>2 files/,
    )
    const albumsOf = async (who: 'guest' | 'bob' | 'ada', path = '/albums') =>
      [...(await see(who, path)).text.matchAll(/card-title" dir="auto">Album (\w+)/g)]
        .map(([, name]) => name)
        .sort()
    assert.deepEqual(await albumsOf('guest'), ['public'])
    assert.deepEqual(await albumsOf('bob'), ['public'])
    assert.deepEqual(await albumsOf('ada'), ['link', 'password', 'private', 'public'])
    assert.deepEqual(await albumsOf('guest', '/ada/albums'), ['public'])
    assert.deepEqual(await albumsOf('bob', '/albums?of=me'), [])
    for (const path of [
      '/tag/none',
      '/category/none',
      '/category/%00',
      '/user/none',
      '/none',
      '/tag/%00',
      '/ada%00',
    ])
      assert.equal((await see('guest', path)).status, 404, path)
  })

  test('the page of an album follows its privacy', async () => {
    await using gallery = await startGallery(store)
    const { see, albums, files } = gallery
    for (const privacy of ['public', 'link'])
      for (const who of ['guest', 'bob', 'ada'] as const)
        assert.deepEqual(titlesIn((await see(who, `/album/words.${albums[privacy]}`)).text), [
          `In ${privacy}`,
        ])
    assert.equal((await see('guest', `/album/${albums.link}`)).headers['x-robots-tag'], 'noindex')
    for (const who of ['guest', 'bob'] as const) {
      assert.equal((await see(who, `/album/${albums.private}`)).status, 404)
      const locked = await see(who, `/album/${albums.password}`)
      assert.match(locked.text, /This album has a password/)
      assert.doesNotMatch(locked.text, /In password|Album password/)
    }
    assert.deepEqual(titlesIn((await see('ada', `/album/${albums.private}`)).text), ['In private'])
    assert.deepEqual(titlesIn((await see('ada', `/album/${albums.password}`)).text), ['In password'])

    const path = `/album/${albums.password}`
    const wrong = await see('guest', path, { password: 'wrong' })
    assert.equal(wrong.status, 403)
    assert.match(wrong.text, /Wrong password for this album/)
    const right = await see('guest', path, { password: 'secret' })
    assert.deepEqual(
      [right.status, right.headers.location],
      [303, `/album/Album-password.${albums.password}`],
    )
    const [cookie = ''] = right.headers['set-cookie'] ?? []
    const open = await askPage(gallery.app, gallery.cats, `GET ${path}`, {
      cookie: cookie.split(';')[0] ?? '',
    })
    assert.deepEqual(titlesIn(open.text), ['In password'])
    // The addresses of its bytes are signed.
    assert.match(open.text, /\.jpeg\?e=\d+&amp;s=\w+/)
    // The files of the album, too, and none of another one.
    const ask = (file = '') =>
      askPage(gallery.app, gallery.cats, `GET /image/${file}`, { cookie: cookie.split(';')[0] ?? '' })
    assert.equal((await ask(files.password)).status, 200)
    assert.equal((await ask(files.private)).status, 404)
  })

  test('are hidden by the setting `listing`, but for links and for what is one’s own', async () => {
    await using gallery = await startGallery(store, 'off')
    const { see, albums, app, cats } = gallery
    const lists = [
      '/explore',
      '/tags',
      '/tag/dusk',
      '/categories',
      '/category/street-art',
      '/search?q=a',
      '/user/ada',
    ]
    for (const path of lists) {
      for (const who of ['guest', 'bob'] as const) {
        const { status, text } = await see(who, path)
        assert.equal(status, 404, path)
        assert.match(text, /This site has no public lists/)
      }
      assert.equal((await see('ada', path)).status, 200, path)
    }
    // A person who exists is answered as one who does not.
    const [known, unknown] = [await see('guest', '/ada'), await see('guest', '/nobody')]
    assert.deepEqual([known.status, mainOf(known)], [404, mainOf(unknown)])
    assert.equal(mainOf(await see('bob', '/user/nobody')), mainOf(await see('bob', '/user/ada')))
    assert.equal((await see('bob', '/bob')).status, 200)
    assert.equal((await see('guest', '/albums')).status, 404)
    assert.equal((await see('bob', '/albums')).status, 200)
    assert.deepEqual(titlesIn((await see('guest', `/album/${albums.public}`)).text), ['In public'])
    assert.doesNotMatch((await see('guest', '/login')).text, /href="\/explore"/)

    await set(app, cats, { listing: 'members' })
    for (const path of [...lists, '/albums', '/ada', '/nobody'])
      assert.deepEqual(
        [(await see('guest', path)).status, (await see('guest', path)).headers.location],
        [302, `/login?to=${encodeURIComponent(path)}`],
      )
    assert.deepEqual(titlesIn((await see('bob', '/explore')).text), ['Loose file', 'In public'])
    assert.equal((await see('bob', '/nobody')).status, 404)
  })

  test('albums are made, changed and deleted by forms', async () => {
    await using gallery = await startGallery(store)
    const { see, app, cats, cookies } = gallery
    const csrf = tokenIn(await see('bob', '/albums/new'))
    const empty = await see('bob', '/albums/new', { csrf, title: ' ', privacy: 'password' })
    assert.equal(empty.status, 400)
    assert.match(empty.text, /id="title-fault"[\s\S]*Use 1 to 100 characters/)
    const missing = await see('bob', '/albums/new', { csrf, title: '<b>Kept</b>', privacy: 'password' })
    assert.match(missing.text, /value="&lt;b&gt;Kept&lt;\/b&gt;"[\s\S]*id="password-fault"/)
    const made = await see('bob', '/albums/new', { csrf, title: 'Kittens', privacy: 'link' })
    assert.equal(made.status, 303)
    const path = String(made.headers.location)
    const opened = await see('bob', `${path}/edit`)
    assert.equal((await askPage(app, cats, `GET ${path}/edit`)).status, 302)
    assert.equal((await see('ada', `${path}/edit`)).status, 200)
    const form = { csrf, title: 'Cats', privacy: 'private', sort: '-views', version: '1' }
    assert.match(opened.text, /name="version" value="1"/)
    assert.deepEqual((await see('bob', `${path}/edit`, form)).status, 303)
    // Another person's change meanwhile is not overwritten.
    const late = await see('bob', `${path}/edit`, { ...form, title: 'Dogs' })
    assert.equal(late.status, 400)
    assert.match(
      late.text,
      /changed while you were editing[\s\S]*name="version" value="2"[\s\S]*value="Dogs"/,
    )
    assert.match((await see('bob', path)).text, /<h1[^>]*>Cats<\/h1>/)
    const foreign = await askPage(app, cats, `POST /album/${gallery.albums.public}/edit`, {
      cookie: cookies.bob ?? '',
      form: { ...form, csrf },
    })
    assert.equal(foreign.status, 403)
    assert.equal((await see('bob', `${path}/delete`, { csrf })).status, 303)
    assert.equal((await see('bob', path)).status, 404)
  })

  test('what is deleted is in the trash of its owner, who restores it', async () => {
    await using gallery = await startGallery(store)
    const { see, app, cats, files } = gallery
    await ask5(app, cats, `DELETE files/${files.loose}`, { key: await keyOf(app, cats, 'write') })
    assert.doesNotMatch((await see('guest', '/explore')).text, /Loose file/)
    assert.equal((await see('guest', '/mine/trash')).headers.location, '/login?to=%2Fmine%2Ftrash')
    const trash = await see('ada', '/mine/trash')
    assert.match(trash.text, /Loose file/)
    const form = { action: 'restore', id: files.loose ?? '' }
    const bobs = await see('bob', '/mine/selected', { ...form, csrf: tokenIn(await see('bob', '/mine')) })
    assert.match(bobs.text, /1 file wasn’t changed/)
    assert.equal((await see('ada', '/mine/selected', { ...form, csrf: tokenIn(trash) })).status, 303)
    assert.match((await see('guest', '/explore')).text, /Loose file/)
    assert.match((await see('ada', '/mine/trash')).text, /The trash is empty/)
  })

  test('go on page by page, each file once, and answer a bad place', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    await manyFiles(app, cats, 130)
    const titles: string[] = []
    for (const sort of ['newest', 'oldest', 'popular']) {
      titles.length = 0
      for (let path: string | undefined = `/explore?sort=${sort}`; path !== undefined; ) {
        const { text } = await askPage(app, cats, `GET ${path}`)
        titles.push(...[...text.matchAll(/data-id="(\w+)"/g)].map(([, id]) => id ?? ''))
        path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      }
      assert.deepEqual([titles.length, new Set(titles).size], [130, 130], sort)
    }
    for (const after of ['x', '~', '%00~a', 'a~b%00', '1~1~'])
      assert.equal((await askPage(app, cats, `GET /explore?sort=popular&after=${after}`)).status, 400, after)
  })

  test('give the grid the shape of the whole list, then its files window by window, and hide what the page hides', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    await manyFiles(app, cats, 450)
    const own = { 'x-terrace-page': '1', accept: '*/*' }
    const ask = (path: string, headers: Record<string, string> = own) =>
      askPage(app, cats, `GET /-/files/${path}`, { headers })
    const { json } = await ask('shape?in=explore')
    assert.equal(json.shapes.length, 450)
    assert.deepEqual([json.windows.length, json.next], [3, null])
    const countOf = (months: [string, number][]) => months.reduce((sum, [, files]) => sum + files, 0)
    assert.equal(countOf(json.months), 450)
    assert.deepEqual((await ask('shape?in=explore&sort=popular')).json.months, [])
    const ids: string[] = []
    for (const [at, until] of json.windows.entries()) {
      const after = at === 0 ? '' : `&after=${encodeURIComponent(json.windows[at - 1])}`
      const query = `window?in=explore&moment=${json.moment}${after}&until=${encodeURIComponent(until)}`
      const { tiles } = (await ask(query)).json
      ids.push(...tiles.map(({ id }: { id: string }) => id))
    }
    assert.deepEqual([ids.length, new Set(ids).size], [450, 450])
    assert.deepEqual((await ask(`ids?in=explore&moment=${json.moment}`)).json, { ids, next: null })
    assert.equal((await ask('ids?in=search:file')).status, 400)
    // What arrives later is counted and does not move the others.
    app.wait(1)
    await uploaded(app, cats, { file: await picture({ width: 40, height: 30, seed: 9 }) })
    assert.equal((await ask(`shape?in=explore&moment=${json.moment}`)).json.shapes, json.shapes)
    assert.equal((await ask(`new?in=explore&since=${json.moment}`)).json.count, 1)
    // Of a window only what is still there.
    const key = await keyOf(app, cats, 'write')
    await ask5(app, cats, `DELETE files/${ids[3]}`, { key })
    const first = `window?in=explore&moment=${json.moment}&until=${encodeURIComponent(json.windows[0])}`
    assert.equal((await ask(first)).json.tiles.length, 199)

    assert.equal((await ask('shape?in=explore', { 'sec-fetch-site': 'cross-site' })).status, 403)
    for (const path of ['shape?in=mine', 'shape?in=trash']) assert.equal((await ask(path)).status, 401, path)
    for (const path of [
      'shape',
      'shape?in=none',
      'shape?in=constructor',
      'shape?in=explore&moment=x',
      'new?in=explore',
    ])
      assert.equal((await ask(path)).status, 400, path)
    const body = { title: 'Closed', privacy: 'private' }
    const { id } = (await ask5(app, cats, 'POST albums', { key, body })).json
    assert.equal((await ask(`shape?in=album:${id}`)).status, 404)
    await set(app, cats, { listing: 'off' })
    assert.equal((await ask('shape?in=explore')).status, 404)
    assert.equal((await ask('shape?in=search:file')).status, 404)
  })

  test('an album is downloaded as one zip with its length, by those who see it', async () => {
    await using gallery = await startGallery(store)
    const { app, cats, albums, see } = gallery
    // Two files of one name, and one that only its owner sees.
    const file = await picture({ width: 60, height: 40, seed: 3 })
    await set(app, cats, { storage_mode: 'direct', file_naming: 'original' })
    const hidden = await uploaded(app, cats, {
      file,
      fileName: 'hidden.png',
      fields: { album_id: albums.public ?? '' },
    })
    const key = await keyOf(app, cats, 'write')
    await ask5(app, cats, `PATCH files/${hidden.id_encoded}`, { key, body: { is_private: true } })
    const path = `/album/${albums.public}/zip`
    const { bytes, headers, status } = await ask(
      app,
      `http://${cats.hostname}:${app.port}${path}`,
      browserHeaders,
    )
    assert.equal(status, 200)
    assert.equal(headers['content-length'], String(bytes.length))
    assert.match(String(headers['content-disposition']), /filename\*=UTF-8''Album-public\.zip$/)
    // The end of the central directory names the number of its entries.
    assert.equal(bytes.readUInt32LE(bytes.length - 22), 0x06054b50)
    assert.equal(bytes.readUInt16LE(bytes.length - 12), 1)
    assert.ok(
      bytes.includes(await picture({ width: 300, height: 200, format: 'jpeg' })),
      'The bytes are stored as they are',
    )
    assert.equal((await see('guest', `/album/${albums.private}/zip`)).status, 404)
    assert.match((await see('guest', `/album/${albums.password}/zip`)).text, /This album has a password/)
    assert.equal((await see('ada', path)).status, 200)
  })
})
