import { setTimeout } from 'node:timers/promises'
import { grant, hold } from '../../lib/processes/hold.ts'
import type { Processes } from '../../lib/processes/processes.ts'

/** Lets the processes of a server write an SQLite file one after the other, in the order in which they asked. */
export interface WriteTurns {
  /** The result ends the turn. */
  take(path: string): Promise<() => void>
}

/**
 * SQLite's own lock keeps two processes from writing at once, but grants no order: a process that asks again and again would
 * win against one that waits. So the first process keeps the order. Undefined for a server of one process.
 */
export function openWriteTurns(processes: Processes): WriteTurns | undefined {
  if (processes.count === 1) return undefined
  const { first } = processes
  if (first) return { take: (path) => takeTurnOf(first, path) }
  const turns = new Turns()
  processes.answer('write-file', async (path: string, call) =>
    grant(call, { release: await turns.take(path) }),
  )
  return turns
}

/** Without the first process, SQLite's own lock remains. */
async function takeTurnOf(first: NonNullable<Processes['first']>, path: string): Promise<() => void> {
  const turn = await hold(first, 'write-file', { input: path }).catch(() => undefined)
  return () => turn?.release()
}

/** A process that is stopped by a signal or a debugger must not stop the others: SQLite refuses them in time. */
const longestWaitMs = 5_000

class Turns implements WriteTurns {
  /** The last turn of each file, resolved at its end. */
  readonly #last = new Map<string, Promise<void>>()

  async take(path: string): Promise<() => void> {
    const before = this.#last.get(path)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(path, promise)
    if (before) await orTooLong(before)
    return () => {
      resolve()
      if (this.#last.get(path) === promise) this.#last.delete(path)
    }
  }
}

async function orTooLong(turn: Promise<void>): Promise<void> {
  const ended = new AbortController()
  const tooLong = setTimeout(longestWaitMs, undefined, { signal: ended.signal, ref: false }).catch(
    () => undefined,
  )
  await Promise.race([turn, tooLong])
  ended.abort()
}
