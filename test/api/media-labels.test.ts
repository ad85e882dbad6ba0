import assert from 'node:assert/strict'
import { test } from 'vitest'
import { callerOfKey, type UserCaller } from '../../src/accounts/index.ts'
import { insertSiteRows } from '../../src/db/index.ts'
import {
  createAlbum,
  createCategory,
  editCategory,
  removeCategory,
  renameTag,
} from '../../src/media/index.ts'
import { recountTotals } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem, walk } from '../support/media.ts'
import {
  limit,
  onSiteOf,
  picture,
  set,
  statsOf,
  type TestTenant,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

let seed = 5_000

async function fileWith(app: TestApp, tenant: TestTenant, fields: Record<string, string>, key?: string) {
  seed += 1
  const sending = { file: await picture({ seed }), fields, ...(key !== undefined && { key }) }
  return (await uploaded(app, tenant, sending)).id_encoded as string
}

onEachStore('tags of the API of a site', (store) => {
  test('a list counts what the caller may list, and finds beginnings without case and marks', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
    const admin = await keyOf(app, cats, 'admin')
    const bob = await userWithKey(app, cats, 'bob')
    const reads = await keyOf(app, cats, 'read', bob.userId)
    const album = await onSiteOf(app, cats, (site) =>
      createAlbum(site, { username: 'ada', title: 'hidden', privacy: 'private' }),
    )
    await fileWith(app, cats, { tags: 'Éclair,cat' })
    await fileWith(app, cats, { tags: 'secret,cat', album_id: album.id })
    await fileWith(app, cats, { tags: 'zebra,ecru' }, bob.key)
    const tags = async (key?: string, query = '') => {
      const { status, json, text } = await ask5(app, cats, `GET tags${query}`, key ? { key } : {})
      assert.equal(status, 200, text)
      return json.data.map((tag: any) => `${tag.name} ${tag.file_count}`)
    }
    assert.deepEqual(await tags(admin), ['cat 2', 'Éclair 1', 'ecru 1', 'secret 1', 'zebra 1'])
    assert.deepEqual(await tags(reads), ['ecru 1', 'zebra 1'])
    assert.deepEqual(await tags(), [])
    await set(app, cats, { listing: 'public' })
    assert.deepEqual(await tags(), ['cat 1', 'Éclair 1', 'ecru 1', 'zebra 1'])
    assert.deepEqual(await tags(undefined, '?q=EC'), ['Éclair 1', 'ecru 1'])
    assert.deepEqual(await tags(admin, '?q=sec'), ['secret 1'])
    assert.deepEqual(await tags(undefined, '?q=sec'), [])
    const walked = await walk(app, cats, 'GET tags?limit=2', { key: admin })
    assert.deepEqual(
      walked.map(({ name }) => name),
      ['cat', 'Éclair', 'ecru', 'secret', 'zebra'],
    )
    assert.deepEqual(problem(await ask5(app, cats, `GET tags?q=${'a'.repeat(201)}`)), [400, 'invalid'])
  })

  test('a tag is renamed, merged and deleted, in files and in the search', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
    const key = await keyOf(app, cats, 'admin')
    const one = await fileWith(app, cats, { title: 'one', tags: 'kitten,pet' })
    const two = await fileWith(app, cats, { title: 'two', tags: 'kitten,cat' })
    const found = async (q: string) =>
      (await ask5(app, cats, `GET files?q=${encodeURIComponent(q)}`, { key })).json.data.map(
        (each: any) => each.id,
      )
    const stored = async (id: string) => {
      const { json } = await ask5(app, cats, `GET files/${id}`, { key })
      return [json.tags, json.version]
    }
    const renamed = await ask5(app, cats, 'PATCH tags/kitten', { key, body: { name: '  Small   Cat ' } })
    assert.deepEqual([renamed.status, renamed.json], [200, { name: 'Small Cat', file_count: 2 }])
    assert.deepEqual(await stored(one), [['Small Cat', 'pet'], 2])
    assert.deepEqual([await found('kitten'), await found('"small cat"')], [[], [two, one]])
    assert.equal((await statsOf(app, cats)).tags, 3)

    const merged = await ask5(app, cats, 'PATCH tags/Small%20Cat', { key, body: { name: 'cat' } })
    assert.deepEqual(merged.json, { name: 'cat', file_count: 2 })
    assert.deepEqual(
      [await stored(one), await stored(two)],
      [
        [['cat', 'pet'], 3],
        [['cat'], 3],
      ],
    )
    assert.deepEqual([await found('small'), await found('cat')], [[], [two, one]])
    assert.equal((await statsOf(app, cats)).tags, 2)

    const same = await ask5(app, cats, 'PATCH tags/cat', { key, body: { name: 'cat' } })
    assert.deepEqual(same.json, { name: 'cat', file_count: 2 })
    assert.deepEqual((await ask5(app, cats, 'DELETE tags/cat', { key })).status, 204)
    assert.deepEqual([await stored(one), await found('cat')], [[['pet'], 4], []])
    assert.equal((await statsOf(app, cats)).tags, 1)

    for (const call of ['PATCH tags/nothing', 'PATCH tags/a%00b', 'DELETE tags/nothing'])
      assert.deepEqual(
        problem(await ask5(app, cats, call, { key, ...(call.startsWith('P') && { body: { name: 'x' } }) })),
        [404, 'not-found'],
      )
    for (const name of ['', 'a,b', 'x'.repeat(33), 'a\u0000', 'a\nb'])
      assert.deepEqual(problem(await ask5(app, cats, 'PATCH tags/pet', { key, body: { name } })), [
        400,
        'invalid',
      ])
    const writes = await keyOf(app, cats, 'write')
    const refused = await ask5(app, cats, 'DELETE tags/pet', { key: writes })
    assert.deepEqual(problem(refused), [403, 'scope-missing'])
    assert.deepEqual(problem(await ask5(app, cats, 'DELETE tags/pet')), [401, 'unauthenticated'])
  })
})

