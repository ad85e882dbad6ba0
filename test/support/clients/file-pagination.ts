import assert from 'node:assert/strict'
import fc from 'fast-check'
import { prepare, type SiteDb } from '../../../src/db/index.ts'
import { allDone } from '../../../src/lib/concurrency/promises.ts'
import { fileSortNames } from '../../../src/media/index.ts'
import { type Answer, type StoreKind, startTestApp } from '../harness.ts'
import { ask5, keepsConnections, keptConnections, keyOf } from '../media.ts'
import { limit, onSiteOf, uploaded } from '../uploads.ts'

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
  sizeBytes: value,
  views: value,
  likes: value,
  position: `p${value}`,
  date: new Date(1_700_000_000_000 + value * 1_000).toISOString(),
  createdAt: new Date(1_700_000_000_000 + order * 1_000).toISOString(),
})

/** Walks through lists of files, each with its own files, while these come, change and go. */
export async function walkFiles(store: StoreKind, count: number): Promise<void> {
  await using app = await startTestApp({ store, environment: keepsConnections })
  const cats = await app.tenant('cats')
  await limit(app, cats, { SERVICE_RATE_READS: '0' })
  const key = await keyOf(app, cats, 'read')
  await uploaded(app, cats)
  using connections = keptConnections(app)
  const ask = (call: string) => ask5(connections, cats, call, { key })
  let runs = 0
  await onSiteOf(app, cats, async ({ db }) => {
    const { site: _, ...row }: any = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow()
    const insertFiles = insertionLike(row)
    async function walkOneByOne(): Promise<void> {
      let kindBefore = ''
      const walks = fc.asyncProperty(walk, async (plan) => {
        runs += 1
        const kind = `run${runs}`
        const files = filesOfWalk(kind, insertFiles)
        await db.transaction().execute(async (tx) => {
          await removeFiles.later(tx, { kind: kindBefore })
          await files.insert(tx, plan.values)
        })
        kindBefore = kind
        for (const file of files.model.values()) file.isSteady = true
        const young = files.model.size
        const apply = (steps: readonly Step[]) => db.transaction().execute((tx) => files.apply(tx, steps))
        await checkWalk({ ask, kind, plan, model: files.model, young, apply })
      })
      await fc.assert(walks, { numRuns: Math.ceil(count / atOnce) })
    }
    await allDone(Array.from({ length: atOnce }, walkOneByOne))
  })
  assert.ok(runs >= count, `${runs} walks`)
}

/** Walks that go on side by side: each waits for the store most of its time. */
const atOnce = 4

const removeFiles = prepare<'kind', unknown>((db, { kind }) => db.deleteFrom('file').where('kind', '=', kind))

const editFile = prepare<'id' | Exclude<keyof ReturnType<typeof columnsOf>, 'createdAt'>, unknown>(
  (db, { id, titleSort, nameSort, sizeBytes, views, likes, position, date }) =>
    db
      .updateTable('file')
      .set({ titleSort, nameSort, sizeBytes, views, likes, position, date })
      .where('id', '=', id),
)

const setDeletedAt = prepare<'id' | 'deletedAt', unknown>((db, { id, deletedAt }) =>
  db.updateTable('file').set({ deletedAt }).where('id', '=', id),
)

const removeFile = prepare<'id', unknown>((db, { id }) => db.deleteFrom('file').where('id', '=', id))

type WalkRow = ReturnType<typeof columnsOf> & Record<'id' | 'name' | 'nameKey' | 'kind', string>
type InsertFiles = (db: SiteDb, rows: readonly WalkRow[]) => Promise<void>

/** Inserts files that have all other columns of one file, by a prepared statement for each number of files. */
function insertionLike(file: object): InsertFiles {
  const known = new Map<number, ReturnType<typeof prepare<string, unknown>>>()
  const insertionOf = (samples: readonly WalkRow[]) =>
    prepare<string, unknown>((db, values) => {
      const rows = samples.map((row, index) =>
        Object.fromEntries(Object.keys(row).map((name) => [name, values[`${name} ${index}`]])),
      )
      return db.insertInto('file').values(rows.map((row) => ({ ...file, ...row })) as never)
    })
  return async (db, rows) => {
    if (rows.length === 0) return
    const insertion = known.get(rows.length) ?? insertionOf(rows)
    known.set(rows.length, insertion)
    const columns = rows.flatMap((row, index) =>
      Object.entries(row).map(([name, value]) => [`${name} ${index}`, value]),
    )
    await insertion.later(db, Object.fromEntries(columns))
  }
}

function filesOfWalk(kind: string, insertFiles: InsertFiles) {
  const model = new Map<string, ModelFile>()

  async function insert(db: SiteDb, values: readonly number[]): Promise<void> {
    const rows = values.map((value) => {
      const order = model.size
      const id = `${kind}x${order}`
      model.set(id, { id, value, isThere: true, isSteady: false, createdOrder: order })
      return { id, name: id, nameKey: id, kind, ...columnsOf(value, order) }
    })
    await insertFiles(db, rows)
  }

  async function applyOne(db: SiteDb, { does, which, value }: Step): Promise<void> {
    if (does === 'insert') return insert(db, [value])
    const file = [...model.values()][which % Math.max(1, model.size)]
    if (!file) return
    const { id } = file
    file.isSteady = false
    if (does === 'edit') {
      file.value = value
      const { createdAt: _created, ...columns } = columnsOf(value, 0)
      await editFile.later(db, { id, ...columns })
    } else if (does === 'restore') {
      file.isThere = (await setDeletedAt.changes(db, { id, deletedAt: null })) === 1
    } else {
      file.isThere = false
      if (does === 'trash') await setDeletedAt.later(db, { id, deletedAt: '2026-01-01T00:00:00.000Z' })
      else await removeFile.later(db, { id })
    }
  }

  return {
    model,
    insert,
    async apply(db: SiteDb, steps: readonly Step[]): Promise<void> {
      for (const step of steps) await applyOne(db, step)
    },
  }
}

interface Walking {
  ask: (call: string) => Promise<Answer>
  kind: string
  plan: Plan
  model: ReadonlyMap<string, ModelFile>
  /** Files of this order and later were made after the first page. */
  young: number
  /** In one transaction. */
  apply: (steps: readonly Step[]) => Promise<void>
}

async function checkWalk({ ask, kind, plan, model, young, apply }: Walking): Promise<void> {
  const query = `GET files?kind=${kind}&sort=${plan.sort}&limit=${plan.limit}`
  const seen = new Map<string, number>()
  for (let cursor: string | null = '', page = 0; cursor !== null; page += 1) {
    const answer = await ask(cursor === '' ? query : `${query}&cursor=${cursor}`)
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
