import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { test } from 'vitest'
import { siteTableNames } from '../../src/db/tables.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { ask } from '../support/stores/citus.ts'
import { freshInstallation, runHere } from '../support/tool.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const reasons = {
  sqlite: /The rows are in SQLite files, which cannot be distributed/,
  postgres: /The database is not a Citus coordinator: it has no extension "citus"/,
}

test('database:distribute with nothing to do waits for no transaction', async () => {
  await using app = await startTestApp({ store: 'postgres' })
  const url = String(app.environment.SERVICE_DATABASE_URL)
  // What Citus has in its catalog when all tables are distributed.
  await ask(url, 'create table "pg_dist_partition" ("logicalrelid" regclass, "colocationid" integer)')
  for (const table of [...siteTableNames, 'gate', 'rowVersion'])
    await ask(url, `insert into "pg_dist_partition" values ('"${table}"', 1)`)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('begin; lock table "file" in row exclusive mode')
  try {
    const { code, out, err } = await runHere(['tenants', 'database:distribute', '--json'], app.environment)
    assert.equal(code, 0, err)
    assert.deepEqual(JSON.parse(out), { distributed: [] })
  } finally {
    await other.end()
  }
})

test('no statement compares values in the head of a case, which Citus sends with another type', async () => {
  const sources = await glob('src/**/*.ts', { cwd: root })
  const texts = await Array.fromAsync(sources, async (path) => [
    path,
    await readFile(join(root, path), 'utf8'),
  ])
  assert.ok(texts.length > 300)
  const found = texts.filter(([, text = '']) => /\.case\([^)]|\bcase (?!when\b)[^\n]*\bwhen\b/.test(text))
  assert.deepEqual(
    found.map(([path]) => path),
    [],
  )
})

onBothStores('database:distribute', (store) => {
  test('is refused without Citus, says why, and changes nothing', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    for (const more of [[], ['--id', 'cats']]) {
      const { code, err } = await installation.run('tenants', 'database:distribute', ...more)
      assert.equal(code, 1)
      assert.match(err, reasons[store])
    }
    const { code, err } = await installation.run('tenants', 'database:distribute', '--id', 'dogs')
    assert.equal(code, 1)
    assert.match(err, /Tenant not found/)
    assert.equal((await installation.json('tenants', 'get', '--id', 'cats')).id, 'cats')
  })
})
