import assert from 'node:assert/strict'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { createAlbum, createCategory } from '../../src/media/index.ts'
import { wrongLabelTotals } from '../../src/site/index.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { limit, onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }

/** A site whose lists are public, with files of two users in albums and categories. */
async function start({ store }: { store: StoreKind }) {
  const app = await startTestApp({ store, environment })
  const cats = await app.tenant('cats')
  await limit(app, cats, { SERVICE_RATE_SEARCH: '0' })
  await set(app, cats, { listing: 'public' })
  const admin = await keyOf(app, cats, 'admin')
  const bob = await userWithKey(app, cats, 'bob')
  const bobs = await keyOf(app, cats, 'write', bob.userId)
  const album = await onSiteOf(app, cats, (site) =>
    createAlbum(site, { username: 'bob', title: 'open', privacy: 'public' }),
  )
  const category = await onSiteOf(app, cats, (site) => createCategory(site, { name: 'Pets' }))
  const of = { album_id: album.id, category_id: String(category.id) }
  const ids = [
    await fileWith(app, cats, 1, { tags: 'cat,pet' }),
    await fileWith(app, cats, 2, { tags: 'cat', category_id: of.category_id }),
    await fileWith(app, cats, 3, { tags: 'cat,dog', ...of }, bob.key),
    await fileWith(app, cats, 4, { tags: 'dog', ...of }, bob.key),
  ] as const
  return { app, cats, admin, bob, bobs, album, category, ids }
}

async function fileWith(
  app: TestApp,
  tenant: TestTenant,
  seed: number,
  fields: Record<string, string>,
  key?: string,
): Promise<string> {
  const file = await picture({ seed: 9_100 + seed })
  return (await uploaded(app, tenant, { file, fields, ...(key !== undefined && { key }) })).id_encoded
}

type World = Awaited<ReturnType<typeof start>>

/** For each caller: the counts of tags and categories are those of the lists of their files, and the totals are right. */
async function assertCounted({ app, cats, admin, bobs }: World, after: string): Promise<void> {
  await onSiteOf(app, cats, async ({ db }) => assert.deepEqual(await wrongLabelTotals(db), [], after))
  for (const key of [admin, bobs, undefined]) {
    const read = async (path: string) => {
      const { status, json, text } = await ask5(app, cats, `GET ${path}`, key === undefined ? {} : { key })
      assert.equal(status, 200, text)
      return json
    }
    const filesOf = async (query: string) => (await read(`files?${query}`)).data.length
    const listed: string[] = []
    for (const { name, file_count: count } of (await read('tags')).data) {
      assert.equal(count, await filesOf(`tag=${name}`), `${after}: ${name}`)
      listed.push(name)
    }
    const all = new Set((await read('files')).data.flatMap(({ tags }: { tags: string[] }) => tags))
    if (key !== admin) assert.deepEqual(new Set(listed), all, after)
    for (const { id, file_count: count } of (await read('categories')).data)
      assert.equal(count, await filesOf(`category_id=${id}`), `${after}: category ${id}`)
  }
}

onEachStore('counts of tags and categories', (store) => {
  test('are those of the lists after every change of a file, an album and a user', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, admin, bob, bobs, album, category, ids } = world
    const [one, two, three, four] = ids
    await assertCounted(world, 'the uploads')
    const bulk = (action: string, of: readonly string[], set?: object) =>
      ['POST', 'files/bulk', { action, ids: of, ...(set && { set }) }] as const
    const changes: readonly (readonly [string, string, object?, string?])[] = [
      ['PATCH', `files/${one}`, { add_tags: ['new'], remove_tags: ['pet'] }],
      ['PATCH', `files/${two}`, { category_id: null }],
      ['PATCH', `files/${two}`, { category_id: category.id, tags: ['dog', 'cat'] }],
      ['PATCH', `files/${three}`, { album_id: null }, bobs],
      ['PATCH', `albums/${album.id}`, { privacy: 'private' }, bobs],
      ['PATCH', `files/${three}`, { album_id: album.id }, bobs],
      ['PATCH', `albums/${album.id}`, { privacy: 'public' }, bobs],
      ['PATCH', `tags/dog`, { name: 'cat' }],
      bulk('trash', [one, four]),
      bulk('restore', [one, four]),
      bulk('edit', [one, two, four], { add_tags: ['bulk'] }),
      bulk('edit', [four], { album_id: null }),
      bulk('edit', [four], { album_id: album.id }),
      ['DELETE', 'tags/new'],
      ['DELETE', `files/${one}?permanent=true`],
      ['PATCH', `albums/${album.id}`, { privacy: 'private' }, bobs],
      ['DELETE', `albums/${album.id}`],
      ['DELETE', `categories/${category.id}`],
    ]
    for (const [method, path, body, key = admin] of changes) {
      const { status, text } = await ask5(app, cats, `${method} ${path}`, { key, ...(body && { body }) })
      assert.ok(status < 300, `${method} ${path}: ${text}`)
      await assertCounted(world, `${method} ${path} ${JSON.stringify(body)}`)
    }
    const { status, text } = await ask5(app, cats, `DELETE users/${bob.userId}?files=keep`, { key: admin })
    assert.equal(status, 204, text)
    await onSiteOf(app, cats, async ({ db }) => assert.deepEqual(await wrongLabelTotals(db), []))
    await assertHealthy(app.app)
  })

  test('leave out a file that waits for approval, and count it once it is approved', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, admin, bob, ids } = world
    await set(app, cats, { moderation: 'all' })
    const waiting = await fileWith(app, cats, 5, { tags: 'cat,late' }, bob.key)
    await assertCounted(world, 'an upload that waits')
    for (const action of ['approve', 'reject']) {
      const body = { action, ids: [waiting, ids[0]] }
      assert.equal((await ask5(app, cats, 'POST files/bulk', { key: admin, body })).status, 200)
      await assertCounted(world, action)
    }
  })

  test('leave out a file that has expired, before a job removes it', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob } = world
    await fileWith(app, cats, 6, { tags: 'cat,brief', expiration: 'PT5M' }, bob.key)
    const tags = async () =>
      (await ask5(app, cats, 'GET tags?limit=2')).json.data.map((tag: any) => `${tag.name} ${tag.file_count}`)
    assert.deepEqual(await tags(), ['brief 1', 'cat 4'])
    app.wait(4 * 60)
    assert.deepEqual(await tags(), ['brief 1', 'cat 4'])
    app.wait(60)
    assert.deepEqual(await tags(), ['cat 3', 'dog 2'], 'no job has run')
    await assertCounted(world, 'the expiration')
  })

  test('are checked by the doctor, and repaired', async () => {
    const world = await start({ store })
    await using app = world.app
    await onSiteOf(app, world.cats, ({ db }) =>
      db
        .updateTable('labelTotal')
        .set({ files: 7 })
        .where('label', '=', 'dog')
        .where('userId', '=', '')
        .execute(),
    )
    assert.deepEqual(faultsOf(await examineApp(app.app, {})), ['totals cats tag total dog'])
    await examineApp(app.app, { isRepairing: true })
    await assertCounted(world, 'the repair')
  })
})
