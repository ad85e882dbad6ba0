import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { App } from '../../src/app.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { ageDrafts, checkFiles, checkNoLitter, keysIn, openAgain, type State, stateOf } from './look.ts'
import { type CrashPoint, type DriverEnd, recordCalls, strikeAt } from './strace.ts'
import { verbs } from './verbs.ts'

/** A verb done once from a prepared folder, with all that it did to the disk. */
export interface Rehearsal {
  verb: string
  points: CrashPoint[]
  before: State
  after: State
  start: string
}

/** Where verbs are rehearsed and struck. */
export interface Stage extends AsyncDisposable {
  rehearse(verb: string): Promise<Rehearsal>
  /** Does the verb from its start again and again; at each point once something befalls it. */
  strikeAll(
    rehearsal: Rehearsal,
    fateOf: (point: CrashPoint) => string,
    check: (folder: string, end: DriverEnd) => Promise<void>,
  ): Promise<void>
}

/** Two at a time. Their names weigh the same, so that their files fall to the same threads. */
const slots = ['slot-a', 'slot-c']

export async function openStage(): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'terrace-crash-'))
  const cache = join(root, 'cache')
  const folderOf = (slot: string) => join(root, slot, 'data')
  return {
    async rehearse(verb) {
      const start = join(root, `${verb}-start`)
      await mkdir(start)
      const before = verb === 'first start' ? { tenants: {}, plans: {} } : await prepared(verb, start)
      const folder = folderOf('slot-a')
      await freshCopy(start, folder)
      const points = await recordCalls({ verb, folder, cache })
      return { verb, points, before, after: await lookedAt(folder), start }
    },
    async strikeAll({ verb, points, start }, fateOf, check) {
      const left = [...points]
      const work = async (folder: string) => {
        for (let point = left.shift(); point; point = left.shift()) {
          try {
            await freshCopy(start, folder)
            await check(folder, await strikeAt(point, fateOf(point), { verb, folder, cache }))
          } catch (error) {
            left.length = 0
            throw new Error(`Struck with ${fateOf(point)} at ${point.text}`, { cause: error })
          }
        }
      }
      const ends = await Promise.allSettled(slots.map(folderOf).map(work))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

async function prepared(verb: string, folder: string): Promise<State> {
  await using app = await openAgain(folder)
  await verbs[verb]?.prepare(app)
  return await stateOf(app)
}

async function lookedAt(folder: string): Promise<State> {
  await using app = await openAgain(folder)
  return await stateOf(app)
}

async function freshCopy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true })
}

/** The verb is done or undone, done when that was said, and can be repeated; then nothing lies about. */
export async function checkOutcome(
  rehearsal: Rehearsal,
  folder: string,
  end: DriverEnd,
): Promise<'done' | 'undone'> {
  const { verb, before, after, start } = rehearsal
  await ageDrafts(folder)
  await checkFiles(folder)
  const isDone = await lookAndRepeat()
  await checkFiles(folder)
  await checkNoLitter(folder)
  return isDone ? 'done' : 'undone'

  async function lookAndRepeat(): Promise<boolean> {
    await using app = await openAgain(folder)
    const state = await stateOf(app)
    const isDone = verb === 'rotation' ? await isRotated(start, folder) : isDeepStrictEqual(state, after)
    assert.deepEqual(state, isDone ? after : before)
    if (end.isDone) assert.ok(isDone, 'done was said')
    await repeat(verb, app, isDone)
    assert.deepEqual(await stateOf(app), after)
    if (verb === 'rotation') assert.ok(await isRotated(start, folder))
    return isDone
  }
}

/** What nobody can read any more is gone from the file. */
async function isRotated(start: string, folder: string): Promise<boolean> {
  const [oldKey = ''] = await keysIn(start)
  return !(await keysIn(folder)).includes(oldKey)
}

/** What a repeated verb may be told when it was done before. */
const matchingRefusals: Readonly<Record<string, string>> = {
  create: 'tenant-exists',
  install: 'already-installed',
  delete: 'tenant-not-found',
  'delete with tables': 'tenant-not-found',
  'plan delete': 'plan-not-found',
}

async function repeat(verb: string, app: App, isDone: boolean): Promise<void> {
  try {
    await verbs[verb]?.perform(app)
  } catch (error) {
    if (!isDone || !(error instanceof Refusal) || error.code !== matchingRefusals[verb]) throw error
  }
}
