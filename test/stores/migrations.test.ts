import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, test } from 'vitest'
import { openStore } from '../../src/db/index.ts'
import { controlMigrations } from '../../src/db/migrations/control.ts'
import type { Migration } from '../../src/db/migrations/migration.ts'
import { siteMigrations } from '../../src/db/migrations/site.ts'
import { migratePostgres } from '../../src/db/postgres/migrator.ts'
import { isSafeSqlite, openSqlite } from '../../src/db/sqlite/connection.ts'
import { migrateSqlite } from '../../src/db/sqlite/migrator.ts'
import { siteTableNames } from '../../src/db/tables.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'

async function onDatabase(work: (client: pg.Client, url: string) => Promise<void>): Promise<void> {
  const url = await freshDatabaseUrl()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client, url)
  } finally {
    await client.end()
    await dropDatabase(url)
  }
}

async function onFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-test-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Table → its columns, and which of them may be null. */
function sqliteTables(migrations: readonly Migration[]): Map<string, string[]> {
  const file = openSqlite(':memory:', { mayCreate: true })
  migrateSqlite(file, migrations)
  // The index of `fileText` is a virtual table with tables of its own; PostgreSQL has a column for it.
  const tables = file.run(
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'fileWords%'`,
    [],
  ).rows
  const found = new Map<string, string[]>()
  for (const { name } of tables as { name: string }[]) {
    const columns = file.run(`select name, "notnull", pk from pragma_table_info(?)`, [name]).rows
    const stored = (columns as { name: string; notnull: number; pk: number }[]).map(
      (column) => `${column.name}${column.notnull || column.pk ? '' : '?'}`,
    )
    found.set(name, stored)
  }
  file.close()
  return found
}

describe('the tables', () => {
  test('are the same on both stores, but for the site that leads on PostgreSQL', async () => {
    const all = [...controlMigrations, ...siteMigrations]
    const expected = sqliteTables(all)
    await onDatabase(async (client) => {
      await migratePostgres(client, all)
      const { rows } = await client.query<{ table: string; column: string; nullable: string }>(
        `select table_name "table", column_name "column", is_nullable nullable from information_schema.columns
         where table_schema = 'public' and is_generated = 'NEVER' order by table_name, ordinal_position`,
      )
      const found = Map.groupBy(rows, (row) => row.table)
      // SQLite counts the changes of a file itself.
      assert.deepEqual(new Set(found.keys()), new Set([...expected.keys(), 'rowVersion']))
      for (const [table, columns] of expected) {
        const stored = (found.get(table) ?? []).map(
          (row) => `${row.column}${row.nullable === 'YES' ? '?' : ''}`,
        )
        const isOfSite = [...siteTableNames, 'gate'].includes(table)
        assert.deepEqual(stored, isOfSite ? ['site', ...columns] : columns, table)
      }
    })
  })

  test('distribute by site: every key leads with it, and no reference leaves it', async () => {
    await onDatabase(async (client) => {
      await migratePostgres(client, siteMigrations)
      const { rows: indexes } = await client.query<{ table: string; definition: string }>(
        `select tablename "table", indexdef definition from pg_indexes where schemaname = 'public' and tablename <> 'migration'`,
      )
      assert.ok(indexes.length >= siteTableNames.length)
      // Words of the search begin with the site's number.
      const isOfWords = (definition: string) => /USING gin \("searchVector[123]"\)$/.test(definition)
      for (const { definition } of indexes)
        if (!isOfWords(definition)) assert.match(definition, /USING btree \(site(,|\))/)
      const { rows: references } = await client.query<{ definition: string }>(
        `select pg_get_constraintdef(oid) definition from pg_constraint where contype = 'f'`,
      )
      assert.ok(references.length > 5)
      for (const { definition } of references) {
        assert.match(definition, /FOREIGN KEY \(site, "?\w+"?\) REFERENCES "?\w+"?\(site, "?\w+"?\)/)
      }
    })
  })
})

/** The statements of a step, as the migrator sends them. */
const statementsOf = ({ postgres }: Migration) =>
  postgres.split(/;[ \t]*(?:\n|$)/).filter((text) => text.trim() !== '')

/** The parts between commas outside of brackets. */
function partsOf(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

describe('steps on tables that Citus has distributed', () => {
  test('add a column without its constraint: each is a statement of its own', () => {
    for (const step of siteMigrations)
      for (const statement of statementsOf(step))
        if (/\badd column\b/.test(statement))
          assert.doesNotMatch(statement, /\b(check|references|unique|primary key)\b/, step.name)
  })

  test('update and delete by immutable functions', () =>
    onDatabase(async (client) => {
      const changes: string[] = []
      await migratePostgres(client, [])
      for (const step of siteMigrations) {
        for (const statement of statementsOf(step)) {
          const update = /^\s*update "(\w+)" set (.*?)(?: where (.*))?$/s.exec(statement)
          const deletion = /^\s*delete from "(\w+)"(?: where (.*))?$/s.exec(statement)
          assert.equal(/^\s*(update|delete)\b/.test(statement), update !== null || deletion !== null)
          const table = update?.[1] ?? deletion?.[1]
          const values = partsOf(update?.[2] ?? '').map((part) => part.slice(part.indexOf('=') + 1))
          // An index refuses an expression that is not immutable, and names it.
          for (const value of values.filter((text) => text.trim() !== ''))
            await client.query(
              `create index "probe" on "${table}" (((${value}) is null)); drop index "probe"`,
            )
          const condition = update?.[3] ?? deletion?.[2]
          if (condition)
            await client.query(
              `create index "probe" on "${table}" ("site") where ${condition}; drop index "probe"`,
            )
          if (table) changes.push(table)
          await client.query(statement)
        }
      }
      assert.ok(changes.length >= 6, `${changes}`)
    }))

  test('have the outcome that they were released with', async () => {
    const released = [
      [
        `add column "isPrivate" smallint not null default 0;
    alter table "file" add constraint "file_isPrivate_check" check`,
        `add column "isPrivate" smallint not null default 0 check`,
      ],
      [
        `default 'upload';
    alter table "userKey" add constraint "userKey_scope_check"`,
        `default 'upload'`,
      ],
      [`add constraint "userKey_site_albumId_fkey"\n      foreign key`, `add foreign key`],
      [
        `default 0;
    alter table "session" add constraint "session_isLasting_check" check`,
        `default 0 check`,
      ],
      [/make_timestamp\(.*?float8\s*\)/s, `"createdAt"::timestamptz`],
    ] as const
    const inOneStep = siteMigrations.map((step) => {
      let { postgres } = step
      for (const [now, before] of released) postgres = postgres.replace(now, before)
      return { ...step, postgres }
    })
    assert.equal(
      inOneStep.filter(({ postgres }, index) => postgres !== siteMigrations[index]?.postgres).length,
      3,
    )
    const upTo = (name: string, steps: readonly Migration[]) =>
      steps.slice(
        0,
        steps.findIndex((step) => step.name.startsWith(name)),
      )
    const outcomes = await Promise.all(
      [siteMigrations, inOneStep].map(async (steps) => {
        let outcome: unknown
        await onDatabase(async (client) => {
          await migratePostgres(client, upTo('site/005', steps))
          await client.query(oldFile('1'))
          await client.query(oldFile('2').replaceAll('2026-11-01T12:00:00.000Z', '1999-12-31T23:59:59.987Z'))
          await migratePostgres(client, steps)
          outcome = await schemaOf(client)
        })
        return outcome
      }),
    )
    assert.deepEqual(outcomes[0], outcomes[1])
  })
})

/** Columns, constraints and indexes of all tables, and the positions of files. */
async function schemaOf(client: pg.Client): Promise<unknown> {
  const texts = [
    `select table_name, column_name, ordinal_position, data_type, collation_name, is_nullable, column_default
     from information_schema.columns where table_schema = 'public' order by 1, 3`,
    `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition
     from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select "site", "updatedAt", "position" from "file" order by 1`,
  ]
  const found: unknown[][] = []
  for (const text of texts) found.push((await client.query(text)).rows)
  for (const rows of found) assert.ok(rows.length > 1)
  return found
}

const steps: readonly Migration[] = [
  { name: 'x/1', sqlite: 'create table "a" ("x" text)', postgres: 'create table "a" ("x" text)' },
  {
    name: 'x/2',
    sqlite: 'create table "b" ("x" text); broken',
    postgres: 'create table "b" ("x" text); broken',
  },
]
const mended: readonly Migration[] = steps.map((step) => ({
  name: step.name,
  sqlite: step.sqlite.replace('; broken', ''),
  postgres: step.postgres.replace('; broken', ''),
}))

test('a step is sent to PostgreSQL one statement a query', () =>
  onDatabase(async (client, url) => {
    const sent: string[] = []
    class Recording extends pg.Client {
      override query(...given: unknown[]): any {
        sent.push(String(given[0]))
        return (super.query as (...all: unknown[]) => unknown)(...given)
      }
    }
    const recording = new Recording({ connectionString: url })
    await recording.connect()
    await migratePostgres(recording, [...controlMigrations, ...siteMigrations])
    await recording.end()
    // The server itself tells: to be prepared, a text must be one statement.
    const changes = sent.filter((text) => /^\s*(create|alter|insert into (?!"migration"))/.test(text))
    assert.ok(changes.length > 40, `${changes.length} statements`)
    // The body of a function is one text.
    for (const text of changes) assert.doesNotMatch(text.replace(/\$\$.*\$\$/s, ''), /;\s*\S/)
    const { rows } = await client.query(`select count(*)::int as count from "migration"`)
    assert.deepEqual(rows, [{ count: controlMigrations.length + siteMigrations.length }])
  }))

describe('a migration that fails half-way', () => {
  test('leaves whole steps behind and goes on from there (sqlite)', () =>
    onFolder(async (folder) => {
      const file = openSqlite(join(folder, 'x.db'), { mayCreate: true })
      assert.throws(() => migrateSqlite(file, steps))
      const tables = () =>
        file.run(`select name from sqlite_schema where name in ('a', 'b') order by name`, []).rows
      assert.deepEqual(tables(), [{ name: 'a' }])
      assert.equal(migrateSqlite(file, mended), 1)
      assert.deepEqual(tables(), [{ name: 'a' }, { name: 'b' }])
      assert.equal(migrateSqlite(file, mended), 0)
      file.close()
    }))

  test('leaves whole steps behind and goes on from there (postgres)', () =>
    onDatabase(async (client) => {
      await assert.rejects(migratePostgres(client, steps))
      assert.equal(await migratePostgres(client, mended), 1)
      assert.equal(await migratePostgres(client, mended), 0)
    }))
})

const oldFile = (site: string) => `
  insert into "file" (${site && '"site", '}"id", "kind", "type", "folder", "name", "nameKey", "extension", "originalName",
    "sizeBytes", "storedBytes", "width", "height", "durationSeconds", "variants", "md5", "sourceMd5", "isNsfw",
    "isAnimated", "isApproved", "is360", "views", "likes", "deleteHash", "uploaderAddress", "date", "createdAt")
  values (${site && `${site}, `}'a', 'png', 'image', 'images', 'a', 'a', 'png', 'a.png',
    1, 1, 1, 1, 0, '{}', '', '', 0, 0, 1, 0, 0, 0, '', '', '2026-11-01T12:00:00.000Z', '2026-11-01T12:00:00.000Z')`

describe('files from before there were private ones', () => {
  const before = siteMigrations.slice(
    0,
    siteMigrations.findIndex(({ name }) => name === 'site/005-private-files'),
  )

  test('are not private (sqlite)', () => {
    const file = openSqlite(':memory:', { mayCreate: true })
    migrateSqlite(file, before)
    file.run(oldFile(''), [])
    migrateSqlite(file, siteMigrations)
    assert.deepEqual(file.run('select "id", "isPrivate" from "file"', []).rows, [{ id: 'a', isPrivate: 0 }])
    file.close()
  })

  test('are not private (postgres)', () =>
    onDatabase(async (client) => {
      await migratePostgres(client, before)
      await client.query(oldFile('1'))
      await migratePostgres(client, siteMigrations)
      // A server of the version before, which runs on beside this one, inserts as it did.
      await client.query(oldFile('2'))
      const { rows } = await client.query('select "site", "isPrivate" from "file" order by 1')
      assert.deepEqual(rows, [
        { site: 1, isPrivate: 0 },
        { site: 2, isPrivate: 0 },
      ])
    }))
})

onBothStores('a store', (kind) => {
  test('is prepared once when several processes open it at the same time', async () => {
    const open = (place: { dataDir: string; databaseUrl?: string }) =>
      Promise.all(Array.from({ length: 4 }, () => openStore({ ...place, onFault: () => undefined })))
    const check = async (place: { dataDir: string; databaseUrl?: string }) => {
      const stores = await open(place)
      for (const store of stores) await store.check()
      for (const store of stores) await store[Symbol.asyncDispose]()
    }
    if (kind === 'sqlite') await onFolder((dataDir) => check({ dataDir }))
    else await onDatabase((_client, databaseUrl) => check({ dataDir: '/nowhere', databaseUrl }))
  })

  test('keeps its tenants over a restart', async () => {
    await using first = await startTestApp({ store: kind })
    await first.tenant('cats')
    await using second = await startTestApp({ beside: first })
    assert.equal((await second.call('GET', 'tenants/cats')).json.stats.users, 1)
    assert.equal((await second.send('GET', '/', { headers: { host: 'cats.test' } })).status, 200)
  })
})

test('an SQLite with the bug that loses data is refused', () => {
  assert.deepEqual(['3.51.3', '3.53.4', '4.0.0'].map(isSafeSqlite), [true, true, true])
  assert.deepEqual(['3.51.2', '3.50.9', '3.7.0', ''].map(isSafeSqlite), [false, false, false, false])
})