onEachStore('a tag of many files', (store) => {
  test('is renamed in parts; stopped halfway, the same change goes on where it was', {
    timeout: 180_000,
  }, async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await fileWith(app, cats, { tags: 'cat,pet' })
    const count = 1_300
    await onSiteOf(app, cats, async (site) => {
      const { site: _, ...row }: any = await site.db.selectFrom('file').selectAll().executeTakeFirstOrThrow()
      const ids = Array.from({ length: count }, (_, index) => `many${String(index).padStart(4, '0')}`)
      const rows = ids.map((id) => ({ ...row, id, name: id, nameKey: id }))
      await insertSiteRows(site.db, 'file', rows)
      const tags = ids.map((fileId) => ({ fileId, tagName: 'cat' }))
      await insertSiteRows(site.db, 'fileTag', tags)
      await recountTotals(site)

      const caller = (await callerOfKey(site, key)) as UserCaller
      let looks = 0
      const stopping = () => {
        looks += 1
        if (looks > 4) throw new Error('stopped')
        return site.clock.now()
      }
      const stopped = { ...site, clock: { ...site.clock, now: stopping } }
      await assert.rejects(renameTag(stopped, caller, { name: 'cat', to: 'kitten' }), /stopped/)
    })
    const counts = async () => {
      const { json } = await ask5(app, cats, 'GET tags', { key })
      return Object.fromEntries(json.data.map((tag: any) => [tag.name, tag.file_count]))
    }
    const halfway = await counts()
    assert.equal(halfway.cat + halfway.kitten, count + 1)
    assert.ok(halfway.kitten > 0 && halfway.cat > 0, JSON.stringify(halfway))
    const renamed = await ask5(app, cats, 'PATCH tags/cat', { key, body: { name: 'kitten' } })
    assert.deepEqual([renamed.status, renamed.json.file_count], [200, count + 1])
    assert.deepEqual(await counts(), { kitten: count + 1, pet: 1 })
    assert.equal((await statsOf(app, cats)).tags, 2)
    assert.equal((await ask5(app, cats, 'DELETE tags/kitten', { key })).status, 204)
    assert.deepEqual([await counts(), (await statsOf(app, cats)).tags], [{ pet: 1 }, 1])
  })
})

