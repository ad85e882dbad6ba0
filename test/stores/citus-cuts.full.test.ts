import assert from 'node:assert/strict'
import { siteTableNames } from '../../src/db/tables.ts'
import { ask as askPage } from '../support/delivered.ts'
import type { Cut } from '../support/faults/postgres-proxy.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { ask, freshCitusDatabase, proxiesOfWorkers } from '../support/stores/citus.ts'
import { runHere } from '../support/tool.ts'
import { upload, uploaded } from '../support/uploads.ts'

const { test } = await needing('citus')

const rounds = 4
const cuts: readonly Cut[] = ['before', 'after']
/** With the end of the text: transactions begin as READ COMMITTED. */
const commit = 'COMMIT\0'

test('a worker lost at the commit: the upload is 200 and stored once, or 503 and not stored', async () => {
  await using database = await freshCitusDatabase()
  await using app = await startTestApp({ environment: { SERVICE_DATABASE_URL: database.url } })
  const cats = await app.tenant('cats')
  const distributed = await runHere(['tenants', 'database:distribute'], app.environment)
  assert.equal(distributed.code, 0, distributed.err)
  await using between = await proxiesOfWorkers(database.url)
  const countRows = async () => {
    const [row] = await ask<{ count: number }>(database.url, 'select count(*)::int as count from file')
    return row?.count ?? 0
  }

  const statuses: string[] = []
  for (const cut of Array.from({ length: rounds }, () => cuts).flat()) {
    const before = await countRows()
    const armed = between.proxies.map((proxy) => proxy.cutAtText(commit, cut))
    const { status, headers, text } = await upload(app, cats)
    const isCut = armed.map(({ end }) => end()).includes(true)
    assert.ok(isCut, 'the connection was cut at the commit')
    assert.ok(status === 200 || status === 503, text)
    if (status === 503) assert.match(String(headers['retry-after']), /^\d+$/)
    assert.equal(await countRows(), before + (status === 200 ? 1 : 0), `${cut}: ${status}`)
    statuses.push(`${cut} ${status}`)
  }
  console.log(statuses.join(', '))
  assert.equal((await upload(app, cats)).status, 200)
}, 300_000)

test('the database that a tenant has of its own is distributed by the id of the tenant', async () => {
  await using database = await freshCitusDatabase()
  await using app = await startTestApp()
  const tenant = { id: 'cats', hostname: 'cats.test', is_enabled: true }
  const env = { SERVICE_DATABASE_URL: database.url }
  assert.equal((await app.call('POST', 'tenants', { ...tenant, env })).status, 201)
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  const installed = await app.call('POST', 'tenants/cats/install', account)
  const cats = { ...tenant, apiKey: installed.json.api_key as string }
  const image = await uploaded(app, cats)

  const words = ['tenants', 'database:distribute', '--id', 'cats', '--json']
  const { code, out, err } = await runHere(words, app.environment)
  assert.equal(code, 0, err)
  assert.equal(JSON.parse(out).distributed.length, siteTableNames.length + 2)
  const tables = await ask(database.url, 'select from pg_dist_partition')
  assert.equal(tables.length, siteTableNames.length + 2)
  assert.equal((await askPage(app, image.url)).status, 200)
  await uploaded(app, cats)
}, 300_000)
