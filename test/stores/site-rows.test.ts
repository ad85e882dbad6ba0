import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import {
  insertSiteRows,
  openStore,
  type SiteDb,
  type SiteRowPage,
  type Store,
  siteRowPages,
} from '../../src/db/index.ts'
import { siteMigrations } from '../../src/db/migrations/site.ts'
import { openSqlite } from '../../src/db/sqlite/connection.ts'
import { migrateSqlite } from '../../src/db/sqlite/migrator.ts'
import { siteTableNames, siteTables } from '../../src/db/tables.ts'
import { fillEveryTable } from '../support/fixtures/site-rows.ts'
import { onBothStores } from '../support/harness.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'

onBothStores('the rows of a site', (kind) => {
  let store: Store
  let folder: string
  let url: string | undefined
  let lastSite = 0

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terrace-test-'))
    url = kind === 'postgres' ? await freshDatabaseUrl() : undefined
    store = await openStore({ dataDir: folder, databaseUrl: url, onFault: () => undefined })
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    if (url !== undefined) await dropDatabase(url)
    await rm(folder, { recursive: true, force: true })
  })

  async function newSite(fill: (db: SiteDb) => Promise<void> = async () => undefined): Promise<number> {
    lastSite += 1
    const draft = await store.draftCopy(lastSite, fill)
    await draft.publish()
    return lastSite
  }

  async function pagesOf(db: SiteDb, pageSize = 2): Promise<SiteRowPage[]> {
    const pages: SiteRowPage[] = []
    for await (const page of siteRowPages(db, pageSize)) pages.push(page)
    return pages
  }

  async function reading<T>(site: number, read: (db: SiteDb) => Promise<T>): Promise<T> {
    const { db, close } = await store.snapshotSite(site)
    try {
      return await read(db)
    } finally {
      await close()
    }
  }

  async function changing(site: number, change: (db: SiteDb) => Promise<unknown>): Promise<void> {
    const { db, close } = await store.openSite(site)
    await change(db)
    await close()
  }

  const rowsOf = (pages: SiteRowPage[], table: string) =>
    pages.filter((page) => page.table === table).flatMap(({ rows }) => rows)

  test('come back the same after a journey, in every table', async () => {
    const from = await newSite(async (db) => {
      await fillEveryTable(db, 'journey')
      await insertSiteRows(db, 'jobRun', [{ name: 'journey', ranAt: 'now', cursor: null }])
      await insertSiteRows(db, 'jobFence', [{ id: 1, token: 7 }])
    })
    const pages = await reading(from, pagesOf)
    assert.deepEqual([...new Set(pages.map(({ table }) => table))], [...siteTableNames])
    assert.ok(pages.every(({ rows }) => rows.every((row) => !('site' in row))))

    const to = await newSite(async (db) => {
      for (const { table, rows } of pages) await insertSiteRows(db, table, rows)
    })
    assert.deepEqual(await reading(to, pagesOf), pages)
  })

  test('are those of one moment, whatever is written meanwhile', async () => {
    const site = await newSite((db) => fillEveryTable(db, 'moment'))
    const { db, close } = await store.snapshotSite(site)
    const before = await pagesOf(db)
    await changing(site, (live) =>
      live.insertInto('tag').values({ name: 'late', createdAt: 'now' }).execute(),
    )
    await changing(site, (live) => live.deleteFrom('page').execute())

    assert.deepEqual(await pagesOf(db), before)
    await close()
    const after = await reading(site, pagesOf)
    assert.ok(rowsOf(after, 'tag').some(({ name }) => name === 'late'))
    assert.deepEqual(rowsOf(after, 'page'), [])
  })

  test('cannot be changed through it', async () => {
    const site = await newSite((db) => fillEveryTable(db, 'still'))
    const { db, close } = await store.snapshotSite(site)
    await assert.rejects(db.deleteFrom('tag').execute())
    await close()
    assert.equal(rowsOf(await reading(site, pagesOf), 'tag').length > 0, true)
  })

  test('come in pages, each row once, with pages of any size', async () => {
    const names = Array.from({ length: 23 }, (_, place) => `tag-${String(place * 7).padStart(3, '0')}`)
    const site = await newSite((db) =>
      insertSiteRows(
        db,
        'tag',
        names.map((name) => ({ name, createdAt: 'now' })),
      ),
    )
    for (const pageSize of [1, 2, 7, 22, 23, 24, 1_000]) {
      const pages = await reading(site, (db) => pagesOf(db, pageSize))
      assert.ok(pages.every(({ rows }) => rows.length <= pageSize && rows.length > 0))
      assert.deepEqual(
        rowsOf(pages, 'tag').map(({ name }) => name),
        names.toSorted(),
        `pages of ${pageSize}`,
      )
    }
  })

  test('put an album behind the one it lies in, whatever their ids', async () => {
    const parents: Record<string, string | null> = {
      a: 'z',
      b: 'y',
      c: 'z',
      x: null,
      y: 'z',
      z: null,
      m: 'b',
      n: 'x',
    }
    const albums = Object.entries(parents).map(([id, parentId]) => album(id, parentId))
    const user = { role: 'admin', isBanned: 0, passwordHash: '', createdAt: 'now', updatedAt: 'now' }
    const site = await newSite(async (db) => {
      await insertSiteRows(db, 'user', [
        { id: 'u', username: 'u', usernameKey: 'u', email: 'u', emailKey: 'u', ...user },
      ])
      for (const id of ['x', 'z', 'y', 'b', 'a', 'c', 'm', 'n']) {
        await insertSiteRows(
          db,
          'album',
          albums.filter((row) => row.id === id),
        )
      }
    })
    for (const pageSize of [1, 2, 3, 100]) {
      const seen = rowsOf(await reading(site, (db) => pagesOf(db, pageSize)), 'album').map(({ id }) =>
        String(id),
      )
      assert.deepEqual(seen.toSorted(), Object.keys(parents).toSorted())
      for (const [id, parent] of Object.entries(parents)) {
        if (parent !== null) assert.ok(seen.indexOf(parent) < seen.indexOf(id), `${parent} before ${id}`)
      }
    }
  })

  test('are inserted by thousands at once', async () => {
    const site = await newSite()
    const rows = Array.from({ length: 25_000 }, (_, place) => ({
      id: String(place).padStart(6, '0'),
      address: '192.0.2.1',
      at: 'now',
    }))
    await changing(site, (db) => insertSiteRows(db, 'rateLimitHit', rows))
    const pages = await reading(site, (db) => pagesOf(db, 1_000))
    assert.deepEqual(rowsOf(pages, 'rateLimitHit'), rows)
  })
})

test('each table is paged by its whole primary key', () => {
  const file = openSqlite(':memory:', { mayCreate: true })
  migrateSqlite(file, siteMigrations)
  for (const table of siteTableNames) {
    const keys = file.run('select name from pragma_table_info(?) where pk > 0 order by pk', [table]).rows
    assert.deepEqual(
      (keys as { name: string }[]).map(({ name }) => name),
      [...siteTables[table].key],
      table,
    )
  }
  file.close()
})

const album = (id: string, parentId: string | null) => ({
  id,
  parentId,
  userId: 'u',
  title: id,
  description: null,
  privacy: 'public',
  passwordHash: null,
  views: 0,
  likes: 0,
  createdAt: 'now',
  updatedAt: 'now',
})
