import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { reconcileSites } from '../../src/tenants/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { needing } from '../support/needs.ts'
import { checkFiles } from './crash/look.ts'
import { checkAcknowledged, checkLocations, checkStats, lookAtUploads } from './crash/upload-look.ts'
import { type Left, openUploadStage, type UploadStage } from './crash/upload-stage.ts'

const traced = await needing('strace')

traced.describe('a server killed at every step', { timeout: 900_000 }, () => {
  let stage: UploadStage
  beforeAll(async () => {
    stage = await openUploadStage()
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  for (const verb of ['multipart', 'base64', 'url']) {
    test(`keeps every upload that it acknowledged, and no half of another: ${verb}`, async () => {
      const counts = { acknowledged: 0, stored: 0, withOrphans: 0, withSpool: 0 }
      await killAtEveryStep(verb, counts, async ({ folder, outcomes: [answer] }) => {
        if ((await readdir(join(folder, 'spool'))).length > 0) counts.withSpool += 1
        await using service = await stage.open(folder)
        assert.deepEqual(await readdir(join(folder, 'spool')), [], 'the next start clears the spool')
        const found = await lookAtUploads(service.app, 'cats', stage.known)
        counts.stored += found.files.length
        if (found.orphans.length > 0) counts.withOrphans += 1
        if (answer) {
          assert.equal(answer.status, 200, answer.body)
          counts.acknowledged += 1
          await checkAcknowledged(service.app, 'cats', answer.body)
          await checkStats(service.app, 'cats')
        }

        const again = await stage.send(service, verb)
        assert.equal(again.status, 200, again.body)
        await checkAcknowledged(service.app, 'cats', again.body)
        await checkStats(service.app, 'cats')
        const after = await lookAtUploads(service.app, 'cats', stage.known)
        assert.equal(after.files.length, found.files.length + 1)
        assert.equal((await lookAtUploads(service.app, 'dogs', stage.known)).files.length, 1)
        await assertHealthy(service.app)
      })
    })
  }

  test('stores an upload with an Idempotency-Key once, and answers it again as before', async () => {
    const counts = { acknowledged: 0, stored: 0, unstored: 0 }
    await killAtEveryStep('once', counts, async ({ folder, outcomes: [answer] }) => {
      // The lease of the killed server has ended by then.
      await using service = await stage.open(folder, 20_000)
      const { files } = await lookAtUploads(service.app, 'cats', stage.known)
      counts[files.length === 1 ? 'stored' : 'unstored'] += 1
      const again = await stage.send(service, 'once')
      assert.equal(again.status, 200, again.body)
      if (answer) {
        assert.equal(again.body, answer.body)
        counts.acknowledged += 1
      }
      await checkAcknowledged(service.app, 'cats', again.body)
      assert.equal((await lookAtUploads(service.app, 'cats', stage.known)).files.length, 1)
      // A repeated answer changes nothing, so what the killed server has not synced is found as after every kill.
      const { control } = service.app
      await control.store.control.deleteFrom('meta').where('name', '=', 'settled-up-to').execute()
      await reconcileSites(control, assert.fail)
      await checkStats(service.app, 'cats')
      await assertHealthy(service.app)
    })
  })

  test('has removed every file whose removal it acknowledged, and keeps all of it or a note before', async () => {
    const counts = { acknowledged: 0, removed: 0, withNote: 0 }
    await killAtEveryStep('removal', counts, async ({ outcomes: [answer], folder }) => {
      await using service = await stage.open(folder)
      const { files, orphans, removals } = await lookAtUploads(service.app, 'dogs', stage.known)
      if (answer) {
        assert.equal(answer.status, 200, answer.body)
        assert.deepEqual([files, orphans], [[], []])
        await checkStats(service.app, 'dogs')
        counts.acknowledged += 1
      }
      counts.removed += 1 - files.length
      if (removals.length > 0) counts.withNote += 1
      // What has lost its row is recorded by a note, so that nobody has to search for it.
      for (const orphan of orphans) assert.ok(removals.includes(orphan), orphan)

      const again = await stage.send(service, 'removal')
      assert.equal(again.status, files.length === 1 ? 200 : 404, again.body)
      assert.deepEqual((await lookAtUploads(service.app, 'dogs', stage.known)).files, [])
    })
  })

  async function killAtEveryStep(verb: string, counts: object, check: (left: Left) => Promise<void>) {
    const { steps } = await stage.killAtEveryStep(verb, async (left) => {
      await checkFiles(left.folder)
      await checkLocations(left.folder)
      await check(left)
    })
    console.log(`${verb}: killed after ${steps} steps, ${JSON.stringify(counts)}`)
  }
})
