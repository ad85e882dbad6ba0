import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem, walk } from '../support/media.ts'
import { limit, onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

interface Texts {
  title?: string
  tags?: string
  description?: string
  album_id?: string
  fileName?: string
  key?: string
}

let seed = 1

async function fileWith(app: TestApp, tenant: TestTenant, { fileName = 'x.png', key, ...fields }: Texts) {
  seed += 1
  const sending = { file: await picture({ seed }), fileName, fields, ...(key !== undefined && { key }) }
  return (await uploaded(app, tenant, sending)).id_encoded as string
}

const found = async (
  app: TestApp,
  tenant: TestTenant,
  q: string,
  { key, more = '' }: { key?: string; more?: string } = {},
) => {
  const { status, json, text } = await ask5(
    app,
    tenant,
    `GET files?q=${encodeURIComponent(q)}${more}`,
    key === undefined ? {} : { key },
  )
  assert.equal(status, 200, text)
  return json.data.map(({ id }: { id: string }) => id)
}

onEachStore('the search of files', (store) => {
  test('finds words, phrases, beginnings and exclusions, by relevance', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
    const key = await keyOf(app, cats, 'read')
    const inTitle = await fileWith(app, cats, { title: 'Black Cat asleep', fileName: 'a.png' })
    const inText = await fileWith(app, cats, {
      title: 'One',
      description: 'a cat, black as night',
      fileName: 'b.png',
    })
    const inName = await fileWith(app, cats, { title: 'Two', fileName: 'black-cat.png' })
    const inTags = await fileWith(app, cats, { title: 'Three', tags: 'CAT,black', fileName: 'c.png' })
    const other = await fileWith(app, cats, { title: "It's Ёлка in 東京タワー", fileName: 'd.png' })
    const find = (q: string, more = '') => found(app, cats, q, { key, more })

    assert.deepEqual(await find('cat black'), [inTags, inTitle, inName, inText])
    assert.deepEqual(await find('"black cat"'), [inTitle, inName])
    assert.deepEqual(await find('cat -asleep -three'), [inName, inText])
    assert.deepEqual(await find('cat -"black cat"'), [inTags, inText])
    assert.deepEqual(await find('bla* night'), [inText])
    assert.deepEqual(await find('cat black', '&sort=created'), [inTitle, inText, inName, inTags])
    assert.deepEqual(await find('cat', '&sort=-created&tag=black'), [inTags])
    for (const q of ["it's", 's', 'ЕЛКА', '東京', 'タワー', '京タ'])
      assert.deepEqual(await find(q), [other], q)
    assert.deepEqual(await find('京東'), [])
    const counted = await ask5(app, cats, 'GET files?q=cat&count=true&limit=1', { key })
    assert.deepEqual(counted.json.total, { value: 4, is_exact: true })
    const pages = await walk(app, cats, 'GET files?q=cat%20black&limit=1', { key })
    assert.deepEqual(
      pages.map(({ id }: { id: string }) => id),
      [inTags, inTitle, inName, inText],
    )
  })

  test('a query is refused by name, and counts as a search', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'read')
    const faultOf = async (query: string) => {
      const answer = await ask5(app, cats, `GET files?${query}`, { key })
      assert.deepEqual(problem(answer), [400, 'invalid'], query)
      return answer.json.errors.map((each: any) => `${each.parameter}: ${each.detail}`)
    }
    assert.deepEqual(await faultOf('q='), ['q: must not be empty'])
    assert.deepEqual(await faultOf('q=%20'), ['q: must have a letter or a digit'])
    assert.deepEqual(await faultOf('q=!!!'), ['q: must have a letter or a digit'])
    assert.deepEqual(await faultOf('q=-dog'), ['q: must have a word that is not excluded'])
    assert.deepEqual(await faultOf(`q=${'a'.repeat(201)}`), ['q: must be 1 to 200 characters long, not 201'])
    assert.deepEqual(await faultOf(`q=${'a+'.repeat(17)}`), [
      'q: must have at most 16 words and phrases, not 17',
    ])
    assert.deepEqual(await faultOf('q=%00a'), ['q: must not contain NUL'])
    assert.deepEqual(await faultOf('sort=relevance'), ['sort: relevance needs q'])
    assert.deepEqual(await faultOf('q=-a&min_width=x'), [
      'min_width: must be a whole number from 0 to 2147483647',
    ])
    const { headers } = await ask5(app, cats, 'GET files?q=cat', { key })
    assert.match(String(headers['ratelimit-policy']), /^"search";q=60/)
  })

  test('nothing is found by a caller who may not list it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    for (const tenant of [cats, dogs]) await limit(app, tenant, { SERVICE_RATE_SEARCH: '0' })
    const ada = await keyOf(app, cats, 'admin')
    const bob = await userWithKey(app, cats, 'bob')
    const bobReads = await keyOf(app, cats, 'read', bob.userId)
    const ids: Record<string, string> = { loose: await fileWith(app, cats, { title: 'secret loose' }) }
    for (const privacy of ['public', 'link', 'private', 'password'] as const) {
      const album = await onSiteOf(app, cats, (site) =>
        createAlbum(site, {
          username: 'ada',
          title: privacy,
          privacy,
          ...(privacy === 'password' && { password: 'a password' }),
        }),
      )
      ids[privacy] = await fileWith(app, cats, { title: `secret ${privacy}`, album_id: album.id })
    }
    const bobs = await fileWith(app, cats, { title: 'secret of bob', key: bob.key })
    const elsewhere = await fileWith(app, dogs, { title: 'secret loose' })
    await onSiteOf(app, cats, ({ db }) =>
      db.updateTable('file').set({ isPrivate: 1 }).where('id', '=', bobs).execute(),
    )
    const seenBy = async (key?: string) =>
      (await found(app, cats, 'secret', key === undefined ? {} : { key })).sort()
    const all = [...Object.values(ids), bobs].sort()

    assert.deepEqual([await seenBy(), await seenBy(bobReads), await seenBy(ada)], [[], [bobs], all])
    await set(app, cats, { listing: 'members' })
    assert.deepEqual([await seenBy(), await seenBy(bobReads)], [[], [ids.loose, ids.public, bobs].sort()])
    await set(app, cats, { listing: 'public' })
    assert.deepEqual(await seenBy(), [ids.loose, ids.public].sort())
    assert.deepEqual(await found(app, dogs, 'secret', { key: await keyOf(app, dogs, 'read') }), [elsewhere])
  })

  test('no row of a file that is gone is found, nor are its words kept', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ids = [
      await fileWith(app, cats, { title: 'trashed' }),
      await fileWith(app, cats, { title: 'removed' }),
    ]
    const key = await keyOf(app, cats, 'read')
    const [trashed = '', removed = ''] = ids
    await onSiteOf(app, cats, ({ db }) =>
      db
        .updateTable('file')
        .set({ deletedAt: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', trashed)
        .execute(),
    )
    assert.deepEqual(await found(app, cats, 'trashed', { key }), [])
    assert.deepEqual(await found(app, cats, 'removed', { key }), [removed])
    await onSiteOf(app, cats, ({ db }) => db.deleteFrom('file').where('id', '=', removed).execute())
    assert.deepEqual(await found(app, cats, 'removed', { key }), [])
    assert.deepEqual(
      await onSiteOf(app, cats, ({ db }) =>
        db.selectFrom('fileText').select('fileId').where('fileId', '=', removed).execute(),
      ),
      [],
    )
  })

  test('follows edits, the trash, restores and removals in the same moment', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
    const key = await keyOf(app, cats, 'write')
    const id = await fileWith(app, cats, {
      title: 'first',
      tags: 'old',
      description: 'dusk',
      fileName: 'n.png',
    })
    const finds = async (words: string) =>
      Promise.all(words.split(' ').map(async (q) => (await found(app, cats, q, { key })).length))
    const patch = (body: unknown) => ask5(app, cats, `PATCH files/${id}`, { key, body })

    assert.deepEqual(await finds('first old dusk n png'), [1, 1, 1, 1, 1])
    await patch({ title: 'second', add_tags: ['new'] })
    assert.deepEqual(await finds('first second old new dusk'), [0, 1, 1, 1, 1])
    await patch({ title: null, tags: ['blue'], description: 'dawn' })
    assert.deepEqual(await finds('second old new blue dusk dawn png'), [0, 0, 0, 1, 0, 1, 1])
    await patch({ is_nsfw: true })
    assert.deepEqual(await finds('blue dawn'), [1, 1])
    await ask5(app, cats, `DELETE files/${id}`, { key })
    assert.deepEqual(await finds('blue'), [0])
    assert.deepEqual(await found(app, cats, 'blue', { key, more: '&trashed=true' }), [id])
    await ask5(app, cats, `POST files/${id}/restore`, { key })
    assert.deepEqual(await finds('blue'), [1])
    await ask5(app, cats, `DELETE files/${id}?permanent=true`, { key })
    assert.deepEqual(await finds('blue png'), [0, 0])
    const rows = await onSiteOf(app, cats, ({ db }) => db.selectFrom('fileText').selectAll().execute())
    assert.deepEqual(rows, [])
  })

  test('finds albums by title and description', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
    const key = await keyOf(app, cats, 'write')
    const make = async (title: string, description: string, privacy = 'public') =>
      (await ask5(app, cats, 'POST albums', { key, body: { title, description, privacy } })).json.id
    const one = await make('Black Cats', 'in 東京')
    const two = await make('Dogs', 'black ones; a cat', 'private')
    const albums = async (q: string, given?: string) => {
      const answer = await ask5(
        app,
        cats,
        `GET albums?q=${encodeURIComponent(q)}`,
        given ? { key: given } : {},
      )
      assert.equal(answer.status, 200, answer.text)
      return answer.json.data.map(({ id }: any) => id)
    }
    assert.deepEqual(await albums('black', key), [two, one])
    assert.deepEqual(await albums('"black cats"', key), [one])
    assert.deepEqual(await albums('"cats in"', key), [])
    assert.deepEqual(await albums('cat* -dogs', key), [one])
    assert.deepEqual(await albums('東京', key), [one])
    assert.deepEqual(await albums('black'), [])
    await set(app, cats, { listing: 'public' })
    assert.deepEqual(await albums('black'), [one])
    await ask5(app, cats, `PATCH albums/${one}`, { key, body: { title: 'White' } })
    assert.deepEqual([await albums('black'), await albums('white 東')], [[], [one]])
    assert.deepEqual(problem(await ask5(app, cats, 'GET albums?q=-a', { key })), [400, 'invalid'])
  })
})
