import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { thumbHashToApproximateAspectRatio } from 'thumbhash'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { openSpool, spoolFolderOf } from '../../src/http/uploads/source/spool.ts'
import { addPlaceholders } from '../../src/media/jobs/add-placeholders.ts'
import type { JobContext } from '../../src/scheduling/index.ts'
import type { Site } from '../../src/site/index.ts'
import { syncStats } from '../../src/tenants/index.ts'
import { pathOnDisk } from '../support/delivered.ts'
import { plainMp4, videos } from '../support/fixtures/videos.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, jobRowOf } from '../support/jobs.ts'
import { ask5 } from '../support/media.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** As files of the versions before are. */
const forget = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async (site) => {
    await site.db.updateTable('file').set({ placeholder: null }).execute()
    await syncStats(app.app.control, site)
  })

const placeholderOf = async (app: TestApp, tenant: TestTenant, { id_encoded: id }: { id_encoded: string }) =>
  (await ask5(app, tenant, `GET files/${id}`)).json.placeholder

const isMissing = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => {
    const rows = await db.selectFrom('file').select('id').where('placeholder', 'is', null).execute()
    return rows.length
  })

const done = async (app: TestApp, tenant: TestTenant) =>
  (await doDueJobs(app, tenant)).flatMap((run) => run.done['add-placeholders'] ?? [])

onEachStore('the job add-placeholders', (store) => {
  test('gives files of older versions what uploads have, in the shape of the file, and is not due again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const drawings = [
      { width: 1_200, height: 600, format: 'jpeg' },
      { width: 300, height: 900, format: 'png' },
      { width: 900, height: 700, format: 'tiff' },
    ] as const
    for (const drawing of drawings) {
      const image = await uploaded(app, cats, { file: await picture(drawing) })
      const atUpload = await placeholderOf(app, cats, image)
      await forget(app, cats)
      assert.equal(await placeholderOf(app, cats, image), null)
      await done(app, cats)
      const later = await placeholderOf(app, cats, image)
      const [one, other] = [atUpload, later].map((text) =>
        thumbHashToApproximateAspectRatio(Buffer.from(text, 'base64')),
      )
      assert.equal(one, other, drawing.format)
    }
    assert.deepEqual(await done(app, cats), [], 'a second run has nothing to do')
    const { dueAt } = (await jobRowOf(app, cats)) ?? {}
    assert.ok(!dueAt || new Date(dueAt) > app.app.control.clock.now(), dueAt ?? '')
  })

  videos.test('takes the frame of a video', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const video = await uploaded(app, cats, { file: await plainMp4() })
    await forget(app, cats)
    assert.deepEqual(await done(app, cats), [1])
    assert.match(await placeholderOf(app, cats, video), /^[A-Za-z0-9+/]{7,34}={0,2}$/)
  })

  test('passes damaged and missing pictures over once, and goes on with the others', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const images = await Promise.all(
      [1, 2, 3].map(async (seed) =>
        uploaded(app, cats, { file: await picture({ width: 900, height: 600, seed }) }),
      ),
    )
    const [damaged, missing, sound] = images
    await writeFile(await pathOnDisk(app, cats, damaged.medium.url), 'no picture')
    await rm(await pathOnDisk(app, cats, missing.medium.url))
    await forget(app, cats)
    assert.deepEqual(await done(app, cats), [1])
    assert.ok(await placeholderOf(app, cats, sound))
    for (const image of [damaged, missing]) assert.equal(await placeholderOf(app, cats, image), null)
    assert.equal(await isMissing(app, cats), 0)
    assert.deepEqual(await done(app, cats), [], 'they are not tried again')
  })

  test('that is stopped halfway keeps what it has made, and goes on there', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (let seed = 0; seed < 23; seed += 1)
      await uploaded(app, cats, { file: await picture({ width: 60, height: 40, seed }) })
    await forget(app, cats)
    const run = (site: Site, most: number) => addPlaceholders(site, contextOf(app, site, most))
    await onSiteOf(app, cats, async (site) => assert.equal(await run(site, 21), 21))
    assert.equal(await isMissing(app, cats), 2)
    // A worker that ends in the middle of a picture records nothing of its page.
    await onSiteOf(app, cats, async (site) => {
      const stopped = AbortSignal.abort(new Error('stopped'))
      const context = { ...contextOf(app, site, 100), signal: stopped }
      await assert.rejects(addPlaceholders(site, context), /stopped/)
    })
    assert.equal(await isMissing(app, cats), 2)
    assert.deepEqual(await done(app, cats), [2])
    assert.equal(await isMissing(app, cats), 0)
  })
})

/** Of a worker whose time is over after so many files. */
function contextOf(app: TestApp, { db }: Site, most: number): JobContext {
  let asked = 0
  return {
    signal: new AbortController().signal,
    get isOver() {
      asked += 1
      return asked > most
    },
    warn: () => undefined,
    openFolder: () => openSpool(spoolFolderOf(app.app)),
    fencedTransaction: (work) => inTransaction(db, work),
  }
}
