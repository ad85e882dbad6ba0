import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, test } from 'vitest'
import type { App } from '../src/app.ts'
import { Refusal } from '../src/lib/refusal.ts'
import { createTenant, installTenant } from '../src/tenants/index.ts'
import { ageDrafts, checkFiles, checkNoLitter, keysIn, openAgain, type State, stateOf } from './crash/look.ts'
import { type CrashPoint, killAt, recordCalls, tracingFault } from './crash/strace.ts'
import { account, verbs } from './crash/verbs.ts'

const fault = await tracingFault()
if (fault) console.log(`Crash points are not tested: processes cannot be traced here (${fault}).`)

const root = await mkdtemp(join(tmpdir(), 'terrace-crash-'))
const cache = join(root, 'cache')
afterAll(() => rm(root, { recursive: true, force: true }))

/** Two at a time. Their names weigh the same, so that their files fall to the same threads. */
const slots = ['slot-a', 'slot-c']

/** What a repeated verb may be told when it was done before. */
const matchingRefusals: Readonly<Record<string, string>> = {
  create: 'tenant-exists',
  install: 'already-installed',
  delete: 'tenant-not-found',
  'delete with tables': 'tenant-not-found',
}

describe.skipIf(fault !== undefined)('a process killed at every step', () => {
  const names = Object.keys(verbs).filter((name) => name !== 'first start')
  for (const verb of names) {
    test(`leaves a ${verb} done or undone, never between`, { timeout: 240_000 }, async () => {
      const start = join(root, `${verb}-start`)
      const before = await prepared(verb, start)
      const whole = join(root, slots[0] as string, 'data')
      await freshCopy(start, whole)
      const points = await recordCalls(verb, whole, cache)
      const after = await lookedAt(whole)
      const [oldKey = ''] = await keysIn(start)

      const counts = { before: 0, after: 0, missed: 0 }
      await eachPoint(points, async (point, folder) => {
        await freshCopy(start, folder)
        const end = await killAt(verb, folder, cache, point)
        if (!end.isKilled) counts.missed += 1
        await ageDrafts(folder)
        await checkFiles(folder)
        {
          await using app = await openAgain(folder)
          const state = await stateOf(app)
          const isDone =
            verb === 'rotation' ? !(await keysIn(folder)).includes(oldKey) : isDeepStrictEqual(state, after)
          assert.deepEqual(state, isDone ? after : before)
          if (end.isDone) assert.ok(isDone, 'done was said')
          counts[isDone ? 'after' : 'before'] += 1
          await repeat(verb, app, isDone)
          assert.deepEqual(await stateOf(app), after)
        }
        await checkFiles(folder)
        await checkNoLitter(folder)
        if (verb === 'rotation') assert.equal((await keysIn(folder)).length, 1)
      })
      console.log(`${verb}: ${points.length} points, ${counts.before} undone, ${counts.after} done`)
      assert.ok(counts.missed <= points.length / 20, `${counts.missed} of ${points.length} points missed`)
    })
  }

  test('leaves a first start that the next one finishes', { timeout: 240_000 }, async () => {
    const whole = join(root, slots[0] as string, 'data')
    await freshCopy(undefined, whole)
    const points = await recordCalls('first start', whole, cache)
    console.log(points.map((p) => `${p.thread} ${p.call} ${p.count} ${p.text}`).join('\n'))
    await eachPoint(points, async (point, folder) => {
      await freshCopy(undefined, folder)
      await killAt('first start', folder, cache, point)
      await ageDrafts(folder)
      for (const round of [1, 2]) {
        await using app = await openAgain(folder)
        const id = `cats${round}`
        await createTenant(app.control, { id, hostname: `${id}.test`, isEnabled: true, env: { A: 'b' } })
        await installTenant(app.control, id, account)
      }
      assert.deepEqual(Object.keys((await lookedAt(folder)).tenants), ['cats1', 'cats2'])
      await checkFiles(folder)
      await checkNoLitter(folder)
    })
    console.log(`first start: ${points.length} points`)
  })
})

async function prepared(verb: string, folder: string): Promise<State> {
  await using app = await openAgain(folder)
  await verbs[verb]?.prepare(app)
  return await stateOf(app)
}

async function lookedAt(folder: string): Promise<State> {
  await using app = await openAgain(folder)
  return await stateOf(app)
}

async function freshCopy(from: string | undefined, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  if (from !== undefined) await cp(from, to, { recursive: true })
}

/** Does it once more; a verb that was done before may say so. */
async function repeat(verb: string, app: App, isDone: boolean): Promise<void> {
  try {
    await verbs[verb]?.perform(app)
  } catch (error) {
    if (!isDone || !(error instanceof Refusal) || error.code !== matchingRefusals[verb]) throw error
  }
}

async function eachPoint(
  points: readonly CrashPoint[],
  check: (point: CrashPoint, folder: string) => Promise<void>,
): Promise<void> {
  const left = [...points]
  const work = async (slot: string) => {
    for (let point = left.shift(); point; point = left.shift()) {
      try {
        await check(point, join(root, slot, 'data'))
      } catch (error) {
        left.length = 0
        throw new Error(`Killed at ${point.text}`, { cause: error })
      }
    }
  }
  await Promise.all(slots.map(work))
}
