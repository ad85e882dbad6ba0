import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  assertNoneDoubled,
  assertServed,
  countsOf,
  type Outcome,
  uploadLoad,
} from '../support/clients/upload-load.ts'
import { needing } from '../support/needs.ts'
import { bugsOf, type Cluster, isReady, startCluster } from '../support/servers/cluster.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { startPostgres } from '../support/stores/postgres-server.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

const restarts = 20

bucketed.describe('two servers on one PostgreSQL and one bucket, under load', () => {
  test(`keep every acknowledged upload, once, while PostgreSQL is ended ${restarts} times`, async () => {
    if (radosgw === undefined) return
    // Only what is committed must survive here, and the machine itself does not fail.
    await using postgres = await startPostgres(['synchronous_commit=on'])
    const bucket = await freshBucket(radosgw)
    await using cluster = await startCluster(2, { databaseUrl: postgres.url, storageUrl: bucket.url })
    const cats = await cluster.tenant('cats')
    const { servers } = cluster
    let isOver = false
    const seen = { acknowledged: 0, refused: 0 }
    const loads = servers.map((server) =>
      uploadLoad({ tenant: cats, server: () => server, clients: 3, isOver: () => isOver, seen }),
    )
    const healedMs: number[] = []
    try {
      for (let round = 0; round < restarts; round += 1) {
        const before = seen.acknowledged
        await until(() => seen.acknowledged >= before + 4, 'more uploads are acknowledged')
        await postgres.restart(round % 2 ? 'SIGQUIT' : 'SIGKILL')
        using watch = startStopwatch()
        await until(async () => (await Promise.all(servers.map(isReady))).every(Boolean), 'all are ready')
        healedMs.push(watch.ms())
      }
    } finally {
      isOver = true
    }
    const outcomes = await Promise.all(loads)
    const { acknowledged, refused } = joined(outcomes)
    console.log(
      `${acknowledged.length} acknowledged, ${refused.length} refused with 503; healed after at most ${Math.round(Math.max(...healedMs))} ms`,
    )
    assert.ok(Math.max(...healedMs) < 5_000, 'healed within 5 s')
    await assertWhole(cluster, cats.id, acknowledged)
    assert.deepEqual(bugsOf(servers), [])
  }, 300_000)
})

function joined(outcomes: readonly Outcome[]): Pick<Outcome, 'acknowledged' | 'refused'> {
  return {
    acknowledged: outcomes.flatMap(({ acknowledged }) => acknowledged),
    refused: outcomes.flatMap(({ refused }) => refused),
  }
}

async function assertWhole(cluster: Cluster, id: string, acknowledged: Outcome['acknowledged']) {
  assertNoneDoubled(acknowledged)
  await assertServed(cluster.servers, acknowledged)
  const totals = async () => {
    const { files, storage_used } = await cluster.stats(id)
    return { files, storage_used }
  }
  assert.deepEqual(await totals(), countsOf(acknowledged))
  // Counted anew from the rows: nothing stands there that nobody was told of.
  await cluster.tool('tenants', 'stats:refresh', '--id', id)
  assert.deepEqual(await totals(), countsOf(acknowledged))
}
