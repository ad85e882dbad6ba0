import assert from 'node:assert/strict'
import { once } from 'node:events'
import pg from 'pg'
import { test } from 'vitest'
import { send } from '../support/clients/upload-load.ts'
import type { ChildServer } from '../support/servers/child-server.ts'
import { startCluster } from '../support/servers/cluster.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { picture, type TestTenant } from '../support/uploads.ts'

test('a killed server leaves a record of the sites that it changed, and one that is stopped leaves none', async () => {
  const databaseUrl = await freshDatabaseUrl()
  await using undo = new AsyncDisposableStack()
  undo.defer(() => dropDatabase(databaseUrl))
  const cluster = undo.use(await startCluster(1, { databaseUrl, more: { SERVICE_JOBS: '0' } }))
  const [first] = cluster.servers
  assert.ok(first)
  const [cats, dogs] = [await cluster.tenant('cats'), await cluster.tenant('dogs')]
  const sites = async () =>
    (
      await ask(databaseUrl, 'select "id" from "changeRecord" join "tenant" using ("site") order by "id"')
    ).map(({ id }) => id)
  assert.deepEqual(await sites(), [], 'the tool has ended')

  await upload(first, cats)
  assert.deepEqual(await sites(), ['cats'])
  await upload(first, dogs)
  await upload(first, dogs)
  assert.deepEqual(await sites(), ['cats', 'dogs'])
  first.child.kill('SIGTERM')
  await once(first.child, 'close')
  assert.deepEqual(await sites(), [])

  const second = undo.use(await cluster.start())
  await upload(second, dogs)
  // What the job of a new installation does once: go through all sites.
  await cluster.tool('tenants', 'jobs:worker', '--once')
  assert.deepEqual(await sites(), ['dogs'], 'a server that lives is left alone')
  second.child.kill('SIGKILL')
  await once(second.child, 'close')
  assert.deepEqual(await sites(), ['dogs'])
  await ask(databaseUrl, `update "site" set "stats" = '{}'`)

  undo.use(await cluster.start())
  await cluster.tool('tenants', 'jobs:worker', '--once')
  assert.deepEqual(await sites(), [])
  const stats = await ask(
    databaseUrl,
    'select "id", "stats" from "site" join "tenant" on "site" = "number" order by 1',
  )
  assert.equal(stats[0]?.stats, '{}', 'a site that the dead server did not change was not opened')
  assert.equal(JSON.parse(stats[1]?.stats ?? '').files, 3)
})

async function upload(server: ChildServer, tenant: TestTenant): Promise<void> {
  const { status, text } = await send(
    server,
    tenant,
    await picture({ width: 20, height: 10, seed: Math.random() }),
  )
  assert.equal(status, 200, text)
}

async function ask(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
