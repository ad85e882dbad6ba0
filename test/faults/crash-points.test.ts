import assert from 'node:assert/strict'
import { afterAll, test } from 'vitest'
import { createTenant, installTenant } from '../../src/tenants/index.ts'
import { needing } from '../support/needs.ts'
import { ageDrafts, changeTokenOf, checkFiles, checkNoLitter, openAgain } from './crash/look.ts'
import { checkOutcome, openStage, strikeEach } from './crash/rehearsal.ts'
import { type CrashPoint, distinct } from './crash/strace.ts'
import { account, newEnv, verbs } from './crash/verbs.ts'

const traced = await needing('strace')

const stage = await openStage()
afterAll(() => stage[Symbol.asyncDispose]())
const kill = () => 'signal=SIGKILL'

traced.describe('a process killed at every step', { timeout: 600_000 }, () => {
  for (const verb of Object.keys(verbs).filter((name) => name !== 'first start')) {
    test(`leaves its work done or undone, never between: ${verb}`, async () => {
      const rehearsal = await stage.rehearse(verb)
      const counts = { done: 0, undone: 0, missed: 0 }
      const points = distinct(rehearsal.points)
      await strikeEach({ ...rehearsal, points }, kill, async (struck) => {
        counts[await checkOutcome(rehearsal, struck)] += 1
        if (!struck.isKilled) counts.missed += 1
      })
      const { length } = rehearsal.points
      const same = length - points.length
      console.log(`${verb}: ${length} points, ${JSON.stringify({ ...counts, same })}`)
      assert.ok(counts.missed <= length / 20, `${counts.missed} of ${length} points missed`)
    })
  }

  test('leaves a first start that the next one finishes', async () => {
    const rehearsal = await stage.rehearse('first start')
    const points = distinct(thinned(rehearsal.points))
    await strikeEach({ ...rehearsal, points }, kill, async ({ folder }) => {
      await ageDrafts(folder)
      await startAndUse(folder)
      await checkFiles(folder)
      await checkNoLitter(folder)
    })
    console.log(`first start: ${points.length} points`)
  })
})

async function startAndUse(folder: string): Promise<void> {
  await using app = await openAgain(folder)
  await createTenant(app.control, { id: 'cats', hostname: 'cats.test', isEnabled: true, env: newEnv })
  await installTenant(app.control, 'cats', account)
  assert.deepEqual(Object.keys((await changeTokenOf(app)).tenants), ['cats'])
}

/** Of a long row of writes to one file, as a migration makes them, the first ones and every twelfth. */
function thinned(points: readonly CrashPoint[]): CrashPoint[] {
  let length = 0
  return points.filter((point, place) => {
    const isSame = point.call === 'pwrite64' && point.path === points[place - 1]?.path
    length = isSame ? length + 1 : 0
    return length < 2 || length % 12 === 0
  })
}
