import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openStore, type SiteDb, type Store } from '../../src/db/index.ts'
import { inspectSql } from '../../src/db/sites/guard.ts'
import { type SiteTableName, siteTableNames, siteTables } from '../../src/db/tables.ts'
import { fillEveryTable } from '../support/fixtures/site-rows.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'

/** Typed so loosely that it takes every statement. */
type Loose = Kysely<any>

/** What a room can write against a site's tables on PostgreSQL, and what it gets: its own rows or an error. */
describe('a site on PostgreSQL', () => {
  let url: string
  let store: Store
  let outsider: pg.Client
  let mine: Loose
  let theirs: SiteDb

  beforeAll(async () => {
    url = await freshDatabaseUrl()
    store = await openStore({ dataDir: '/nowhere', databaseUrl: url, onFault: () => undefined })
    mine = (await store.openSite(1)).db
    theirs = (await store.openSite(2)).db
    await fillEveryTable(mine, 'mine')
    await fillEveryTable(theirs, 'theirs')
    await fillJobs(mine, 'mine', 70_001)
    await fillJobs(theirs, 'theirs', 70_002)
    outsider = new pg.Client({ connectionString: url })
    await outsider.connect()
  })

  afterAll(async () => {
    await outsider.end()
    await store[Symbol.asyncDispose]()
    await dropDatabase(url)
  })

  /** Every row of every other site, as the database itself tells it. */
  async function othersRows(): Promise<string> {
    const rows = []
    for (const table of siteTableNames) {
      rows.push(
        (await outsider.query(`select to_json(t) from "${table}" t where site = 2 order by 1::text`)).rows,
      )
    }
    return JSON.stringify(rows)
  }

  for (const table of siteTableNames) {
    const column = wordColumn(table)
    test(`reads no other site's rows of ${table}`, async () => {
      const rows = JSON.stringify([
        await mine.selectFrom(table).selectAll().execute(),
        await mine.selectFrom(`${table} as x`).selectAll().execute(),
        await mine
          .selectFrom([`${table} as x`, 'setting as y'])
          .selectAll('x')
          .execute(),
        await mine.selectFrom('setting as y').crossJoin(`${table} as x`).selectAll('x').execute(),
        await mine
          .selectFrom('setting as y')
          .leftJoin(`${table} as x`, (join) => join.onTrue())
          .selectAll('x')
          .execute(),
        await mine
          .selectFrom('setting as y')
          .fullJoin(`${table} as x`, (join) => join.onTrue())
          .selectAll('x')
          .execute(),
        await mine
          .selectFrom('setting as y')
          .innerJoinLateral(
            (eb) => eb.selectFrom(table).selectAll().as('x'),
            (join) => join.onTrue(),
          )
          .selectAll('x')
          .execute(),
        await mine.selectFrom(mine.selectFrom(table).selectAll().as('x')).selectAll('x').execute(),
        await mine
          .with('w', (db) => db.selectFrom(table).selectAll())
          .selectFrom('w')
          .selectAll()
          .execute(),
        await mine.selectFrom(table).selectAll().union(mine.selectFrom(table).selectAll()).execute(),
        await mine.selectFrom(table).selectAll().where(sql<boolean>`true or true`).execute(),
        await mine
          .selectFrom(table)
          .selectAll()
          .where((eb) => eb.or([eb.lit(true), eb.lit(false)]))
          .execute(),
        await mine
          .selectFrom('setting')
          .select((eb) => eb.selectFrom(`${table} as x`).select(`x.${column}`).limit(1).as('v'))
          .execute(),
        await mine
          .selectFrom('setting')
          .selectAll()
          .where((eb) => eb.exists(eb.selectFrom(`${table} as x`).selectAll()))
          .execute(),
      ])
      assert.ok(!/theirs|70002/.test(rows))
      assert.ok(/mine|70001/.test(rows))
    })

    test(`changes no other site's rows of ${table}`, async () => {
      const before = await othersRows()
      const undo = new Error('undo')
      const all = mine.transaction().execute(async (db) => {
        const change = db
          .updateTable(table)
          .set((eb) => ({ [column]: eb.ref(column) }))
          .where(sql<boolean>`true or true`)
        // A trigger refuses every update of the audit log.
        if (table !== 'audit') assert.equal((await change.executeTakeFirst()).numUpdatedRows, 1n)
        for (const name of siteTableNames.toReversed()) {
          const gone = await db.deleteFrom(name).where(sql<boolean>`true or true`).executeTakeFirst()
          assert.ok(gone.numDeletedRows >= 1n)
          if (name === table) throw undo
        }
      })
      await assert.rejects(all, undo)
      assert.equal(await othersRows(), before)
    })
  }

  const strayers: Record<string, (db: Loose) => Promise<unknown>> = {
    'a statement by hand': (db) => sql`select * from "user"`.execute(db),
    'a statement by hand with a site': (db) => sql`select * from "user" where "site" = 2`.execute(db),
    'a table by hand in a subquery': (db) =>
      db.selectFrom('setting').select(sql`(select max("id") from "user")`.as('v')).execute(),
    'a table by hand in a condition': (db) =>
      db.selectFrom('setting').selectAll().where(sql<boolean>`exists (select 1 from "user")`).execute(),
    'a bracket that closes early': (db) =>
      db.selectFrom('user').selectAll().where(sql<boolean>`true) or (true`).execute(),
    'a comment that hides the rest': (db) =>
      db.selectFrom('user').selectAll().where(sql<boolean>`true --`).execute(),
    'the site column by hand': (db) =>
      db.selectFrom('user').selectAll().where(sql<boolean>`site = 2`).execute(),
    'another site set by an update': (db) => db.updateTable('user').set({ site: 2 }).execute(),
    'another site set by an insert': (db) =>
      db.insertInto('setting').values({ site: 2, name: 'x', value: 'y' }).execute(),
    'rows copied by a query': (db) =>
      db
        .insertInto('setting')
        .columns(['name', 'value'])
        .expression(db.selectFrom('setting').select(['name', 'value']))
        .execute(),
    'a control table': (db) => db.selectFrom('tenant').selectAll().execute(),
    'a table of the catalog': (db) => db.selectFrom('pg_class').selectAll().execute(),
    'a table of another schema': (db) => db.withSchema('public').selectFrom('user').selectAll().execute(),
    'a new table': (db) => db.schema.createTable('x').addColumn('y', 'text').execute(),
    'a dropped table': (db) => db.schema.dropTable('user').execute(),
    'a merge': (db) =>
      db
        .mergeInto('setting as t')
        .using('setting as s', 's.name', 't.name')
        .whenMatched()
        .thenDelete()
        .execute(),
  }
  for (const [name, stray] of Object.entries(strayers)) {
    test(`is stopped at ${name}`, async () => {
      const before = await othersRows()
      let leaked = ''
      try {
        leaked = JSON.stringify(await stray(mine))
      } catch {
        leaked = 'stopped'
      }
      assert.equal(leaked, 'stopped')
      assert.equal(await othersRows(), before)
    })
  }

  test('writes its own rows with its own site', async () => {
    await mine
      .insertInto('setting')
      .values([
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ])
      .execute()
    await mine
      .insertInto('setting')
      .values({ name: 'a', value: '3' })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '3' }))
      .execute()
    const { rows } = await outsider.query(
      `select site, name, value from setting where name in ('a', 'b') order by name`,
    )
    assert.deepEqual(rows, [
      { site: 1, name: 'a', value: '3' },
      { site: 1, name: 'b', value: '2' },
    ])
  })
})

