import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { App } from '../../../src/app.ts'
import { Refusal } from '../../../src/lib/refusal.ts'
import { ageDrafts, changeTokenOf, checkFiles, checkNoLitter, keysIn, openAgain, type State } from './look.ts'
import type { CrashPoint } from './strace.ts'
import { rehearse, type Struck, type Sweep, strikeAll } from './sweep.ts'
import { verbs } from './verbs.ts'

/** A verb done once from a prepared folder, with all that it did to the disk. */
export interface Rehearsal extends Sweep {
  points: CrashPoint[]
  before: State
  after: State
}

/** Where verbs are rehearsed and struck. */
export interface Stage extends AsyncDisposable {
  rehearse(verb: string, wishes?: Pick<Sweep, 'isLasting'>): Promise<Rehearsal>
}

export async function openStage(): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'terrace-crash-'))
  return {
    async rehearse(verb, wishes) {
      const start = join(root, `${verb}-start`)
      await mkdir(start)
      const before = verb === 'first start' ? { tenants: {}, plans: {} } : await prepared(verb, start)
      const sweep = { verb, program: {}, start, root, ...wishes }
      const { points, folder } = await rehearse(sweep)
      return { ...sweep, points, before, after: await lookedAt(folder) }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** Does a verb from its start again and again; at each point once something befalls it. */
export function strikeEach(
  rehearsal: Rehearsal,
  fateOf: (point: CrashPoint) => string,
  check: (struck: Struck) => Promise<void>,
): Promise<void> {
  const strikes = rehearsal.points.map((point) => ({ point, fate: fateOf(point) }))
  return strikeAll(rehearsal, strikes, check)
}

async function prepared(verb: string, folder: string): Promise<State> {
  await using app = await openAgain(folder)
  await verbs[verb]?.prepare(app)
  return await changeTokenOf(app)
}

async function lookedAt(folder: string): Promise<State> {
  await using app = await openAgain(folder)
  return await changeTokenOf(app)
}

/** The verb is done or undone, done when that was said, and can be repeated; then nothing lies about. */
export async function checkOutcome(
  rehearsal: Rehearsal,
  { folder, isDone: isSaidDone }: Pick<Struck, 'folder' | 'isDone'>,
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
    const state = await changeTokenOf(app)
    const isDone = verb === 'rotation' ? await isRotated(start, folder) : isDeepStrictEqual(state, after)
    assert.deepEqual(state, isDone ? after : before)
    if (isSaidDone) assert.ok(isDone, 'done was said')
    await repeat(verb, app, isDone)
    assert.deepEqual(await changeTokenOf(app), after)
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
