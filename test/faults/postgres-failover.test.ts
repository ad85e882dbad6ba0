import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  assertNoneDoubled,
  assertServed,
  countsOf,
  send,
  uploadLoad,
} from '../support/clients/upload-load.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { asHost, bugsOf, isReady, startCluster } from '../support/servers/cluster.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { ask as askDatabase } from '../support/stores/citus.ts'
import { promote, startPostgresPair } from '../support/stores/postgres-pair.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'
import { picture } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

bucketed.test(
  'uploads go on after a switch-over and a crash of the primary: none is lost',
  async () => {
    if (radosgw === undefined) return
    await using pair = await startPostgresPair()
    const { one, two } = pair
    const bucket = await freshBucket(radosgw)
    await using cluster = await startCluster(2, {
      databaseUrl: pair.url('target_session_attrs=read-write'),
      storageUrl: bucket.url,
    })
    const cats = await cluster.tenant('cats')
    const { servers } = cluster
    const [first, second] = servers
    assert.ok(first && second)
    let isOver = false
    const seen = { acknowledged: 0, refused: 0 }
    const load = uploadLoad({
      tenant: cats,
      server: (turn) => (turn % 2 ? first : second),
      clients: 6,
      seen,
      isOver: () => isOver,
    })
    const moreUploads = async (what: string) => {
      const { acknowledged } = seen
      await until(() => seen.acknowledged >= acknowledged + 10, `more uploads are acknowledged ${what}`)
    }
    try {
      await moreUploads('at the start')
      await one.end('SIGINT')
      await promote(two)
      await moreUploads('after the switch-over')
      // The first host of the URL is back, as a standby.
      await pair.follow(one, two)
      await moreUploads('beside the standby')
      await two.end('SIGKILL')
      await promote(one)
      await moreUploads('after the crash')
    } finally {
      isOver = true
    }
    const { acknowledged, refused } = await load
    console.log(`${acknowledged.length} acknowledged, ${refused.length} refused with 503`)
    await until(async () => (await Promise.all(servers.map(isReady))).every(Boolean), 'all are ready')
    assertNoneDoubled(acknowledged)
    await assertServed(servers, acknowledged)
    // Counted anew from the rows: what was answered 503 is not there.
    await cluster.tool('tenants', 'stats:refresh', '--id', cats.id)
    const { files, storage_used } = await cluster.stats(cats.id)
    assert.deepEqual({ files, storage_used }, countsOf(acknowledged))

    // Each server listens at the new primary for the changes of the other.
    await cluster.tool('tenants', 'edit', '--id', cats.id, '--is_enabled', '0')
    for (const server of servers)
      await until(
        async () => (await asHost(server, cats, '/')).status === 403,
        'the server has seen the change',
      )
    assert.deepEqual(bugsOf(servers), [])
  },
  300_000,
)

test('while no server takes writes, reads are answered by the standby and writes with 503', async () => {
  await using pair = await startPostgresPair()
  await using cluster = await startCluster(1, { databaseUrl: pair.url('') })
  const [server] = cluster.servers
  assert.ok(server)
  const cats = await cluster.tenant('cats')
  const stored = await send(server, cats, await picture({ seed: 1 }))
  assert.equal(stored.status, 200, stored.text)
  const { image } = stored.json
  const home = async () => (await asHost(server, cats, '/')).status
  assert.equal(await home(), 200)

  await pair.one.end('SIGKILL')
  await until(async () => (await ask(server, image.url_viewer)).status === 200, 'the page is there again')
  assert.equal((await ask(server, image.url)).status, 200)
  await until(async () => (await home()) === 200, 'the home page is there again')
  for (let seed = 2; seed < 5; seed += 1) {
    const refused = await send(server, cats, await picture({ seed }))
    assert.equal(refused.status, 503, refused.text)
    assert.match(refused.headers['retry-after'] ?? '', /^\d+$/)
  }

  await promote(pair.two)
  const upload = async () => (await send(server, cats, await picture({ seed: 9 }))).status
  await until(async () => (await upload()) === 200, 'uploads are stored again')
  assert.equal((await cluster.stats(cats.id)).files, 2)
  assert.deepEqual(bugsOf([server]), [])
}, 300_000)

test('the tenant list is that of the new primary, also if the last changes of the other were lost', async () => {
  await using pair = await startPostgresPair({ isSynchronous: false })
  await using app = await startTestApp({ environment: { SERVICE_DATABASE_URL: pair.url('') } })
  const create = (id: string) => app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
  const ids = async () => {
    const { status, json } = await app.call('GET', 'tenants')
    return status === 200 ? json.map((tenant: { id: string }) => tenant.id).join(' ') : status
  }
  await create('kept')
  // Until the standby follows, it has no table.
  const copied = () => askDatabase(pair.two.url, 'select from "tenant"').catch(() => [])
  await until(async () => (await copied()).length === 1, 'the standby has the tenant')
  await pair.two.end('SIGINT')
  await create('lost')
  assert.equal(await ids(), 'kept lost')

  await pair.one.end('SIGKILL')
  await pair.two.start()
  await promote(pair.two)
  await until(async () => (await create('new')).status === 201, 'a tenant can be created again')
  await until(async () => (await ids()) === 'kept new', 'the list is that of the new primary')
}, 300_000)
