import assert from 'node:assert/strict'
import { afterAll, test } from 'vitest'
import { createTenant, installTenant } from '../../src/tenants/index.ts'
import { needing } from '../support/needs.ts'
import { killAtEveryStep, type Left } from './crash/kills.ts'
import { ageDrafts, changeTokenOf, checkFiles, checkNoLitter, openAgain } from './crash/look.ts'
import { checkOutcome, openStage } from './crash/rehearsal.ts'
import { account, newEnv, verbs } from './crash/verbs.ts'

const traced = await needing('strace')

const stage = await openStage()
afterAll(() => stage[Symbol.asyncDispose]())

traced.describe('a process killed at every step', { timeout: 600_000 }, () => {
  for (const verb of Object.keys(verbs).filter((name) => name !== 'first start')) {
    test(`leaves its work done or undone, never between: ${verb}`, async () => {
      const rehearsal = await stage.rehearse(verb)
      const counts = { done: 0, undone: 0 }
      const check = async (left: Left) => {
        counts[await checkOutcome(rehearsal, left)] += 1
      }
      const { steps } = await killAtEveryStep(rehearsal, check, (all) => all)
      console.log(`${verb}: ${steps} steps, ${JSON.stringify(counts)}`)
      assert.ok(counts.done > 0 && counts.undone > 0)
    })
  }

  test('leaves a first start that the next one finishes', async () => {
    const rehearsal = await stage.rehearse('first start')
    const { steps } = await killAtEveryStep(rehearsal, async ({ folder }) => {
      await ageDrafts(folder)
      await startAndUse(folder)
      await checkFiles(folder)
      await checkNoLitter(folder)
    })
    console.log(`first start: ${steps} steps`)
  })
})

async function startAndUse(folder: string): Promise<void> {
  await using app = await openAgain(folder)
  await createTenant(app.control, { id: 'cats', hostname: 'cats.test', isEnabled: true, env: newEnv })
  await installTenant(app.control, 'cats', account)
  assert.deepEqual(Object.keys((await changeTokenOf(app)).tenants), ['cats'])
}
