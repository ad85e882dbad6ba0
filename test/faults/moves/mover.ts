import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestApp } from '../../support/harness.ts'
import { pathOfProgram } from '../../support/run/test-programs.ts'

export interface Moving {
  /** Of the tenant. */
  id: string
  /** At which step the process is killed; 0 at none. */
  killAt: number
}

export interface MoverEnd {
  isKilled: boolean
  /** How many there were; undefined if the process ended before it was done. */
  steps: number | undefined
  /** What it said when it failed. */
  err: string
}

/** A process that moves tenants one after the other, unless it is killed at it: a start takes as much CPU as a move. */
export interface Mover extends AsyncDisposable {
  move(moving: Moving): Promise<MoverEnd>
}

export function startMover({ environment }: TestApp): Mover {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [pathOfProgram('moving-driver.ts')], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: 'pipe',
  })
  const closed = once(child, 'close')
  const err = text(child.stderr)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async move(moving) {
      child.stdin.write(`${JSON.stringify(moving)}\n`)
      const answer = await answers.next()
      if (!answer.done) return { isKilled: false, err: '', ...JSON.parse(answer.value) }
      await closed
      return { isKilled: child.signalCode === 'SIGKILL', steps: undefined, err: await err }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}
