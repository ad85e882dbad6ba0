import assert from 'node:assert/strict'
import { test } from 'vitest'
import { assertNoneDoubled, assertServed, countsOf, uploadLoad } from '../support/clients/upload-load.ts'
import { s3Faults, startS3Proxy } from '../support/faults/s3-proxy.ts'
import { needing } from '../support/needs.ts'
import { bugsOf, isReady, startCluster } from '../support/servers/cluster.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

bucketed.describe('two servers on one PostgreSQL, under load', () => {
  test('keep every acknowledged upload, once, while calls to the S3 server go wrong', async () => {
    if (radosgw === undefined) return
    const databaseUrl = await freshDatabaseUrl()
    await using undo = new AsyncDisposableStack()
    undo.defer(() => dropDatabase(databaseUrl))
    const proxy = undo.use(await startS3Proxy(radosgw.endpoint))
    const bucket = await freshBucket(radosgw, proxy.port)
    const cluster = undo.use(await startCluster(2, { databaseUrl, storageUrl: bucket.url }))
    const cats = await cluster.tenant('cats')
    const { servers } = cluster
    const seen = { acknowledged: 0, refused: 0 }
    let isOver = false
    const loads = servers.map((server) =>
      uploadLoad({ tenant: cats, server: () => server, clients: 4, isOver: () => isOver, seen }),
    )
    const quick = s3Faults.filter((fault) => !fault.startsWith('hang'))
    let healedMs = 0
    try {
      // Every fifth call, each fault in its turn.
      proxy.onCall((call) => (call % 5 === 0 ? quick[(call / 5) % quick.length] : undefined))
      await until(() => seen.acknowledged > 60, 'uploads are acknowledged')
      for (const outage of ['slowDown', 'resetBefore', 'resetAfter', 'hangBefore'] as const) {
        const { acknowledged, refused } = seen
        proxy.onCall(() => outage)
        await until(() => seen.refused > refused + 8, 'uploads are refused')
        // Then one call now and then looks whether it is back; what it is told must not decide for those after it.
        const calls = proxy.calls()
        await until(() => proxy.calls() > calls + 1, 'it is asked again')
        proxy.onCall(() => undefined)
        const start = performance.now()
        await until(async () => (await Promise.all(servers.map(isReady))).every(Boolean), 'all are ready')
        healedMs = Math.max(healedMs, performance.now() - start)
        await until(() => seen.acknowledged > acknowledged + 8, 'uploads are acknowledged again')
      }
    } finally {
      isOver = true
    }
    const acknowledged = (await Promise.all(loads)).flatMap((outcome) => outcome.acknowledged)
    console.log(
      `${acknowledged.length} acknowledged, ${seen.refused} refused with 503; healed after at most ${Math.round(healedMs)} ms`,
    )
    assertNoneDoubled(acknowledged)
    await assertServed(servers, acknowledged)
    const { files, storage_used } = await cluster.stats(cats.id)
    assert.deepEqual({ files, storage_used }, countsOf(acknowledged))
    assert.deepEqual(bugsOf(servers), [])
  }, 240_000)
})
