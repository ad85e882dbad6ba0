import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { type Bucket, freshBucket } from '../support/stores/buckets.ts'
import { moveTenant } from '../support/stores/moves.ts'
import { type OtherDatabase, otherDatabase, siteFilesIn } from '../support/stores/other-databases.ts'
import { type Radosgw, radosgwOfRun } from '../support/stores/radosgw.ts'
import { md5Of, picture, statsOf, type TestTenant, upload } from '../support/uploads.ts'

const radosgw: Radosgw | undefined = await radosgwOfRun()
const bucketed = await needing('radosgw')

interface Stored {
  url: string
  md5: string
  size: number
}

let lastSeed = 0

async function uploadOne(app: TestApp, tenant: TestTenant): Promise<Stored | undefined> {
  lastSeed += 1
  const file = await picture({ seed: lastSeed })
  const answer = await upload(app, tenant, { file })
  if (answer.status === 503) {
    assert.match(String(answer.headers['retry-after']), /^\d+$/)
    return undefined
  }
  assert.equal(answer.status, 200, answer.text)
  const { url, size, thumb_size } = answer.json.image
  return { url, md5: md5Of(file), size: size + thumb_size }
}

interface Load {
  acknowledged: Stored[]
  refused: number
}

/** Uploads and looks on several lines until the work is done; whatever is read is there all the time. */
async function whileUploading(app: TestApp, tenant: TestTenant, work: () => Promise<unknown>): Promise<Load> {
  const load: Load = { acknowledged: [], refused: 0 }
  let isOver = false
  const lines = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const stored = await uploadOne(app, tenant)
      if (stored) load.acknowledged.push(stored)
      else load.refused += 1
      const any = load.acknowledged.at(-1)
      if (any) assert.equal((await ask(app, any.url)).status, 200, 'reads go on')
      // The more there is to move, the rarer the uploads: or a slow machine would never have moved them all.
      await sleep(load.acknowledged.length * 5)
    }
  })
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all(lines)
  }
  return load
}

async function assertServed(app: TestApp, tenant: TestTenant, stored: readonly Stored[]): Promise<void> {
  for (const { url, md5 } of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, md5Of(bytes)], [200, md5], url)
  }
  const stats = await statsOf(app, tenant)
  const bytes = stored.reduce((sum, { size }) => sum + size, 0)
  assert.deepEqual([stats.files, stats.storage_used], [stored.length, bytes])
}

interface Places {
  app: TestApp
  database: OtherDatabase
  bucket: Bucket | undefined
  values: Record<string, string>
}

const journeys = (['sqlite', 'postgres'] as const).flatMap((store) => [
  { store, what: 'rows', isBucket: false },
  { store, what: 'files', isBucket: true },
  { store, what: 'rows and files', isBucket: true },
])

describe.each(journeys)('a tenant of an installation on $store', ({ store, what, isBucket }) => {
  const run = isBucket ? bucketed.test : test

  run(
    `takes its ${what} elsewhere and back while it is used`,
    async () => {
      await using database = await otherDatabase()
      const bucket = isBucket && radosgw ? await freshBucket(radosgw) : undefined
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const rowsThere = store === 'sqlite' ? database.url : 'sqlite:'
      const there = {
        ...(what.includes('rows') ? { SERVICE_DATABASE_URL: rowsThere } : {}),
        ...(bucket ? { SERVICE_STORAGE_URL: bucket.url } : {}),
      }
      const first = await uploadOne(app, cats)
      assert.ok(first)
      const acknowledged = [first]
      const homeFiles = await siteFilesIn(app.dataDir)

      for (const values of [there, {}, there]) {
        const moved: any[] = []
        const load = await whileUploading(app, cats, async () => {
          moved.push(await moveTenant(app, cats, values))
        })
        assert.equal(moved[0].moved, true)
        assert.equal(moved[0].cleaned, true)
        acknowledged.push(...load.acknowledged)
        await assertServed(app, cats, acknowledged)
        await assertLocation({ app, database, bucket, values })
      }
      assert.ok(homeFiles.length > 0)
      const again = await moveTenant(app, cats, there)
      assert.deepEqual([again.moved, again.files, again.rows], [false, 0, 0])
    },
    300_000,
  )

  /** Everything is where it should be, and nothing is left where it was. */
  async function assertLocation({ app, database, bucket, values }: Places): Promise<void> {
    const files = await siteFilesIn(app.dataDir)
    const isSqlite = values.SERVICE_DATABASE_URL ? store === 'postgres' : store === 'sqlite'
    assert.equal(files.filter((name) => name.endsWith('site.db')).length, isSqlite ? 1 : 0, files.join())
    const isOnDisk = values.SERVICE_STORAGE_URL === undefined
    assert.equal(
      files.some((name) => !name.endsWith('site.db')),
      isOnDisk,
      files.join(),
    )
    if (bucket) assert.equal((await bucket.keys()).length > 0, !isOnDisk)
    if (store === 'sqlite' && what.includes('rows')) {
      assert.equal((await database.rowCount()) > 0, values.SERVICE_DATABASE_URL !== undefined)
    }
  }
})
