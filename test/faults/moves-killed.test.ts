import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readLocation, readTenant } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { otherDatabase, siteFilesIn } from '../support/stores/other-databases.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'
import { md5Of, picture, statsOf, type TestTenant, upload } from '../support/uploads.ts'
import { startMover } from './moves/mover.ts'

const radosgw = await radosgwOfRun()

/** The process that moves is killed at steps this far apart; on one store at every one of them. */
const stride = { sqlite: 1, postgres: 3 }

/**
 * Side by side, because a move waits two seconds for the caches of other servers. Each begins as if the steps before its
 * first one had been played: with as many files, and at home after an even number of moves.
 */
const parts = [
  { store: 'sqlite', first: 1, last: 8 },
  { store: 'sqlite', first: 9, last: 16 },
  { store: 'sqlite', first: 17, last: Number.POSITIVE_INFINITY },
  { store: 'postgres', first: 1, last: Number.POSITIVE_INFINITY },
] as const

test.concurrent.for(parts)(
  'a move that is killed loses nothing, lets uploads go on, and is finished by a repetition ($store, from step $first)',
  { timeout: 900_000 },
  async ({ store, first, last }) => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const bucket = radosgw && (await freshBucket(radosgw))
    const cats = await app.tenant('cats')
    const there = {
      SERVICE_DATABASE_URL: store === 'sqlite' ? database.url : 'sqlite:',
      ...(bucket ? { SERVICE_STORAGE_URL: bucket.url } : {}),
    }
    const stored = new Map<string, string>()
    const uploadNow = async () => {
      const file = await picture({ seed: stored.size + 1 })
      await until(async () => {
        const { status, json } = await upload(app, cats, { file })
        if (status === 200) stored.set(json.image.url, md5Of(file))
        return status === 200
      }, 'an upload is taken')
    }
    while (stored.size < first) await uploadNow()

    await using movers = new AsyncDisposableStack()
    let mover = movers.use(startMover(app))
    let isThere = false
    for (let killAt: number = first; killAt <= last; killAt += stride[store]) {
      const env: Record<string, string> = isThere ? {} : there
      assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
      // It loads its code while the other one moves.
      const another = movers.use(startMover(app))
      const { isKilled, steps, err } = await mover.move({ id: cats.id, killAt })
      if (steps !== undefined) {
        assert.ok(steps < killAt)
        break
      }
      assert.ok(isKilled, err)
      await uploadNow()
      await assertAllServed(app, stored)
      const repeated = await another.move({ id: cats.id, killAt: 0 })
      assert.ok(repeated.steps !== undefined, repeated.err)
      mover = another
      isThere = !isThere
      await assertAllServed(app, stored)
      assert.equal((await statsOf(app, cats)).files, stored.size, `killed at ${killAt}`)
      await assertNothingLeft(app, cats)
      const isOnDisk: boolean = bucket === undefined || !isThere
      const isSqlite: boolean = isThere === (store === 'postgres')
      const files = await siteFilesIn(app.dataDir)
      assert.equal(files.filter((name) => name.endsWith('.db')).length, Number(isSqlite), files.join())
      assert.equal(
        files.some((name) => !name.endsWith('.db')),
        isOnDisk,
        files.join(),
      )
      if (bucket) assert.equal((await bucket.keys()).length, isOnDisk ? 0 : 2 * stored.size)
      if (store === 'sqlite') assert.equal((await database.rowCount()) > 0, isThere)
    }
  },
)

async function assertAllServed(app: TestApp, stored: ReadonlyMap<string, string>): Promise<void> {
  for (const [url, md5] of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, md5Of(bytes)], [200, md5], url)
  }
}

async function assertNothingLeft(app: TestApp, { id }: TestTenant): Promise<void> {
  const { control } = app.app
  const { move, abortedMove, staleCopies } = await readLocation(control, (await readTenant(control, id)).site)
  assert.deepEqual([move, abortedMove, staleCopies], [undefined, undefined, []])
}
