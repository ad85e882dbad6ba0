import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Driver, type DriverEnd, type Program, startDriver } from './driver-process.ts'
import { type CrashPoint, recordCalls, type Strike, strikeAt } from './strace.ts'

/** A verb that is done again and again, each time from the same start. */
export interface Sweep {
  verb: string
  program: Program
  /** The folder that is copied. */
  start: string
  /** Where the copies lie. */
  root: string
  /** A driver that outlives what befalls it goes on with the next point: most of the time is its start. */
  isLasting?: boolean
}

export interface Struck extends Strike, DriverEnd {
  folder: string
  /** Whether it befell the driver at all. */
  isStruck: boolean
}

/** Two at a time. Their names weigh the same, so that their files fall to the same threads. */
const slots = ['slot-a', 'slot-c'] as const

const folderOf = ({ root }: Sweep, slot: string) => join(root, slot, 'data')

/** Does the verb once, and answers with all that it did to the disk. */
export async function rehearse(sweep: Sweep): Promise<{ points: CrashPoint[]; folder: string }> {
  const folder = folderOf(sweep, slots[0])
  await using drivers = driversOf(sweep, folder)
  const driver = await drivers.next()
  await freshCopy(sweep.start, folder)
  return { points: await recordCalls(driver, { verb: sweep.verb, folder }), folder }
}

/** Does the verb from its start for each strike. */
export async function strikeAll(
  sweep: Sweep,
  strikes: readonly Strike[],
  check: (struck: Struck) => Promise<void>,
): Promise<void> {
  const left = [...strikes]
  const work = async (slot: string) => {
    const folder = folderOf(sweep, slot)
    await using drivers = driversOf(sweep, folder)
    for (let strike = left.shift(); strike; strike = left.shift()) {
      try {
        const end = await strikeAtLast(sweep, { drivers, folder, strike })
        await check({ ...strike, ...end, folder })
      } catch (error) {
        left.length = 0
        throw new Error(`${sweep.verb}, struck with ${strike.fate} at ${strike.point.text}`, { cause: error })
      }
    }
  }
  const ends = await Promise.allSettled(slots.map(work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** On a loaded machine threads share their work differently now and then, so that the call does not come. */
const mostTries = 3

async function strikeAtLast(
  { verb, start }: Sweep,
  { drivers, folder, strike }: { drivers: ReturnType<typeof driversOf>; folder: string; strike: Strike },
) {
  for (let tried = 1; ; tried += 1) {
    const driver = await drivers.next()
    await freshCopy(start, folder)
    const end = await strikeAt(driver, { verb, folder }, strike)
    if (end.isStruck || tried === mostTries) return end
  }
}

function driversOf({ verb, program, start, isLasting = false }: Sweep, folder: string) {
  let driver: Driver | undefined
  const endLast = async () => await driver?.[Symbol.asyncDispose]()
  return {
    async next(): Promise<Driver> {
      if (isLasting && driver?.isAlive) return driver
      await endLast()
      driver = startDriver(program)
      if (isLasting) await playUntraced(driver)
      return driver
    },
    [Symbol.asyncDispose]: endLast,
  }

  /** What is loaded and made at the first time only would be counted once and never again. */
  async function playUntraced(fresh: Driver): Promise<void> {
    await freshCopy(start, folder)
    await fresh.prepare({ verb, folder })
    await fresh.perform()
  }
}

export async function freshCopy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true })
}
