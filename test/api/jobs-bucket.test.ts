import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { damagedFiles } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { doDueJobs, leftoversOf } from '../support/jobs.ts'
import { needing } from '../support/needs.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

const daySeconds = 24 * 60 * 60

bucketed.describe('jobs on a bucket', { timeout: 300_000 }, () => {
  test('remove what has expired and what no row knows of, and find what is damaged', async () => {
    assert.ok(radosgw)
    const bucket = await freshBucket(radosgw)
    await using app = await startTestApp({
      store: 'postgres',
      environment: { SERVICE_STORAGE_URL: bucket.url },
    })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    await uploaded(app, cats, { file: await picture({ seed: 1 }), fields: { expiration: 'PT5M' } })
    const kept = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    const other = await uploaded(app, dogs)
    assert.equal((await bucket.keys()).length, 6)
    app.wait(301)
    assert.deepEqual((await doDueJobs(app)).at(0)?.done, { 'expire-files': 1, 'remove-bytes': 2 })
    assert.equal((await bucket.keys()).length, 4)

    const path = join(app.dataDir, 'orphan')
    await onSiteOf(app, cats, async (site) => {
      await writeFile(path, 'bytes')
      await site.storage.put([{ key: 'images/2026/01/01/Orphan000000000A.png', path }])
      const thumb = (await site.storage.list('', undefined, 10)).find(({ key }) => key.includes('.th.'))
      await site.storage.remove([thumb?.key ?? ''])
    })
    app.wait(7 * daySeconds + 60)
    const runs = await doDueJobs(app)
    const run = runs.find(({ tenant }) => tenant === 'cats')
    assert.deepEqual([run?.outcome, run?.done['sweep-orphans'], run?.done['remove-bytes']], ['done', 1, 1])
    const { keys } = await leftoversOf(app, cats)
    assert.equal(keys.length, 1)
    const [damage] = await onSiteOf(app, cats, damagedFiles)
    assert.equal(damage?.fileId, kept.id_encoded)
    assert.match(damage?.fault ?? '', /\.th\.png is missing$/)
    assert.deepEqual(await onSiteOf(app, dogs, damagedFiles), [])
    assert.equal((await ask(app, other.url)).status, 200)
  })
})
