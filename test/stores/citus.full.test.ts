import assert from 'node:assert/strict'
import pg from 'pg'
import { controlMigrations } from '../../src/db/migrations/control.ts'
import { siteMigrations } from '../../src/db/migrations/site.ts'
import { distributeNewTables } from '../../src/db/postgres/distribution.ts'
import { migratePostgres } from '../../src/db/postgres/migrator.ts'
import { siteTableNames } from '../../src/db/tables.ts'
import { ask as askPage } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { ask, freshCitusDatabase } from '../support/stores/citus.ts'
import { runHere } from '../support/tool.ts'
import { statsOf, upload, uploaded } from '../support/uploads.ts'

const { test } = await needing('citus')

const distributedTables = (url: string) =>
  ask<{ table: string; group: number }>(
    url,
    `select relname as "table", colocationid as "group" from pg_dist_partition
     join pg_class on pg_class.oid = logicalrelid order by 1`,
  )

const tool = (app: { environment: Record<string, string> }, ...words: string[]) =>
  runHere([...words, '--json'], app.environment)

test('an installation in use is distributed: no upload is lost, and every row is on a worker', async () => {
  await using database = await freshCitusDatabase()
  await using app = await startTestApp({ environment: { SERVICE_DATABASE_URL: database.url } })
  const tenants = await Promise.all(['cats', 'dogs', 'owls'].map((id) => app.tenant(id)))
  const before = await Promise.all(tenants.map((tenant) => uploaded(app, tenant)))

  let isDistributed = false
  const uploading = tenants.map(async (tenant) => {
    let count = 1
    while (!isDistributed || count < 3) {
      // An upload that waited for the tables for longer than five seconds is answered 503, and is not stored.
      const { status, text } = await upload(app, tenant)
      if (status === 200) count += 1
      else assert.equal(status, 503, text)
    }
    return count
  })
  const first = await tool(app, 'tenants', 'database:distribute')
  isDistributed = true
  const counts = await Promise.all(uploading)
  assert.equal(first.code, 0, first.err)
  assert.equal(JSON.parse(first.out).distributed.length, siteTableNames.length + 2)

  const again = await tool(app, 'tenants', 'database:distribute')
  assert.deepEqual(JSON.parse(again.out), { distributed: [] })
  const tables = await distributedTables(database.url)
  assert.deepEqual(
    new Set(tables.map(({ table }) => table)),
    new Set([...siteTableNames, 'gate', 'rowVersion']),
  )
  assert.equal(new Set(tables.map(({ group }) => group)).size, 1)
  for (const [index, tenant] of tenants.entries())
    assert.equal((await statsOf(app, tenant)).files, counts[index])
  for (const { url } of before) assert.equal((await askPage(app, url)).status, 200)
  const doctor = await tool(app, 'doctor')
  assert.equal(doctor.code, 0, doctor.out)
})

test('a later migration distributes the table that it adds, and the doctor names one that is not', async () => {
  await using database = await freshCitusDatabase()
  await using app = await startTestApp({ environment: { SERVICE_DATABASE_URL: database.url } })
  await app.tenant('cats')
  assert.equal((await tool(app, 'tenants', 'database:distribute')).code, 0)
  // As if the last table had not been there yet: its step runs again, in the order of an upgrade.
  await ask(database.url, 'drop table "uploadPiece"')
  await ask(
    database.url,
    `create table "uploadPiece" (
       "site" integer not null, "uploadId" text collate "C" not null, primary key ("site", "uploadId"),
       foreign key ("site", "uploadId") references "resumableUpload" ("site", "id") on delete cascade
     )`,
  )
  const found = await tool(app, 'doctor')
  assert.equal(found.code, 1)
  assert.match(found.out, /The table \\"uploadPiece\\" is not distributed, although others are/)
  await ask(database.url, 'drop table "uploadPiece"')

  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const step = {
    name: 'site/900-pieces',
    sqlite: '',
    postgres: `
      create table "uploadPiece" (
        "site" integer not null, "uploadId" text collate "C" not null, primary key ("site", "uploadId"),
        foreign key ("site", "uploadId") references "resumableUpload" ("site", "id") on delete cascade
      );
      create index "uploadPiece_x" on "uploadPiece" ("site", "uploadId");
    `,
  }
  const steps = [...controlMigrations, ...siteMigrations, step]
  assert.equal(await migratePostgres(client, steps, distributeNewTables), 1)
  await client.end()
  const tables = await distributedTables(database.url)
  assert.ok(tables.some(({ table }) => table === 'uploadPiece'))
  assert.equal((await tool(app, 'doctor')).code, 0)
})
