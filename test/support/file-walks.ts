import assert from 'node:assert/strict'
import fc from 'fast-check'
import { insertSiteRows, type SiteDb } from '../../src/db/index.ts'
import { fileSortNames } from '../../src/media/index.ts'
import { type StoreKind, startTestApp, type TestApp } from './harness.ts'
import { ask5, keyOf } from './media.ts'
import { limit, onSiteOf, type TestTenant, uploaded } from './uploads.ts'

/** What happens between two pages of a walk. Numbers choose files and values. */
const change = fc.record({
  does: fc.constantFrom('insert', 'edit', 'trash', 'remove', 'restore'),
  which: fc.nat(30),
  value: fc.nat(6),
})

const walk = fc.record({
  sort: fc.constantFrom(...fileSortNames.flatMap((name) => [name, `-${name}`])),
  limit: fc.integer({ min: 1, max: 5 }),
  values: fc.array(fc.nat(6), { maxLength: 16 }),
  changes: fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }),
})

type Plan = typeof walk extends fc.Arbitrary<infer Made> ? Made : never
type Step = Plan['changes'][number][number]

interface ModelFile {
  id: string
  value: number
  isThere: boolean
  /** Was there from the first page on, with the value that it has. */
  isSteady: boolean
  /** Appeared or changed after the first page. */
  createdOrder: number
}

/** The columns that a number stands for, each by its own order. */
const columnsOf = (value: number, order: number) => ({
  titleSort: `title ${value}`,
  nameSort: `name ${value}`,
  ...{ sizeBytes: value, views: value, likes: value, position: `p${value}` },
  date: new Date(1_700_000_000_000 + value * 1_000).toISOString(),
  createdAt: new Date(1_700_000_000_000 + order * 1_000).toISOString(),
})

/** Walks through lists of files, each with its own files, while these come, change and go. */
export async function walkFiles(store: StoreKind, count: number): Promise<void> {
  await using app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  await limit(app, cats, { SERVICE_RATE_READS: '0' })
  const key = await keyOf(app, cats, 'read')
  await uploaded(app, cats)
  let runs = 0
  await onSiteOf(app, cats, async ({ db }) => {
    const { site: _, ...row }: any = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow()
    await fc.assert(
      fc.asyncProperty(walk, async (plan) => {
        runs += 1
        const kind = `run${runs}`
        const files = filesOfWalk(kind, row)
        await files.insert(db, plan.values)
        for (const file of files.model.values()) file.isSteady = true
        const young = files.model.size
        const apply = (steps: readonly Step[]) => db.transaction().execute((tx) => files.apply(tx, steps))
        await checkWalk(app, cats, { key, kind, plan, model: files.model, young, apply })
        await db.deleteFrom('file').where('kind', '=', kind).execute()
      }),
      { numRuns: count },
    )
  })
}

function filesOfWalk(kind: string, row: object) {
  const model = new Map<string, ModelFile>()

  async function insert(db: SiteDb, values: readonly number[]): Promise<void> {
    const rows = values.map((value) => {
      const order = model.size
      const id = `${kind}x${order}`
      model.set(id, { id, value, isThere: true, isSteady: false, createdOrder: order })
      return { ...row, id, name: id, nameKey: id, kind, ...columnsOf(value, order) } as never
    })
    await insertSiteRows(db, 'file', rows)
  }

  async function applyOne(db: SiteDb, { does, which, value }: Step): Promise<void> {
    if (does === 'insert') return insert(db, [value])
    const file = [...model.values()][which % Math.max(1, model.size)]
    if (!file) return
    const at = db.updateTable('file').where('id', '=', file.id)
    file.isSteady = false
    if (does === 'edit') {
      file.value = value
      const { createdAt: _created, ...columns } = columnsOf(value, 0)
      await at.set(columns).execute()
    } else if (does === 'restore') {
      const { numUpdatedRows } = await at.set({ deletedAt: null }).executeTakeFirst()
      file.isThere = numUpdatedRows === 1n
    } else {
      file.isThere = false
      if (does === 'trash') await at.set({ deletedAt: '2026-01-01T00:00:00.000Z' }).execute()
      else await db.deleteFrom('file').where('id', '=', file.id).execute()
    }
  }

  return {
    ...{ model, insert },
    async apply(db: SiteDb, steps: readonly Step[]): Promise<void> {
      for (const step of steps) await applyOne(db, step)
    },
  }
}

interface Walking {
  key: string
  kind: string
  plan: Plan
  model: ReadonlyMap<string, ModelFile>
  /** Files of this order and later were made after the first page. */
  young: number
  /** In one transaction. */
  apply: (steps: readonly Step[]) => Promise<void>
}

async function checkWalk(app: TestApp, cats: TestTenant, walking: Walking): Promise<void> {
  const { key, kind, plan, model, young, apply } = walking
  const query = `GET files?kind=${kind}&sort=${plan.sort}&limit=${plan.limit}`
  const seen = new Map<string, number>()
  for (let cursor: string | null = '', page = 0; cursor !== null; page += 1) {
    const answer = await ask5(app, cats, cursor === '' ? query : `${query}&cursor=${cursor}`, { key })
    assert.equal(answer.status, 200, answer.text)
    for (const { id } of answer.json.data) {
      const file = model.get(id)
      assert.ok(file?.isThere, `${id} was removed before this page`)
      if (plan.sort === '-created')
        assert.ok(file.createdOrder < young, `${id} is younger than the first page`)
      seen.set(id, (seen.get(id) ?? 0) + 1)
    }
    cursor = answer.json.next_cursor
    const steps = plan.changes[page] ?? []
    if (steps.length > 0) await apply(steps)
  }
  for (const { id, isSteady } of model.values())
    if (isSteady) assert.equal(seen.get(id), 1, `${id} stayed and came ${seen.get(id) ?? 0} times`)
}
