import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import { test } from 'vitest'
import { pageStatement } from '../../src/media/files/list/shown-files-table.ts'
import { seesEverything } from '../../src/media/visibility.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { onSiteOf } from '../support/uploads.ts'

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** How the store would read it, in its own words. */
async function planOf(app: TestApp, { sql, parameters }: Statement): Promise<string> {
  const { SERVICE_DATABASE_URL: url } = app.environment
  if (url === undefined) {
    const database = new DatabaseSync(join(app.dataDir, 'sites', '1', 'site.db'), { readOnly: true })
    const rows = database.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[]))
    database.close()
    return rows.map(({ detail }) => detail).join('\n')
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('analyze "file"')
    const { rows } = await client.query(`explain ${sql}`, [...parameters])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.end()
  }
}

const sorting = /TEMP B-TREE FOR ORDER BY|^\s*(->)?\s*Sort/m

onEachStore('lists of many files', (store) => {
  test('by views and by likes are read from an index, the first page and the next, without a sort', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 2_000)
    for (const by of ['views', 'likes'] as const)
      for (const after of [undefined, { value: 0, id: 'f5' }]) {
        const page = { selection: {}, sort: { by, isDescending: true }, after, limit: 60, hasExif: false }
        const statement = await onSiteOf(app, cats, async (site) =>
          pageStatement(site, seesEverything, page).compile(),
        )
        const plan = await planOf(app, statement)
        assert.match(plan, new RegExp(`file_by_${by}`), plan)
        assert.doesNotMatch(plan, sorting, plan)
      }
  })

  test('files that wait for approval are read from an index of their own, and nothing else is', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 2_000)
    for (const after of [undefined, { value: '2026-01-02T00:00:00.000Z', id: 'f5' }]) {
      const statement = await onSiteOf(app, cats, async (site) => {
        // One file in seven.
        await site.db.updateTable('file').set({ isApproved: 0 }).where('width', '=', 150).execute()
        const selection = { isApproved: false }
        const sort = { by: 'created', isDescending: true } as const
        return pageStatement(site, seesEverything, {
          selection,
          sort,
          after,
          limit: 60,
          hasExif: false,
        }).compile()
      })
      const plan = await planOf(app, statement)
      assert.match(plan, /file_pending/, plan)
      assert.doesNotMatch(plan, sorting, plan)
    }
  })

  test('several tags are read as one group', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 200)
    const tags = Array.from({ length: 16 }, (_, index) => `tag ${index}`)
    const sort = { by: 'created', isDescending: true } as const
    const page = { selection: { tags }, sort, after: undefined, limit: 60, hasExif: false }
    const statement = await onSiteOf(app, cats, async (site) =>
      pageStatement(site, seesEverything, page).compile(),
    )
    const plan = await planOf(app, statement)
    // The other one reads the tags that the page shows.
    assert.ok((plan.match(/(Scan|SEARCH|SCAN).*fileTag/g) ?? []).length <= 2, plan)
    assert.match(plan, /Aggregate|GROUP BY/, plan)
  })

  test('the trash of a user and that of all are read from an index, in the order of deletion', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 2_000)
    const at = '2026-01-02T00:00:00.000Z'
    const sort = { by: 'deleted', isDescending: true } as const
    for (const [isOfUser, index] of [
      [true, 'file_by_userId_deletedAt'],
      [false, 'file_by_deletedAt'],
    ] as const)
      for (const after of [undefined, { value: at, id: 'f5' }]) {
        const statement = await onSiteOf(app, cats, async (site) => {
          await site.db.updateTable('file').set({ deletedAt: at }).execute()
          // Of the user is one file in seven.
          await site.db.updateTable('file').set({ userId: null }).where('width', '!=', 150).execute()
          const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
          const selection = { isTrashed: true, ...(isOfUser && { userId }) }
          const page = { selection, sort, after, limit: 60, hasExif: false }
          return pageStatement(site, seesEverything, page).compile()
        })
        const plan = await planOf(app, statement)
        assert.match(plan, new RegExp(index), plan)
        assert.doesNotMatch(plan, sorting, plan)
      }
  })
})

test('on SQLite no statement has a limit that is a parameter alone, which would prepare it again for each page', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const sort = { by: 'created', isDescending: true } as const
  const page = { selection: {}, sort, after: undefined, limit: 60, hasExif: false }
  const [{ sql }, rows] = await onSiteOf(app, cats, async (site) => [
    pageStatement(site, seesEverything, page).compile(),
    await site.db.selectFrom('total').select('name').orderBy('name').limit(2).offset(1).execute(),
  ])
  assert.match(sql, / limit \? \+ 0$/)
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['albumLikes', 'albumViews'],
  )
})
