import assert from 'node:assert/strict'
import { rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { test } from 'vitest'
import { type Answer, onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { dropDatabase } from '../support/stores/postgres.ts'
import { until } from '../support/until.ts'

const getProxy = (app: TestApp) =>
  app.send('GET', '/_/api/4/config/proxy', { headers: { 'x-api-key': app.key } })

/** A statement by somebody else, past the app. */
async function meddle(app: TestApp, statement: string): Promise<void> {
  const url = app.environment.SERVICE_DATABASE_URL
  if (url === undefined) {
    const database = new Database(join(app.dataDir, 'control.db'))
    database.pragma('foreign_keys = OFF')
    database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

function assertAway({ status, headers, json, text }: Answer, what = ''): void {
  assert.deepEqual([status, json?.status_code, json?.error.code], [503, 503, 503], `${what} ${text}`)
  assert.match(String(headers['retry-after']), /^\d+$/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.ok(!/sqlite|postgres|relation|table|select|pg_|\/tmp/i.test(text), text)
}

onBothStores('a store that cannot be read', (store) => {
  test('makes the proxy configuration an error, never a shorter document', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['a', 'b', 'c']) await app.tenant(id)
    const { text } = await getProxy(app)

    await meddle(app, 'alter table "tenant" rename to "away"')
    await app.call('POST', 'tenants-plans', { id: 'changes-the-version' })
    for (let round = 0; round < 5; round++) assertAway(await getProxy(app))
    assert.equal((await app.send('GET', '/_/health/live')).status, 200)

    await meddle(app, 'alter table "away" rename to "tenant"')
    const again = await getProxy(app)
    assert.deepEqual([again.status, again.text], [200, text])
  })

  test('leaves the process alive and is reported', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    assert.deepEqual((await app.send('GET', '/_/health/ready')).json, { status: 'ready' })
    await breakStore(app)
    const isReady = async () => (await app.send('GET', '/_/health/ready')).status === 200
    await until(async () => !(await isReady()), 'it is reported')
    assertAway(await app.send('GET', '/_/health/ready'), 'ready')
    assertAway(await getProxy(app), 'proxy')
    for (const [method, path] of [
      ['GET', 'tenants'],
      ['GET', 'tenants/cats'],
      ['GET', 'tenants-plans'],
      ['POST', 'auth/verify'],
      ['DELETE', 'tenants/cats'],
    ] as const) {
      assertAway(await app.call(method, path), `${method} ${path}`)
    }
    assertAway(await app.call('POST', 'tenants', { id: 'x', hostname: 'x.test', is_enabled: true }), 'create')
    assertAway(await app.send('GET', '/', { headers: { host: 'cats.test' } }), 'site')
    assertAway(await app.send('GET', '/_/tls/ask?domain=cats.test'), 'ask')
    const live = await app.send('GET', '/_/health/live')
    assert.deepEqual([live.status, live.json], [200, { status: 'live' }])
    const metrics = await app.send('GET', '/_/metrics')
    assert.equal(metrics.status, 200)
    assert.ok(!/^terrace_tenants \d/m.test(metrics.text))
    const page = await app.send('GET', '/', { headers: { host: 'cats.test', accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.match(page.text, /^<!doctype html>/)
  })
})

/** For good: nothing in these tests has to work behind it. */
async function breakStore(app: TestApp): Promise<void> {
  const url = app.environment.SERVICE_DATABASE_URL
  if (url) return dropDatabase(url)
  await meddle(app, 'pragma wal_checkpoint(truncate)')
  await rename(join(app.dataDir, 'sites'), join(app.dataDir, 'no-sites'))
  for (const name of ['control.db', 'control.db-wal', 'control.db-shm']) {
    await truncate(join(app.dataDir, name)).catch(() => undefined)
    await writeFile(join(app.dataDir, name), 'This was a database once. '.repeat(4_000))
  }
}

test('PostgreSQL may end all connections, and is asked again', async () => {
  await using app = await startTestApp({ store: 'postgres' })
  await app.tenant('cats')
  const { text } = await getProxy(app)
  for (let round = 0; round < 3; round++) {
    await meddle(
      app,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await getProxy(app)
      if (answer.status === 200) assert.equal(answer.text, text)
      else assertAway(answer)
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal((await getProxy(app)).text, text)
  assert.equal((await app.send('GET', '/_/health/ready')).status, 200)
  assert.equal((await app.call('PATCH', 'tenants/cats', { hostname: 'dogs.test' })).status, 204)
  assert.notEqual((await getProxy(app)).text, text)
})
