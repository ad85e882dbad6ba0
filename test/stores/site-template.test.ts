import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'vitest'
import { siteMigrations } from '../../src/db/migrations/site.ts'
import { siteTemplate } from '../../src/db/sites/template.ts'
import { openSqlite } from '../../src/db/sqlite/connection.ts'
import { migrateSqlite } from '../../src/db/sqlite/migrator.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'

const account = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: 'a long password',
})

/** A file as whoever comes after us finds it. */
function looked<T>(app: TestApp, site: string, look: (file: Database.Database) => T): T {
  const file = new Database(join(app.dataDir, 'sites', site, 'site.db'), { fileMustExist: true })
  try {
    return look(file)
  } finally {
    file.close()
  }
}

const namesIn = (file: Database.Database) => file.prepare('select "username" from "user"').pluck().all()

test('sites that are installed at once have each its own rows', async () => {
  await using app = await startTestApp()
  const names = Array.from({ length: 12 }, (_, number) => `user${number}`)
  for (const name of names)
    await app.call('POST', 'tenants', { id: name, hostname: `${name}.test`, is_enabled: true })
  const answers = await Promise.all(
    names.map((name) => app.call('POST', `tenants/${name}/install`, account(name))),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  const sites = await readdir(join(app.dataDir, 'sites'))
  const found = sites.map((site) => looked(app, site, (file) => namesIn(file).join()))
  assert.deepEqual(found.sort(), names.toSorted())
  assert.deepEqual(await readdir(join(app.dataDir, 'drafts')), [])
})

test('a new file has the tables that migrations make', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const migrated = openSqlite(':memory:', { mayCreate: true })
  migrateSqlite(migrated, siteMigrations)
  const schema = 'select "type", "name", "tbl_name", "sql" from "sqlite_schema" order by "type", "name"'
  looked(app, '1', (file) => {
    assert.deepEqual(file.prepare(schema).all(), migrated.run(schema, []).rows)
    assert.deepEqual(file.pragma('integrity_check', { simple: true }), 'ok')
    assert.deepEqual(file.pragma('foreign_key_check'), [])
    assert.deepEqual(file.pragma('journal_mode', { simple: true }), 'wal')
    assert.deepEqual(file.pragma('page_size', { simple: true }), 2_048)
  })
})

test('rows that could not be made are not in the next file', async () => {
  const template = siteTemplate
  const blank = await template.blank()
  const fault = new Error('in the midst of it')
  const failing = template.filled(async (db) => {
    await db.insertInto('tag').values({ name: 'left', createdAt: '2026-11-15' }).execute()
    throw fault
  })
  await assert.rejects(failing, fault)
  const filled = await template.filled(async (db) => {
    await db.insertInto('tag').values({ name: 'mine', createdAt: '2026-11-15' }).execute()
  })
  assert.deepEqual(await template.blank(), blank)
  const file = new Database(Buffer.from(filled.fill(1, 18, 20)))
  assert.deepEqual(file.prepare('select "name" from "tag"').pluck().all(), ['mine'])
})
