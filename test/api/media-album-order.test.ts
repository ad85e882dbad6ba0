import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { SiteTables } from '../../src/db/index.ts'
import { createAlbum } from '../../src/media/index.ts'
import { longestPosition, newestFirst, positionsBetween } from '../../src/media/position.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { runsOf } from '../support/tiers.ts'
import { onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

describe('positions', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const position = fc.string({ unit: fc.constantFrom(...digits), minLength: 1, maxLength: 16 })

  test('are between their neighbours, in order, and never too long', () => {
    fc.assert(
      fc.property(position, position, fc.integer({ min: 1, max: 500 }), (a, b, count) => {
        const [low, high] = a < b ? [a, b] : [b, a]
        const found = positionsBetween(low, high, count)
        // Zeros at the end leave no room.
        if (!found) return low.replace(/0+$/, '') === high.replace(/0+$/, '')
        const all = [low, ...found, high]
        return (
          found.length === count &&
          all.every((each, index) => index === 0 || (all[index - 1] ?? '') < each) &&
          found.every((each) => each.length <= longestPosition)
        )
      }),
      { numRuns: runsOf(10_000) },
    )
  })

  test('a newer file comes first', () => {
    assert.ok(newestFirst(new Date(2_000)) < newestFirst(new Date(1_000)))
  })
})

/** Copies an uploaded file's row, so that an album has many without many uploads. */
async function fill(
  app: TestApp,
  tenant: TestTenant,
  count: number,
): Promise<{ albumId: string; ids: string[] }> {
  const album = await onSiteOf(app, tenant, (site) =>
    createAlbum(site, { username: 'ada', title: 'many', privacy: 'public' }),
  )
  await uploaded(app, tenant, { fields: { album_id: album.id } })
  const ids = await onSiteOf(app, tenant, async ({ db }) => {
    const { site: _, ...row } = (await db
      .selectFrom('file')
      .selectAll()
      .executeTakeFirstOrThrow()) as SiteTables['file'] & { site?: number }
    const rows = Array.from({ length: count }, (_, index) => {
      const id = `f${String(index).padStart(5, '0')}`
      // Some files have equal positions, as files of one millisecond have.
      return { ...row, id, name: id, nameKey: id, position: newestFirst(new Date(1_000 - (index >> 1))) }
    })
    for (let from = 0; from < count; from += 100)
      await db
        .insertInto('file')
        .values(rows.slice(from, from + 100))
        .execute()
    await db.deleteFrom('file').where('id', '=', row.id).execute()
    return rows.map(({ id }) => id)
  })
  return { albumId: album.id, ids }
}

onEachStore('the order of an album', (store) => {
  const orderOf = (app: TestApp, tenant: TestTenant) =>
    onSiteOf(app, tenant, async ({ db }) => {
      const rows = await db
        .selectFrom('file')
        .select(['id', 'position'])
        .orderBy('position')
        .orderBy('id')
        .execute()
      for (const { position } of rows) assert.ok(position.length <= longestPosition)
      return rows.map(({ id }) => id)
    })

  test('random moves of many files equal a model', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_RATE_WRITES: '0' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { albumId, ids } = await fill(app, cats, runsOf(2_000))
    let model = ids
    const moves = fc.sample(
      fc.record({ at: fc.nat(), count: fc.integer({ min: 1, max: 8 }), before: fc.option(fc.nat()) }),
      { numRuns: runsOf(1_000), seed: 16 },
    )
    for (const { at, count, before } of moves) {
      const moved = Array.from({ length: count }, (_, index) => model[(at + index * 7) % model.length] ?? '')
      const rest = model.filter((id) => !moved.includes(id))
      // Half of the moves go to the same place, where room runs out.
      const target =
        before === null ? undefined : before % 2 === 0 ? rest[rest.length >> 1] : rest[before % rest.length]
      const index = target === undefined ? rest.length : rest.indexOf(target)
      model = rest.toSpliced(index, 0, ...moved)
      const body = { ids: moved, before: target ?? null }
      const { status, text } = await ask5(app, cats, `POST albums/${albumId}/order`, { key, body })
      assert.equal(status, 204, text)
    }
    assert.deepEqual(await orderOf(app, cats), model)
  })

  test('a move writes only what moves; a new file comes first', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { albumId, ids } = await fill(app, cats, 20)
    const positions = () =>
      onSiteOf(app, cats, async ({ db }) =>
        Object.fromEntries(
          (await db.selectFrom('file').select(['id', 'position']).execute()).map((row) => [
            row.id,
            row.position,
          ]),
        ),
      )
    const before = await positions()
    const body = { ids: [ids[10], ids[3]], before: ids[16] }
    assert.equal((await ask5(app, cats, `POST albums/${albumId}/order`, { key, body })).status, 204)
    const after = await positions()
    assert.deepEqual(
      ids.filter((id) => before[id] !== after[id]),
      [ids[3], ids[10]],
    )
    const first = { ids: [ids[19]], before: ids[0] }
    assert.equal((await ask5(app, cats, `POST albums/${albumId}/order`, { key, body: first })).status, 204)
    await uploaded(app, cats, { fields: { album_id: albumId } })
    const order = await orderOf(app, cats)
    assert.equal(order[1], ids[19])
    assert.ok(!ids.includes(order[0] ?? ''))
  })

  test('wrong ids are named', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { albumId, ids } = await fill(app, cats, 4)
    const [a = '', b = ''] = ids
    for (const [body, pointer] of [
      [{ ids: [] }, '#/ids'],
      [{ ids: Array.from({ length: 501 }, () => a) }, '#/ids'],
      [{ ids: [a, b, a] }, '#/ids/2'],
      [{ ids: [a, 'gone'] }, '#/ids/1'],
      [{ ids: [a, 'a b'] }, '#/ids/1'],
      [{ ids: [a], before: a }, '#/before'],
      [{ ids: [a], before: 'gone' }, '#/before'],
    ] as const) {
      const answer = await ask5(app, cats, `POST albums/${albumId}/order`, { key, body })
      assert.deepEqual(problem(answer), [400, 'invalid'], answer.text)
      assert.equal(answer.json.errors[0].pointer, pointer)
    }
    const read = await keyOf(app, cats, 'read')
    assert.equal(
      (await ask5(app, cats, `POST albums/${albumId}/order`, { key: read, body: { ids } })).status,
      403,
    )
  })
})