onEachStore('categories of the API of a site', (store) => {
  test('are not changed by a caller whose key was revoked since the request began', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await ask5(app, cats, 'POST categories', { key, body: { name: 'Murals' } })
    await onSiteOf(app, cats, async (site) => {
      const caller = (await callerOfKey(site, key)) as UserCaller
      await site.db
        .deleteFrom('userKey')
        .where('id', '=', caller.keyId ?? '')
        .execute()
      for (const change of [
        () => createCategory(site, { name: 'Art' }, caller),
        () => editCategory(site, caller, { id: 1, name: 'Art' }),
        () => removeCategory(site, 1, caller),
      ])
        await assert.rejects(change, { code: 'rights-ended' })
      const rows = await site.db.selectFrom('category').select('name').execute()
      assert.deepEqual(rows, [{ name: 'Murals' }])
    })
  })

  test('are made, listed with counts, changed and deleted by administrators', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const made = await ask5(app, cats, 'POST categories', { key, body: { name: ' Street art ' } })
    assert.deepEqual(
      [made.status, made.json],
      [201, { id: 1, name: 'Street art', url_key: 'street-art', description: null, file_count: 0 }],
    )
    assert.deepEqual(
      problem(await ask5(app, cats, 'POST categories', { key, body: { name: 'street ART' } })),
      [409, 'conflict'],
    )
    await ask5(app, cats, 'POST categories', { key, body: { name: 'Дом', description: 'houses' } })
    const id = await fileWith(app, cats, { category_id: '1' })
    const names = async (given?: string) => {
      const { json } = await ask5(app, cats, 'GET categories', given ? { key: given } : {})
      return json.data.map((each: any) => `${each.id} ${each.name} ${each.file_count}`)
    }
    assert.deepEqual(await names(key), ['1 Street art 1', '2 Дом 0'])
    assert.deepEqual(await names(), ['1 Street art 0', '2 Дом 0'])
    assert.equal((await walk(app, cats, 'GET categories?limit=1', { key })).length, 2)

    const body = { name: 'Murals', description: 'walls' }
    const changed = await ask5(app, cats, 'PATCH categories/1', { key, body })
    assert.deepEqual(changed.json, { id: 1, ...body, url_key: 'street-art', file_count: 1 })
    const cleared = await ask5(app, cats, 'PATCH categories/1', { key, body: { description: null } })
    assert.deepEqual([cleared.json.name, cleared.json.description], ['Murals', null])
    for (const bad of [
      {},
      { name: '' },
      { name: 'x'.repeat(33) },
      { name: 'a\u0000' },
      { name: 5 },
      { url_key: 'x' },
    ])
      assert.deepEqual(problem(await ask5(app, cats, 'PATCH categories/1', { key, body: bad })), [
        400,
        'invalid',
      ])
    for (const unknown of ['9', '0', 'x', '99999999999', '1%00'])
      assert.deepEqual(problem(await ask5(app, cats, `DELETE categories/${unknown}`, { key })), [
        404,
        'not-found',
      ])

    assert.equal((await ask5(app, cats, 'DELETE categories/1', { key })).status, 204)
    assert.equal((await ask5(app, cats, `GET files/${id}`, { key })).json.category_id, null)
    assert.equal((await statsOf(app, cats)).categories, 1)
    const writes = await keyOf(app, cats, 'write')
    for (const call of ['POST categories', 'PATCH categories/2', 'DELETE categories/2'])
      assert.deepEqual(
        problem(await ask5(app, cats, call, { key: writes, ...(!call.startsWith('D') && { body }) })),
        [403, 'scope-missing'],
      )
  })
})
