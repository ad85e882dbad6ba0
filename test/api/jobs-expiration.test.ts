import assert from 'node:assert/strict'
import { test } from 'vitest'
import { expirations, expiresAfter } from '../../src/media/upload/upload-request.ts'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { copyFiles, doDueJobs, jobRowOf, leftoversOf } from '../support/jobs.ts'
import {
  moveTo,
  nowOf,
  onSiteOf,
  picture,
  set,
  statsOf,
  type TestTenant,
  upload,
  uploaded,
  writeViewsOf,
} from '../support/uploads.ts'

onEachStore('a file whose time is over', (store) => {
  test('is gone everywhere from its second on, and its rows, bytes and counts go with the next job', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { duplicates: 'existing' })
    const file = await picture({ width: 700, height: 500 })
    const kept = await uploaded(app, cats, { file: await picture({ seed: 3 }) })
    const image = await uploaded(app, cats, { file, fields: { expiration: 'PT5M', tags: 'a,b' } })
    await ask(app, image.url_viewer)
    await writeViewsOf(app, cats, 1)
    const before = await statsOf(app, cats)
    assert.deepEqual([before.files, before.file_views], [2, 1])

    moveTo(app, `${image.expiration_date_gmt.replace(' ', 'T')}Z`)
    const addresses = addressesOf(image)
    assert.ok(addresses.length >= 7)
    for (const url of addresses) assert.equal((await ask(app, url)).status, 404, url)
    // Counted until its job has removed it.
    assert.deepEqual(await statsOf(app, cats), before)

    const [run] = await doDueJobs(app)
    assert.deepEqual([run?.tenant, run?.outcome], ['cats', 'done'])
    assert.deepEqual(run?.done, { 'expire-files': 1, 'remove-bytes': 3 })
    for (const url of addresses) assert.equal((await ask(app, url)).status, 404, url)
    const remains = await leftoversOf(app, cats)
    assert.deepEqual({ ...remains, keys: remains.keys.length }, { files: 1, removals: 0, tags: 0, keys: 2 })
    assert.ok(remains.keys.every((key) => key.includes(kept.id_encoded)))

    const stats = await statsOf(app, cats)
    assert.deepEqual([stats.files, stats.file_views, stats.cron_time], [1, 0, 1])
    assert.equal(stats.storage_used, kept.size + kept.thumb_size)
    await checkCounts(app, cats)
    const { last_job_at: lastJobAt } = (await app.call('GET', 'tenants/cats')).json
    assert.ok(Math.abs(Date.parse(`${lastJobAt.replace(' ', 'T')}Z`) - nowOf(app).getTime()) < 60_000)
    assert.deepEqual(await doDueJobs(app), [], 'nothing is due any more')
  })

  test('is not answered for the same bytes, though its row is still there', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await picture({ seed: 9 })
    await set(app, cats, { duplicates: 'existing' })
    const first = await uploaded(app, cats, { file, fields: { expiration: 'PT5M' } })
    assert.equal((await uploaded(app, cats, { file })).id_encoded, first.id_encoded)
    app.wait(301)
    const second = await uploaded(app, cats, { file })
    assert.notEqual(second.id_encoded, first.id_encoded)
    await set(app, cats, { duplicates: 'reject' })
    assert.equal((await upload(app, cats, { file })).status, 400)
    await doDueJobs(app)
    assert.equal((await ask(app, second.url)).status, 200)
  })

  test('goes at each of the 23 times, and never before', async () => {
    await using app = await startTestApp({
      store,
      environment: { SERVICE_SCRUB_DAYS: '0', SERVICE_AUDIT_DAYS: '0', SERVICE_USAGE_DAYS: '0' },
    })
    const cats = await app.tenant('cats')
    moveTo(app, '2027-01-31T10:00:00Z')
    const startedAt = nowOf(app)
    const images = new Map<string, any>()
    for (const [seed, expiration] of expirations.entries()) {
      images.set(
        expiration,
        await uploaded(app, cats, { file: await picture({ seed }), fields: { expiration } }),
      )
    }
    let left = expirations.length
    for (const expiration of expirations) {
      const image = images.get(expiration)
      const endsAt = Date.parse(`${image.expiration_date_gmt.replace(' ', 'T')}Z`)
      assert.ok(Math.abs(endsAt - expiresAfter(startedAt, expiration).getTime()) < 60_000, expiration)
      assert.equal((await jobRowOf(app, cats))?.dueAt, new Date(endsAt).toISOString(), expiration)
      moveTo(app, new Date(endsAt - 1_500).toISOString())
      assert.equal((await ask(app, image.url)).status, 200, expiration)
      moveTo(app, new Date(endsAt).toISOString())
      assert.equal((await ask(app, image.url)).status, 404, expiration)
      await doDueJobs(app)
      left -= 1
      const remains = await leftoversOf(app, cats)
      assert.deepEqual([remains.files, remains.keys.length], [left, 2 * left], expiration)
      assert.equal((await statsOf(app, cats)).files, left)
    }
    await checkCounts(app, cats)
  })

  test('waits for as long as its tenant says between two runs', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await app.call('PATCH', 'tenants/cats', {
      env: {
        SERVICE_JOBS_INTERVAL: '600',
        SERVICE_SCRUB_DAYS: '0',
        SERVICE_AUDIT_DAYS: '0',
        SERVICE_USAGE_DAYS: '0',
      },
    })
    for (const expiration of ['PT5M', 'PT15M', 'PT30M'])
      await uploaded(app, cats, { file: await picture({ seed: expiration.length }), fields: { expiration } })
    app.wait(301)
    assert.equal((await doDueJobs(app)).length, 1)
    app.wait(599 - 1)
    assert.deepEqual(await doDueJobs(app), [])
    app.wait(5)
    assert.equal((await doDueJobs(app)).length, 1)
    app.wait(1_000)
    assert.equal((await doDueJobs(app)).length, 1)
    assert.equal((await jobRowOf(app, cats))?.dueAt, null, 'a site without files has nothing to do')
    for (const value of ['0', '-1', '1.5', '86401', 'often']) {
      const { status, text } = await app.call('PATCH', 'tenants/cats', {
        env: { SERVICE_JOBS_INTERVAL: value },
      })
      assert.equal(status, 400)
      assert.ok(
        text.includes('SERVICE_JOBS_INTERVAL: must be a whole number of seconds from 1 to 86400'),
        text,
      )
    }
  })

  test('goes by itself when thousands do, batch by batch', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    await copyFiles(app, cats, 250)
    app.wait(301)
    const [run] = await doDueJobs(app)
    assert.deepEqual(run?.done, { 'expire-files': 251, 'remove-bytes': 502 })
    const stats = await statsOf(app, cats)
    assert.deepEqual([stats.files, stats.storage_used, stats.file_views], [0, 0, 0])
    assert.deepEqual(await leftoversOf(app, cats), { files: 0, removals: 0, tags: 0, keys: [] })
  })
})

function addressesOf(image: any): string[] {
  const { host } = new URL(image.url)
  const oembed = `http://${host}/oembed?url=${encodeURIComponent(image.url_viewer)}`
  const versions = [image.url, image.thumb.url, image.medium.url]
  return [...versions, image.url_viewer, image.url_short, image.delete_url, oembed]
}

async function checkCounts(app: TestApp, tenant: TestTenant): Promise<void> {
  await onSiteOf(app, tenant, async (site) => {
    const kept = await allTotals(site.db)
    assert.deepEqual(await recountTotals(site), kept)
  })
}
