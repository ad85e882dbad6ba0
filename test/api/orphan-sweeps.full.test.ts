import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { schedule } from '../../src/jobs/schedule.ts'
import { examineApp } from '../../src/maintenance/index.ts'
import { openS3Storage } from '../../src/storage/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { until } from '../support/until.ts'
import { md5Of, picture, upload } from '../support/uploads.ts'

/** As if the process had been at it for an hour; the time of a folder does not change while a file in it is sent. */
async function age(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  const before = new Date(Date.now() - 3_600_000)
  for (const name of names) await utimes(join(folder, name), before, before)
  return names
}

async function sweep(app: TestApp, name: string): Promise<number> {
  const job = schedule.machine.find((each) => each.name === name)
  assert.ok(job)
  return (await job.run(app.app, () => undefined)).count
}

onEachStore('a sweep', (store) => {
  test('leaves an upload alone that is sent to a slow bucket, and takes what was left beside it', async () => {
    await using stub = await startS3Stub()
    await using app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    const spool = join(app.dataDir, 'spool')
    await mkdir(join(spool, 'left'))
    // Each file is put for a second time, from the spool, when the bucket has not answered for 8 seconds.
    let puts = 0
    stub.setFault(({ action }) => (action === 'put' && ++puts <= 2 ? 'hangBefore' : undefined))
    const file = await picture({ seed: 1 })
    const uploading = upload(app, cats, { file })
    await until(() => puts === 2, 'two puts wait')
    assert.equal((await age(spool)).length, 2)
    assert.equal(await sweep(app, 'sweep-spool'), 1)
    await age(spool)
    app.wait(2 * 86_400)
    await examineApp(app.app, { isRepairing: true })
    const { status, text, json } = await uploading
    assert.equal(status, 200, text)
    assert.equal(md5Of((await ask(app, json.image.url)).bytes), md5Of(file))
    await until(async () => (await readdir(spool)).length === 0, 'the spool is empty')
  })
})

test('a sweep leaves the draft of a site alone that is being filled', async () => {
  await using app = await startTestApp()
  const { store } = app.app.control
  const drafts = join(app.dataDir, 'drafts')
  const draft = await store.draftCopy(77, async () => {
    assert.equal((await age(drafts)).length, 1)
    assert.equal(await sweep(app, 'sweep-drafts'), 0)
  })
  await age(drafts)
  assert.equal(await sweep(app, 'sweep-drafts'), 0)
  await draft.publish()
  const snapshot = await store.snapshotSite(77)
  await snapshot.close()
  await mkdir(join(drafts, 'left'))
  await age(drafts)
  assert.equal(await sweep(app, 'sweep-drafts'), 1)
})

test.each([
  ['as ours', 0],
  ['two hours behind', -7_200_000],
])(
  'an upload in parts is aborted when no part has come for ten minutes, not ten minutes after it began: its clock is %s',
  async (_, aheadMs) => {
    await using stub = await startS3Stub()
    stub.setClock(aheadMs)
    const tuning = { answerMs: 1_000, totalMs: 20_000, pauseMs: 5, largeBytes: 50_000, partBytes: 20_000 }
    await using sender = await openS3Storage({ url: stub.url, tuning })
    await using sweeper = await openS3Storage({ url: stub.url })
    const folder = await mkdtemp(join(tmpdir(), 'terrace-parts-'))
    try {
      // All uploads of the stub began on the day before; the third part of this one is late.
      const longAgo = { bytes: Buffer.from('x'), at: new Date(Date.now() + aheadMs - 700_000) }
      stub.uploads.set('left', { key: 'films/cut.mp4', headers: {}, parts: new Map([[1, longAgo]]) })
      let parts = 0
      stub.setFault(({ action }) => (action === 'part' && ++parts === 3 ? 'hangBefore' : undefined))
      const bytes = randomBytes(64_000)
      await writeFile(join(folder, 'long'), bytes)
      const putting = sender.put([{ key: 'films/long.mp4', path: join(folder, 'long') }])
      await until(() => parts >= 3, 'the third part is late')
      const silentSince = new Date(Date.now() - 600_000)
      await sweeper.removeUnfinished('films', silentSince)
      assert.equal(stub.uploads.has('left'), false)
      await putting
      assert.deepEqual(stub.objects.get('films/long.mp4')?.bytes, bytes)

      // One of this process is known without a part of it.
      stub.setFault(({ action }) => (action === 'part' && ++parts < 9 ? 'hangBefore' : undefined))
      await writeFile(join(folder, 'other'), bytes)
      const again = sender.put([{ key: 'films/other.mp4', path: join(folder, 'other') }])
      await until(() => parts >= 5, 'parts are sent')
      await sender.removeUnfinished('films', silentSince)
      await again
      assert.deepEqual(stub.objects.get('films/other.mp4')?.bytes, bytes)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
