import assert from 'node:assert/strict'
import pg from 'pg'
import { controlMigrations } from '../../src/db/migrations/control.ts'
import { siteMigrations } from '../../src/db/migrations/site.ts'
import { distributeNewTables } from '../../src/db/postgres/distribution.ts'
import { migratePostgres } from '../../src/db/postgres/migrator.ts'
import { siteTableNames } from '../../src/db/tables.ts'
import { createAlbum } from '../../src/media/index.ts'
import { newestFirst } from '../../src/media/position.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { assertServed, backupFolder, keptOf, serveAt } from '../support/stores/backups.ts'
import { ask, freshCitusDatabase } from '../support/stores/citus.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

const { test } = await needing('citus')

const distributedTables = async (url: string) => {
  const rows = await ask<{ table: string }>(
    url,
    'select relname as "table" from pg_dist_partition join pg_class on pg_class.oid = logicalrelid',
  )
  return new Set(rows.map(({ table }) => table))
}
const allTables = new Set<string>([...siteTableNames, 'gate', 'rowVersion'])

test('tables that an older version has distributed are migrated, with their rows', async () => {
  await using database = await freshCitusDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const createdAt = '2026-11-01T12:00:00.123Z'
  const since = siteMigrations.findIndex(({ name }) => name === 'site/005-private-files')
  await migratePostgres(client, [...controlMigrations, ...siteMigrations.slice(0, since)])
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const older = new Set(rows.map(({ name }) => name))
  const order = [...siteTableNames, 'uploadMark', 'gate'].filter((name) => older.has(name))
  for (const table of order)
    await client.query(
      `select create_distributed_table('"${table}"', 'site', colocate_with => ${table === 'user' ? `'none'` : `'"user"'`})`,
    )
  for (const site of [1, 2])
    await client.query(`
      insert into "file" ("site", "id", "kind", "type", "folder", "name", "nameKey", "extension", "originalName",
        "sizeBytes", "storedBytes", "width", "height", "durationSeconds", "variants", "md5", "sourceMd5", "isNsfw",
        "isAnimated", "isApproved", "is360", "views", "likes", "deleteHash", "uploaderAddress", "date", "createdAt")
      values (${site}, 'a', 'png', 'image', 'images', 'a', 'a', 'png', 'a.png', 1, 1, 1, 1, 0, '{}', '', '', 0, 0, 1, 0,
        0, 0, '', '', '${createdAt}', '${createdAt}')`)

  await migratePostgres(client, [...controlMigrations, ...siteMigrations], distributeNewTables)
  await client.end()
  assert.deepEqual(await distributedTables(database.url), allTables)
  assert.deepEqual(await ask(database.url, 'select "site", "isPrivate", "position" from "file" order by 1'), [
    { site: 1, isPrivate: 0, position: newestFirst(new Date(createdAt)) },
    { site: 2, isPrivate: 0, position: newestFirst(new Date(createdAt)) },
  ])
  assert.deepEqual(
    await ask(database.url, `select sum("value")::int as files from "dayTotal" where "name" = 'uploads'`),
    [{ files: 2 }],
  )
}, 300_000)

test('an album is ordered', async () => {
  await using database = await freshCitusDatabase()
  await using app = await startTestApp({ environment: { SERVICE_DATABASE_URL: database.url } })
  const cats = await app.tenant('cats')
  const distributed = await runHere(['tenants', 'database:distribute'], app.environment)
  assert.equal(distributed.code, 0, distributed.err)
  const album = await onSiteOf(app, cats, (site) =>
    createAlbum(site, { username: 'ada', title: 'Cats', privacy: 'public' }),
  )
  for (const seed of [1, 2, 3])
    await uploaded(app, cats, { file: await picture({ seed }), fields: { album_id: album.id } })
  const key = await keyOf(app, cats, 'write')
  const read = async () => {
    const { json } = await ask5(app, cats, `GET files?album_id=${album.id}&sort=position`, { key })
    return json.data.map(({ id }: { id: string }) => id) as string[]
  }
  const ids = (await read()).toReversed()
  const { status, text } = await ask5(app, cats, `POST albums/${album.id}/order`, { key, body: { ids } })
  assert.equal(status, 204, text)
  assert.deepEqual(await read(), ids)
}, 300_000)

test('a backup is restored into tables that are distributed', async () => {
  await using here = await startTestApp()
  const cats = await here.tenant('cats')
  const kept = [await keptOf(here, await uploaded(here, cats))]
  await using folder = await backupFolder()
  const backup = await runHere(['backup', '--to', `${folder.path}/b`], here.environment)
  assert.equal(backup.code, 0, backup.err)

  await using database = await freshCitusDatabase()
  await using installation = await freshInstallation('sqlite', { SERVICE_DATABASE_URL: database.url })
  await installation.json('tenants', 'database:distribute')
  await installation.json('restore', '--from', `${folder.path}/b`)
  assert.deepEqual(await distributedTables(database.url), allTables)
  await using app = await serveAt(installation)
  await assertServed(app, kept)
  await uploaded(app, cats, { file: await picture({ seed: 7 }) })
  const { code, out } = await installation.run('doctor', '--json')
  assert.equal(code, 0, out)
}, 300_000)