describe('the second layer of isolation', () => {
  const stopped: readonly string[] = [
    'select * from "user"',
    'select * from "user" as "u" where "x"."site" = $1',
    'select * from "user" where "user"."site" = $1 union select * from "user"',
    'select * from "user" inner join "file" on true where "user"."site" = $1',
    'select (select "id" from "file") from "user" where "user"."site" = $1',
    'update "user" set "email" = $1',
    'delete from "user"',
    'insert into "setting" ("name") values ($1)',
    'insert into "setting" ("site", "name") values (2, $1)',
    'insert into "setting" ("site", "name") values ($1, $2), (2, $3)',
    'select * from "tenant"',
  ]
  for (const text of stopped) {
    test(`stops ${text}`, () => assert.notEqual(inspectSql(text).fault, undefined))
  }

  test('lets through what carries the site everywhere, and names the parameters that must be it', () => {
    const text =
      'select * from "user" as "u" left join "file" on ("file"."userId" = "u"."id") and ("file"."site" = $1) where ("u"."site" = $2)'
    assert.deepEqual(inspectSql(text), { siteParameters: [1, 2] })
    const insert =
      'insert into "setting" ("site", "name", "value") values ($1, $2, $3), ($4, $5, $6) on conflict ("site", "name") do nothing'
    assert.deepEqual(inspectSql(insert), { siteParameters: [1, 4] })
  })
})

/** A fence holds no text, so that its token tells whose it is. */
async function fillJobs(db: SiteDb, name: string, token: number): Promise<void> {
  await db.insertInto('jobRun').values({ name, ranAt: 'now', cursor: null }).execute()
  await db.insertInto('jobFence').values({ id: 1, token }).execute()
}

/** A column of each table that holds its site's word. */
function wordColumn(table: SiteTableName): string {
  return table === 'category' ? 'name' : siteTables[table].key[0]
}
