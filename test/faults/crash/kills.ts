import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel } from '../../support/faults/in-parallel.ts'
import { type Driver, startDriver } from './driver-process.ts'
import { hasRunDuring, performInSteps, type Step } from './stops.ts'
import { thinned } from './strace.ts'
import { freshCopy, type Sweep } from './sweep.ts'

/** What a kill after one step of a driver's work leaves. */
export interface Left extends Step {
  folder: string
  /** Whether the work was acknowledged by then. */
  isDone: boolean
}

/**
 * Checks what a kill after every step of a verb leaves. A kill loses nothing that was written, so that a driver that is stopped
 * after a step has left what a kill would leave: it does the verb once, and its folder is copied at each stop. Two further
 * drivers are killed, to see that this is so.
 */
export async function killAtEveryStep(
  sweep: Sweep,
  check: (left: Left) => Promise<void>,
  /** The steps to look at. */
  chosen: (all: Left[]) => Left[] = thinned,
): Promise<{ steps: number }> {
  const root = await mkdtemp(join(sweep.root, 'kills-'))
  try {
    const all = await stopAtEveryStep(sweep, root)
    const left = chosen(all)
    const steps = left.length
    for (const other of all.filter((each) => !left.includes(each)))
      await rm(other.folder, { recursive: true })
    await checkAll(sweep, left, check)
    for (const part of [1 / 3, 2 / 3]) {
      const killed = await killAfter(
        sweep,
        await mkdtemp(join(root, 'killed-')),
        Math.ceil(part * all.length),
      )
      await checkAll(sweep, [killed], check)
    }
    return { steps }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Two at a time: the one computes while the other waits for the disk. */
const checkAll = ({ verb }: Sweep, all: readonly Left[], check: (left: Left) => Promise<void>) =>
  inParallel(all, 2, async (left) => {
    try {
      await check(left)
    } catch (error) {
      throw new Error(`${verb}, killed after ${left.text}`, { cause: error })
    }
    await rm(left.folder, { recursive: true })
  })

/** Each is copied: the longest verb makes 400. */
const mostSteps = 1_000

async function stopAtEveryStep(sweep: Sweep, root: string): Promise<Left[]> {
  const all: Left[] = []
  const folder = join(root, 'stopped')
  await using driver = await preparedDriver(sweep, folder)
  await performInSteps(driver, folder, async (step) => {
    assert.ok(all.length < mostSteps, `the verb has not ended after ${mostSteps} steps`)
    const copy = join(root, String(all.length))
    await copyStopped(driver, folder, copy)
    all.push(leftIn(copy, step))
    return 'go on'
  })
  assert.match(all.at(-1)?.output ?? '', /^over$/m, 'the verb was done to its end')
  return all
}

async function killAfter(sweep: Sweep, root: string, steps: number): Promise<Left> {
  const [folder, copy] = [join(root, 'data'), join(root, 'copy')]
  await using driver = await preparedDriver(sweep, folder)
  const made: Step[] = []
  await performInSteps(driver, folder, async (step) => {
    made.push(step)
    if (made.length < steps && !/^over$/m.test(step.output)) return 'go on'
    await copyStopped(driver, folder, copy)
    return 'kill'
  })
  const last = made.at(-1)
  assert.ok(last)
  assert.equal(driver.child.signalCode, 'SIGKILL', last.output)
  assert.deepEqual(await bytesIn(folder), await bytesIn(copy), 'a kill leaves what was copied')
  return leftIn(folder, last)
}

const leftIn = (folder: string, step: Step): Left => ({
  ...step,
  folder,
  isDone: /^done /m.test(step.output),
})

async function preparedDriver({ verb, program, start }: Sweep, folder: string): Promise<Driver> {
  await freshCopy(start, folder)
  const driver = startDriver(program)
  await driver.prepare({ verb, folder })
  return driver
}

/** A copy during which no thread has run. */
async function copyStopped({ child }: Driver, from: string, to: string): Promise<void> {
  const copy = () => cp(from, to, { recursive: true, preserveTimestamps: true })
  while (await hasRunDuring(child.pid, copy)) await rm(to, { recursive: true })
}

/** Without the spool: a decoder outlives the kill for a moment, and may write there. */
async function bytesIn(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !path.startsWith('/spool/'))
    .sort()
  const files = paths.map(async (path) => [path, await readFile(join(folder, path))] as const)
  return new Map(await Promise.all(files))
}
