import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, jobRowOf, leftoversOf } from '../support/jobs.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import {
  limit,
  onSiteOf,
  picture,
  set,
  statsOf,
  type TestTenant,
  upload,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

const dayS = 86_400

onEachStore('the trash', (store) => {
  const start = async (app: TestApp) => {
    const cats = await app.tenant('cats')
    return { cats, key: await keyOf(app, cats, 'write') }
  }
  const countsOf = async (app: TestApp, cats: TestTenant) => {
    const { files, storage_used: storage } = await statsOf(app, cats)
    await onSiteOf(app, cats, async (site) =>
      assert.deepEqual(await recountTotals(site), await allTotals(site.db)),
    )
    return { files, storage }
  }
  const get = (app: TestApp, cats: TestTenant, url: string) =>
    app.send('GET', url.replace(/^https?:\/\/[^/]+/, ''), { headers: { host: cats.hostname } })

  describe('a file in it', () => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp({ store })
    })
    afterAll(() => app?.[Symbol.asyncDispose]())

    /** A site for one test, with a file that was moved to the trash. */
    async function trashOne(name: string) {
      const tenant = await app.tenant(name)
      const key = await keyOf(app, tenant, 'write')
      await set(app, tenant, { listing: 'public' })
      const image = await uploaded(app, tenant, { fields: { tags: 'pet' } })
      const id: string = image.id_encoded
      const before = (await ask5(app, tenant, `GET files/${id}`, { key })).json
      const counts = await countsOf(app, tenant)
      const oembed = `/oembed?url=${encodeURIComponent(image.url_viewer)}`
      /** Of every address of the file, and how many files a visitor can list. */
      const statuses = async () =>
        Promise.all([
          ...[image.url, image.thumb.url, image.url_viewer, image.url_short, oembed].map(
            async (url: string) => (await get(app, tenant, url)).status,
          ),
          ask5(app, tenant, `GET files/${id}`).then(({ status }) => status),
          ask5(app, tenant, 'GET files').then(({ json }) => json.data.length),
        ])
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200, 1])
      const deleted = await ask5(app, tenant, `DELETE files/${id}`, { key })
      assert.deepEqual([deleted.status, deleted.text], [204, ''])
      return { tenant, key, image, id, before, counts, statuses }
    }

    test('is 404 at all its addresses, and its storage still counts', async () => {
      const { tenant, image, counts, statuses } = await trashOne('addresses')
      assert.deepEqual(await statuses(), [404, 404, 404, 404, 404, 404, 0])
      assert.deepEqual(await countsOf(app, tenant), { ...counts, files: 0 })
      const path = new URL(image.delete_url).pathname
      const link = await app.send('DELETE', path, { headers: { host: tenant.hostname } })
      assert.equal(link.status, 404)
    })

    test('does not exist for other users', async () => {
      const { tenant, id } = await trashOne('others')
      const { userId } = await userWithKey(app, tenant, 'eve')
      const key = await keyOf(app, tenant, 'write', userId)
      for (const [call, body] of [['GET'], ['DELETE'], ['PATCH', { title: 'x' }]] as const) {
        const answer = await ask5(app, tenant, `${call} files/${id}`, { key, ...(body && { body }) })
        assert.deepEqual(problem(answer), [404, 'not-found'])
      }
      assert.equal((await ask5(app, tenant, `POST files/${id}/restore`, { key })).status, 404)
      assert.deepEqual((await ask5(app, tenant, 'GET files?trashed=true', { key })).json.data, [])
    })

    test('is listed for its owner without addresses', async () => {
      const { tenant, key, id } = await trashOne('listed')
      const own = (await ask5(app, tenant, `GET files/${id}`, { key })).json
      assert.ok(own.deleted_at)
      assert.deepEqual([own.url, own.url_viewer, own.url_short, own.srcset], [null, null, null, null])
      assert.deepEqual(own.versions, { thumb: null, medium: null, frame: null })
      const { json } = await ask5(app, tenant, 'GET files?trashed=true&count=true', { key })
      assert.deepEqual([json.data[0].id, json.data[0].url, json.total.value], [id, null, 1])
    })

    test('cannot be edited, and can be deleted again', async () => {
      const { tenant, key, id } = await trashOne('edited')
      const edited = await ask5(app, tenant, `PATCH files/${id}`, { key, body: { title: 'x' } })
      assert.deepEqual(problem(edited), [409, 'conflict'])
      assert.equal((await ask5(app, tenant, `DELETE files/${id}`, { key })).status, 204)
    })

    test('keeps its name, and an upload of that name gets another one', async () => {
      const { tenant, image } = await trashOne('names')
      const other = await uploaded(app, tenant, { file: await picture({ seed: 9 }) })
      assert.notEqual(other.filename, image.filename)
    })

    test('is restored with all its fields and addresses', async () => {
      const { tenant, key, id, before, statuses } = await trashOne('restored')
      const restored = await ask5(app, tenant, `POST files/${id}/restore`, { key })
      assert.equal(restored.status, 200, restored.text)
      // Views are written a little later.
      const { version, updated_at: _at, views: _views, ...rest } = restored.json
      const { version: first, updated_at: _before, views: _none, ...same } = before
      assert.deepEqual([rest, version], [same, first + 2])
      assert.equal((await ask5(app, tenant, `POST files/${id}/restore`, { key })).json.version, version)
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200, 1])
    })
  })

  test('removes a file and frees its storage after `trash_days`', async () => {
    await using app = await startTestApp({ store })
    const { cats, key } = await start(app)
    const kept = await uploaded(app, cats)
    const image = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    const one = (await countsOf(app, cats)).storage
    await ask5(app, cats, `DELETE files/${image.id_encoded}`, { key })
    app.wait(30 * dayS - 60)
    await doDueJobs(app, cats)
    assert.equal((await countsOf(app, cats)).storage, one)
    assert.equal((await leftoversOf(app, cats)).files, 2)
    app.wait(60)
    await doDueJobs(app, cats)
    const remains = await leftoversOf(app, cats)
    assert.deepEqual([remains.files, remains.removals], [1, 0])
    assert.ok(remains.keys.every((path) => path.includes(kept.id_encoded)))
    assert.ok(((await countsOf(app, cats)).storage ?? 0) < (one ?? 0))
    assert.deepEqual(problem(await ask5(app, cats, `POST files/${image.id_encoded}/restore`, { key })), [
      404,
      'not-found',
    ])
  })

  test('is skipped with `permanent=true` and with `trash_days` 0', async () => {
    await using app = await startTestApp({ store })
    const { cats, key } = await start(app)
    const ids: string[] = []
    for (const seed of [1, 2, 3])
      ids.push((await uploaded(app, cats, { file: await picture({ seed }) })).id_encoded)
    assert.equal((await ask5(app, cats, `DELETE files/${ids[0]}`, { key })).status, 204)
    assert.equal((await ask5(app, cats, `DELETE files/${ids[0]}?permanent=true`, { key })).status, 204)
    assert.equal((await ask5(app, cats, `DELETE files/${ids[1]}?permanent=true`, { key })).status, 204)
    await set(app, cats, { trash_days: '0' })
    const refused = await ask5(app, cats, `DELETE files/${ids[2]}`, { key, headers: { 'if-match': '"7"' } })
    assert.deepEqual(problem(refused), [412, 'version-differs'])
    assert.equal((await ask5(app, cats, `DELETE files/${ids[2]}`, { key })).status, 204)
    assert.deepEqual(await leftoversOf(app, cats), { files: 0, removals: 0, tags: 0, keys: [] })
    assert.deepEqual(await countsOf(app, cats), { files: 0, storage: 0 })
    assert.equal((await ask5(app, cats, `DELETE files/${ids[2]}`, { key })).status, 404)
  })

  test('restores no file beyond the file limit, and has a due time for its job', async () => {
    await using app = await startTestApp({ store })
    const { cats, key } = await start(app)
    const { id_encoded: id } = await uploaded(app, cats)
    await limit(app, cats, { SERVICE_MAX_FILES: '1' })
    await ask5(app, cats, `DELETE files/${id}`, { key })
    const dueAt = (await jobRowOf(app, cats))?.dueAt ?? ''
    assert.ok(dueAt !== '')
    assert.equal((await upload(app, cats, { file: await picture({ seed: 4 }) })).status, 200)
    assert.deepEqual(problem(await ask5(app, cats, `POST files/${id}/restore`, { key })), [
      403,
      'limit-reached',
    ])
    assert.equal((await countsOf(app, cats)).files, 1)
  })
})
