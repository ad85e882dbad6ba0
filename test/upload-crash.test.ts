import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { checkFiles } from './crash/look.ts'
import { type CrashPoint, tracingFault } from './crash/strace.ts'
import { checkAcknowledged, checkPlaces, lookAtUploads } from './crash/upload-look.ts'
import { openUploadStage, type Struck, type UploadStage } from './crash/upload-stage.ts'

const fault = await tracingFault()
if (fault) console.log(`NOT RUN: uploads killed at every step; processes cannot be traced here (${fault}).`)

describe.skipIf(fault !== undefined)('a server killed at every step', { timeout: 600_000 }, () => {
  let stage: UploadStage
  beforeAll(async () => {
    stage = await openUploadStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  for (const verb of ['multipart', 'base64']) {
    test(`keeps every upload that it acknowledged, and no half of another: ${verb}`, async () => {
      const points = await stage.rehearse(verb)
      const counts = { stored: 0, told: 0, orphans: 0, spooled: 0, missed: 0 }
      await strike(verb, points, async (struck) => {
        const {
          folder,
          told: [answer],
        } = struck
        if (!struck.isKilled) counts.missed += 1
        if ((await readdir(join(folder, 'spool'))).length > 0) counts.spooled += 1
        await checkFiles(folder)
        await checkPlaces(folder)
        await using canned = await stage.open(folder)
        assert.deepEqual(await readdir(join(folder, 'spool')), [], 'the next start clears the spool')
        const known = Object.values(stage.hashes)
        const found = await lookAtUploads(canned.app, 'cats', known)
        counts.stored += found.files.length
        if (found.orphans.length > 0) counts.orphans += 1
        if (answer) {
          assert.equal(answer.status, 200, answer.body)
          counts.told += 1
          await checkAcknowledged(canned.app, 'cats', answer.body)
        }
        const again = await stage.play(canned, verb)
        assert.equal(again.status, 200, again.body)
        await checkAcknowledged(canned.app, 'cats', again.body)
        const after = await lookAtUploads(canned.app, 'cats', known)
        assert.equal(after.files.length, found.files.length + 1)
        assert.equal((await lookAtUploads(canned.app, 'dogs', known)).files.length, 1)
      })
      console.log(`${verb}: ${points.length} points, ${JSON.stringify(counts)}`)
    })
  }

  function strike(verb: string, points: readonly CrashPoint[], check: (struck: Struck) => Promise<void>) {
    return stage.strikeAll(
      verb,
      points.map((point) => ({ point, fate: 'signal=SIGKILL' })),
      check,
    )
  }
})
