import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem, walk } from '../support/media.ts'
import {
  onSiteOf,
  picture,
  set,
  type TestTenant,
  type upload,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

onEachStore('files of the API of a site', (store) => {
  const fileOf = async (app: TestApp, cats: TestTenant, sending: Parameters<typeof upload>[2] = {}) =>
    (await uploaded(app, cats, sending)).id_encoded as string

  test('a file is read with its texts, addresses, versions and owner', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'read')
    const image = await uploaded(app, cats, {
      file: await picture({ width: 1200, height: 600 }),
      fileName: 'Cat.png',
      fields: { title: 'A cat', tags: 'pet,cat', description: 'asleep', nsfw: '1' },
    })
    const read = await ask5(app, cats, `GET files/${image.id_encoded}`, { key })
    assert.equal(read.status, 200, read.text)
    assert.equal(read.headers.etag, '"1"')
    assert.equal(read.headers['cache-control'], 'private, no-cache')
    const { json } = read
    assert.deepEqual(
      [json.id, json.type, json.kind, json.mime, json.filename, json.title, json.description, json.tags],
      [image.id_encoded, 'image', 'png', 'image/png', image.filename, 'A cat', 'asleep', ['cat', 'pet']],
    )
    assert.deepEqual(
      [json.url, json.url_viewer, json.url_short, json.size, json.width, json.height, json.md5],
      [image.url, image.url_viewer, image.url_short, image.size, 1200, 600, image.md5],
    )
    assert.equal(json.user.username, 'ada')
    assert.deepEqual(
      [json.is_nsfw, json.is_private, json.is_liked, json.duration],
      [true, false, false, null],
    )
    assert.deepEqual([json.version, json.revision, json.deleted_at, 'exif' in json], [1, 1, null, false])
    assert.equal(json.versions.thumb.url, image.thumb.url)
    assert.equal(json.versions.medium.size, image.medium.size)
    assert.equal(json.versions.frame, null)
    assert.match(json.srcset, / 1200w$/)
    const withExif = await ask5(app, cats, `GET files/${json.id}?fields=exif`, { key })
    assert.ok('exif' in withExif.json)

    const known = await ask5(app, cats, `GET files/${json.id}`, { key, headers: { 'if-none-match': '"1"' } })
    assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', '"1"'])
    assert.deepEqual(problem(await ask5(app, cats, 'GET files/nothing', { key })), [404, 'not-found'])
    assert.deepEqual(problem(await ask5(app, cats, 'GET files/a%00b', { key })), [404, 'not-found'])
    const uploads = await keyOf(app, cats, 'upload')
    assert.deepEqual(problem(await ask5(app, cats, 'GET files', { key: uploads })), [403, 'scope-missing'])
    assert.deepEqual(problem(await ask5(app, cats, `GET files/${json.id}`, { key: uploads })), [
      403,
      'scope-missing',
    ])
  })

  test('who lists and who reads a file follows from privacy, album and the setting `listing`', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await keyOf(app, cats, 'read')
    const eve = await userWithKey(app, cats, 'eve')
    const ids: Record<string, string> = { loose: await fileOf(app, cats) }
    for (const privacy of ['public', 'link', 'private', 'password'] as const) {
      const album = await onSiteOf(app, cats, (site) =>
        createAlbum(site, {
          username: 'ada',
          title: privacy,
          privacy,
          ...(privacy === 'password' && { password: 'a password' }),
        }),
      )
      ids[privacy] = await fileOf(app, cats, { fields: { album_id: album.id } })
    }
    ids.hidden = await fileOf(app, cats)
    await onSiteOf(app, cats, (site) =>
      site.db
        .updateTable('file')
        .set({ isPrivate: 1 })
        .where('id', '=', ids.hidden ?? '')
        .execute(),
    )
    const namesOf = (listed: readonly string[]) =>
      Object.keys(ids)
        .filter((name) => listed.includes(ids[name] ?? ''))
        .join()
    const all = 'loose,public,link,private,password,hidden'
    const callers = {
      visitor: {},
      eve: { key: await keyOf(app, cats, 'write', eve.userId) },
      owner: { key: ada },
    }
    const listed = async (call: object, query = '') =>
      namesOf(
        (await ask5(app, cats, `GET files${query}`, call)).json.data.map(({ id }: { id: string }) => id),
      )
    const read = async (call: object) => {
      const answers = await Promise.all(
        Object.values(ids).map(async (id) => [id, (await ask5(app, cats, `GET files/${id}`, call)).status]),
      )
      return namesOf(answers.filter(([, status]) => status === 200).map(([id]) => String(id)))
    }
    const expected = {
      off: ['', ''],
      members: ['', 'loose,public'],
      public: ['loose,public', 'loose,public'],
    }
    for (const [listing, [toVisitor, toEve]] of Object.entries(expected)) {
      await set(app, cats, { listing })
      assert.deepEqual(
        [await listed(callers.visitor), await listed(callers.eve), await listed(callers.owner)],
        [toVisitor, toEve, all],
      )
    }
    assert.equal(await read(callers.visitor), 'loose,public,link')
    assert.equal(await read(callers.eve), 'loose,public,link')
    assert.equal(await read(callers.owner), all)
    assert.equal(await listed(callers.eve, '?user_id=me'), '')
    assert.deepEqual(problem(await ask5(app, cats, 'GET files?user_id=me')), [401, 'unauthenticated'])
  })

  /** Five pictures, each of another size, made a minute apart. */
  async function fivePictures() {
    const app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'read')
    const made: Awaited<ReturnType<typeof uploaded>>[] = []
    for (const [index, title] of ['Ärger', 'zoo', 'Apfel', 'apfel', 'Ölbaum'].entries()) {
      app.wait(60)
      const file = await picture({ width: 40 + index, height: index % 2 ? 80 : 40, seed: index })
      const tags = index < 3 ? 'cat,pet' : 'cat'
      made.push(await uploaded(app, cats, { file, fileName: `p${9 - index}.png`, fields: { title, tags } }))
    }
    const titles = async (query: string) =>
      (await walk(app, cats, `GET files?limit=2&${query}`, { key })).map(({ title }) => title)
    const ids = made.map(({ id_encoded: id }) => id)
    const ask = (query: string) => ask5(app, cats, `GET files${query}`, { key })
    return { ids, titles, ask, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
  }

  test('a list is sorted, page by page', async () => {
    await using pictures = await fivePictures()
    const { titles } = pictures
    assert.deepEqual(await titles(''), ['Ölbaum', 'apfel', 'Apfel', 'zoo', 'Ärger'])
    assert.deepEqual(await titles('sort=created'), ['Ärger', 'zoo', 'Apfel', 'apfel', 'Ölbaum'])
    const byTitle = await titles('sort=title')
    assert.deepEqual(
      byTitle.map((title) => title.toLowerCase()),
      ['apfel', 'apfel', 'ärger', 'ölbaum', 'zoo'],
    )
    assert.deepEqual(await titles('sort=-title'), byTitle.toReversed())
    assert.deepEqual(await titles('sort=name'), ['Ölbaum', 'apfel', 'Apfel', 'zoo', 'Ärger'])
    assert.deepEqual(await titles('sort=position'), ['Ölbaum', 'apfel', 'Apfel', 'zoo', 'Ärger'])
  })

  test('a list is filtered', async () => {
    await using pictures = await fivePictures()
    const { ids, titles, ask } = pictures
    assert.deepEqual(await titles('tag=cat,pet&sort=created'), ['Ärger', 'zoo', 'Apfel'])
    assert.deepEqual(await titles('orientation=portrait&sort=created'), ['zoo', 'apfel'])
    assert.deepEqual(await titles('orientation=square'), ['Ärger'])
    assert.deepEqual(await titles('min_width=43'), ['Ölbaum', 'apfel'])
    assert.deepEqual(await titles('kind=jpeg'), [])
    assert.deepEqual(await titles('type=video'), [])
    assert.deepEqual(await titles('album_id=none&is_nsfw=false&is_approved=true&type=image&kind=png'), [
      'Ölbaum',
      'apfel',
      'Apfel',
      'zoo',
      'Ärger',
    ])
    assert.deepEqual(await titles(`ids=${ids[0]},${ids[2]},missing`), ['Apfel', 'Ärger'])
    const third = (await ask(`/${ids[2]}`)).json.created_at
    assert.deepEqual(await titles(`created_after=${third}`), ['Ölbaum', 'apfel'])
    assert.deepEqual(await titles(`created_before=${third}&date_before=${third}`), ['zoo', 'Ärger'])
    assert.deepEqual(await titles(`min_size=0&max_size=1`), [])
  })

  test('a list is counted on demand, and names every parameter that it cannot read', async () => {
    await using pictures = await fivePictures()
    const { ask } = pictures
    const counted = await ask('?count=true&limit=1')
    assert.deepEqual(counted.json.total, { value: 5, is_exact: true })
    assert.ok(!('total' in (await ask('?limit=1')).json))
    const bad = await ask('?sort=age&created_after=monday&ids=a,,b&tag=,&album_id=a-b')
    assert.deepEqual(problem(bad), [400, 'invalid'])
    assert.deepEqual(
      bad.json.errors.map(({ parameter }: { parameter: string }) => parameter),
      ['sort', 'created_after', 'ids', 'tag', 'album_id'],
    )
    const faults = await ask('?created_after=monday&ids=a,,b&tag=,&album_id=a-b')
    assert.equal(faults.json.errors.length, 4)
  })

  test('a cursor is good for its caller, list, filter and sort alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'read')
    for (const seed of [1, 2, 3]) await fileOf(app, cats, { file: await picture({ seed }) })
    const first = await ask5(app, cats, 'GET files?limit=1&type=image', { key })
    const cursor: string = first.json.next_cursor
    const next = await ask5(app, cats, `GET files?limit=2&type=image&count=true&cursor=${cursor}`, { key })
    assert.equal(next.json.data.length, 2)
    const other = await keyOf(app, cats, 'admin')
    const changed = `${cursor.slice(0, 9)}${cursor[9] === 'A' ? 'B' : 'A'}${cursor.slice(10)}`
    for (const [query, by] of [
      [`type=video&cursor=${cursor}`, key],
      [`cursor=${cursor}`, key],
      [`type=image&sort=created&cursor=${cursor}`, key],
      [`type=image&cursor=${cursor}`, other],
      [`type=image&cursor=${changed}`, key],
    ] as const)
      assert.deepEqual(problem(await ask5(app, cats, `GET files?${query}`, { key: by })), [
        400,
        'cursor-invalid',
      ])
    app.wait(24 * 3_600)
    assert.deepEqual(problem(await ask5(app, cats, `GET files?type=image&cursor=${cursor}`, { key })), [
      400,
      'cursor-invalid',
    ])
  })
})
