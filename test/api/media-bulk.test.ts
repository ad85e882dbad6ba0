import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { copyFiles, doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
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

onEachStore('many files', (store) => {
  const three = async (app: TestApp, cats: TestTenant) => {
    const ids: string[] = []
    for (const seed of [1, 2, 3])
      ids.push((await uploaded(app, cats, { file: await picture({ seed }) })).id_encoded)
    return ids as [string, string, string]
  }

  test('are edited, moved, trashed, restored and removed, each with its own result', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const eve = await userWithKey(app, cats, 'eve')
    const hers = (await uploaded(app, cats, { key: eve.key, file: await picture({ seed: 8 }) })).id_encoded
    const [a, b, c] = await three(app, cats)
    const album = await onSiteOf(app, cats, (site) =>
      createAlbum(site, { username: 'ada', title: 'Cats', privacy: 'public' }),
    )
    const bulk = async (body: object) => {
      const { status, json, text } = await ask5(app, cats, 'POST files/bulk', { key, body })
      assert.equal(status, 200, text)
      return [
        json.results.map((each: any) => `${each.status} ${each.code}`).join(),
        json.succeeded,
        json.failed,
      ]
    }
    const ids = [a, 'missing', { id: b, version: 1 }, hers, { id: c, version: 2 }]
    const edit = { action: 'edit', ids, set: { title: 'All', add_tags: ['x', 'y'] } }
    assert.deepEqual(await bulk(edit), [
      '200 ok,404 not-found,200 ok,403 forbidden,412 version-differs',
      2,
      3,
    ])
    const read = async (id: string) => (await ask5(app, cats, `GET files/${id}`, { key })).json
    assert.deepEqual(
      [(await read(a)).title, (await read(b)).tags, (await read(c)).version],
      ['All', ['x', 'y'], 1],
    )
    assert.deepEqual(await bulk({ action: 'move', ids: [a, b], set: { album_id: album.id } }), [
      '200 ok,200 ok',
      2,
      0,
    ])
    assert.equal((await read(a)).album_id, album.id)
    assert.deepEqual(await bulk({ action: 'trash', ids: [a, b] }), ['200 ok,200 ok', 2, 0])
    assert.equal((await statsOf(app, cats)).files, 2)
    assert.deepEqual(await bulk({ ...edit, ids: [a] }), ['409 conflict', 0, 1])
    await limit(app, cats, { SERVICE_MAX_FILES: '3' })
    assert.deepEqual(await bulk({ action: 'restore', ids: [a, b, c] }), [
      '200 ok,403 limit-reached,200 ok',
      2,
      1,
    ])
    assert.deepEqual(await bulk({ action: 'remove', ids: [b, c] }), ['200 ok,200 ok', 2, 0])
    await doDueJobs(app, cats)
    await onSiteOf(app, cats, async (site) => {
      assert.deepEqual(await recountTotals(site), await allTotals(site.db))
      const keys = await site.storage.list('', undefined, 100)
      assert.ok(keys.every((each) => each.key.includes(a) || each.key.includes(hers)))
    })
  })

  test('are changed all or none, and once for an Idempotency-Key', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const [a, b, c] = await three(app, cats)
    const send = (body: object, headers = {}) => ask5(app, cats, 'POST files/bulk', { key, body, headers })
    const titles = async () =>
      (await ask5(app, cats, 'GET files?sort=created', { key })).json.data.map((file: any) => file.version)
    const set_ = { title: 'All' }
    const failing = { action: 'edit', ids: [a, { id: b, version: 9 }, c], set: set_, atomic: true }
    const refused = await send(failing)
    assert.deepEqual(problem(refused), [409, 'conflict'])
    assert.match(refused.json.error.list[0], new RegExp(`^${b}: The version is 1`))
    assert.deepEqual(await titles(), [1, 1, 1])
    const all = { action: 'edit', ids: [a, b, c], set: set_, atomic: true }
    const once = { 'idempotency-key': 'all' }
    const [first, again] = [await send(all, once), await send(all, once)]
    assert.deepEqual([first.json, again.headers['idempotency-replayed']], [again.json, 'true'])
    assert.deepEqual(await titles(), [2, 2, 2])

    for (const [body, pointers] of [
      [{ action: 'burn', ids: [a] }, ['#/action']],
      [{ action: 'trash', ids: [a, b, a] }, ['#/ids/2']],
      [{ action: 'trash', ids: [] }, ['#/ids']],
      [{ action: 'trash', ids: ['a b'] }, ['#/ids/0']],
      [{ action: 'trash', ids: [a], set: { title: 'x' } }, ['#/set']],
      [{ action: 'edit', ids: [a], set: { title: '' } }, ['#/set/title']],
      [{ action: 'move', ids: [a], set: { title: 'x' } }, ['#/set']],
      [{ action: 'edit', ids: [a] }, ['#/set']],
      [{ action: 'trash', ids: Array.from({ length: 101 }, (_, i) => `f${i}`), atomic: true }, ['#/ids']],
      [{ action: 'trash', ids: Array.from({ length: 501 }, (_, i) => `f${i}`) }, ['#/ids']],
    ] as const) {
      const answer = await send(body)
      assert.deepEqual(problem(answer), [400, 'invalid'])
      assert.deepEqual(
        answer.json.errors.map((fault: any) => fault.pointer),
        pointers,
      )
    }
  })

  test('are approved and rejected by administrators alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [admin, plain] = [await keyOf(app, cats, 'admin'), await keyOf(app, cats, 'write')]
    const eve = await userWithKey(app, cats, 'eve')
    await set(app, cats, { moderation: 'all' })
    const send = async (seed: number) =>
      (await uploaded(app, cats, { key: eve.key, file: await picture({ seed }) })).id_encoded
    const [good, bad] = [await send(1), await send(2)]
    const bulk = (key: string, action: string, id: string) =>
      ask5(app, cats, 'POST files/bulk', { key, body: { action, ids: [id] } })
    assert.deepEqual(problem(await bulk(plain, 'approve', good)), [403, 'scope-missing'])
    assert.equal((await ask5(app, cats, `GET files/${good}`)).status, 404)
    assert.equal((await bulk(admin, 'approve', good)).json.succeeded, 1)
    assert.equal((await bulk(admin, 'reject', bad)).json.succeeded, 1)
    assert.equal((await ask5(app, cats, `GET files/${good}`)).status, 200)
    const eves = await keyOf(app, cats, 'read', eve.userId)
    assert.ok((await ask5(app, cats, `GET files/${bad}`, { key: eves })).json.deleted_at)
  })

  test('of five hundred, all are changed by one call', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    await uploaded(app, cats)
    await copyFiles(app, cats, 500)
    const ids = Array.from({ length: 500 }, (_, index) => `copy${index}`)
    for (const body of [
      { action: 'edit', ids, set: { title: 'All', tags: ['a', 'b'] } },
      { action: 'trash', ids },
      { action: 'restore', ids },
      { action: 'remove', ids },
    ]) {
      const { json, text } = await ask5(app, cats, 'POST files/bulk', { key, body })
      assert.equal(json.succeeded, 500, text)
    }
    assert.equal((await statsOf(app, cats)).files, 1)
    await onSiteOf(app, cats, async (site) =>
      assert.deepEqual(await recountTotals(site), await allTotals(site.db)),
    )
  })

  test('and single ones are liked once by each user, without a new version', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const eve = await userWithKey(app, cats, 'eve')
    const eves = await keyOf(app, cats, 'write', eve.userId)
    const { id_encoded: id } = await uploaded(app, cats)
    const like = async (method: string, by: string) =>
      (await ask5(app, cats, `${method} files/${id}/like`, { key: by })).status
    const read = async (by: string) => {
      const { likes, is_liked, version } = (await ask5(app, cats, `GET files/${id}`, { key: by })).json
      return [likes, is_liked, version]
    }
    assert.deepEqual(
      await Promise.all([like('PUT', key), like('PUT', key), like('PUT', eves)]),
      [204, 204, 204],
    )
    assert.deepEqual([await read(key), (await statsOf(app, cats)).file_likes], [[2, true, 1], 2])
    assert.deepEqual([await like('DELETE', key), await like('DELETE', key)], [204, 204])
    assert.deepEqual(
      [await read(key), await read(eves)],
      [
        [1, false, 1],
        [1, true, 1],
      ],
    )
    assert.deepEqual(problem(await ask5(app, cats, `PUT files/${id}/like`)), [401, 'unauthenticated'])
    const reader = await keyOf(app, cats, 'read')
    assert.deepEqual(problem(await ask5(app, cats, `PUT files/${id}/like`, { key: reader })), [
      403,
      'scope-missing',
    ])
    await ask5(app, cats, `PATCH files/${id}`, { key, body: { is_private: true } })
    assert.equal(await like('DELETE', eves), 404)
    await onSiteOf(app, cats, async (site) =>
      assert.deepEqual(await recountTotals(site), await allTotals(site.db)),
    )
  })
})
