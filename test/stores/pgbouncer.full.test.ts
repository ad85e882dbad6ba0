import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertNoneDoubled, countsOf, uploadLoad } from '../support/clients/upload-load.ts'
import { sendRequest } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { endOf, runTool, startChildServer } from '../support/servers/child-server.ts'
import { bugsOf, startCluster } from '../support/servers/cluster.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { ask } from '../support/stores/citus.ts'
import { type PoolMode, startPgbouncer } from '../support/stores/pgbouncer.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'

const { describe, test } = await needing('pgbouncer', 'radosgw')

const radosgw = await radosgwOfRun()
const uploads = 40

interface Way {
  mode: PoolMode
  isDirectNamed: boolean
}

describe.each<Way>([
  { mode: 'session', isDirectNamed: false },
  { mode: 'session', isDirectNamed: true },
  { mode: 'transaction', isDirectNamed: true },
])('two servers behind PgBouncer in $mode mode, direct URL named: $isDirectNamed', (way) => {
  test('take uploads, see each other’s changes, and are whole by the doctor', async () => {
    if (radosgw === undefined) return
    const directUrl = await freshDatabaseUrl()
    await using undo = new AsyncDisposableStack()
    undo.defer(() => dropDatabase(directUrl))
    const pooler = undo.use(await startPgbouncer(directUrl, way.mode))
    const cluster = undo.use(
      await startCluster(2, {
        databaseUrl: pooler.url,
        storageUrl: (await freshBucket(radosgw)).url,
        more: way.isDirectNamed ? { SERVICE_DATABASE_DIRECT_URL: directUrl } : {},
      }),
    )
    const cats = await cluster.tenant('cats')
    const [one, two] = cluster.servers
    assert.ok(one && two)
    const seen = { acknowledged: 0, refused: 0 }
    const { acknowledged, refused } = await uploadLoad({
      tenant: cats,
      server: (turn) => (turn % 2 ? one : two),
      clients: 8,
      seen,
      isOver: () => seen.acknowledged + seen.refused >= uploads,
    })
    assert.deepEqual(refused, [])
    assertNoneDoubled(acknowledged)
    const { files, storage_used } = await cluster.stats(cats.id)
    assert.deepEqual({ files, storage_used }, countsOf(acknowledged))

    await cluster.tool('tenants', 'edit', '--id', cats.id, '--is_enabled', '0')
    for (const { port } of [one, two]) {
      const status = () => sendRequest(port, 'GET', '/', { headers: { host: cats.hostname } })
      await until(async () => (await status()).status === 403, 'the server has seen the change')
    }
    assert.deepEqual(bugsOf([one, two]), [])
    // Rejects if it finds a fault.
    await cluster.tool('doctor')
  }, 180_000)
})

/** Starts a server with these URLs of databases, and ends it once it listens or is warned. */
async function outputOfStart(more: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-pooled-'))
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const environment = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: folder, SERVICE_DEMO: '0' }
  await using server = await startChildServer({ ...environment, ...more })
  return server.output()
}

const warning = /WARNING: The pooler in front of the database gave (\d+) of the 21 connections/

test.each([
  { mode: 'session', poolSize: 20, granted: '20' },
  { mode: 'session', poolSize: 21, granted: undefined },
  { mode: 'transaction', poolSize: 5, granted: undefined },
] as const)(
  'a server behind PgBouncer in $mode mode with a pool of $poolSize is warned: $granted',
  async (way) => {
    const directUrl = await freshDatabaseUrl()
    await using undo = new AsyncDisposableStack()
    undo.defer(() => dropDatabase(directUrl))
    const pooler = undo.use(await startPgbouncer(directUrl, way.mode, way.poolSize))
    const output = await outputOfStart({
      SERVICE_DATABASE_URL: pooler.url,
      ...(way.mode === 'transaction' && { SERVICE_DATABASE_DIRECT_URL: directUrl }),
    })
    assert.equal(warning.exec(output)?.[1], way.granted, output)
  },
  60_000,
)

test('a direct URL of another database is refused, and no table is created in either', async () => {
  await using undo = new AsyncDisposableStack()
  const [main, other] = [await freshDatabaseUrl(), await freshDatabaseUrl()]
  for (const url of [main, other]) undo.defer(() => dropDatabase(url))
  const folder = await mkdtemp(join(tmpdir(), 'terrace-pooled-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const environment = {
    PATH: process.env.PATH ?? '',
    SERVICE_DATA_DIR: folder,
    SERVICE_DEMO: '0',
    SERVICE_DATABASE_URL: main,
    SERVICE_DATABASE_DIRECT_URL: other,
  }
  for (const words of [['serve'], ['tenants', 'list'], ['doctor']]) {
    const { code, output } = await endOf(runTool(words, environment))
    assert.notEqual(code, 0)
    assert.match(output, /SERVICE_DATABASE_DIRECT_URL leads to another database than SERVICE_DATABASE_URL/)
  }
  for (const url of [main, other])
    assert.deepEqual(await ask(url, `select tablename from pg_tables where schemaname = 'public'`), [])
  // By another name of the same host.
  const named = Object.assign(new URL(main), { hostname: 'localhost' }).href
  const { code, output } = await endOf(
    runTool(['tenants', 'list'], { ...environment, SERVICE_DATABASE_DIRECT_URL: named }),
  )
  assert.equal(code, 0, output)
}, 60_000)

test('a pooler in transaction mode without a direct URL is refused, with the setting that is missing', async () => {
  const directUrl = await freshDatabaseUrl()
  await using undo = new AsyncDisposableStack()
  undo.defer(() => dropDatabase(directUrl))
  const pooler = undo.use(await startPgbouncer(directUrl, 'transaction'))
  const folder = await mkdtemp(join(tmpdir(), 'terrace-pooled-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const environment = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: folder, SERVICE_DEMO: '0' }
  const { code, output } = await endOf(
    runTool(['serve'], { ...environment, SERVICE_DATABASE_URL: pooler.url }),
  )
  assert.notEqual(code, 0)
  assert.match(output, /SERVICE_DATABASE_DIRECT_URL/)
})
