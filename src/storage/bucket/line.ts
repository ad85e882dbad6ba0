import { setTimeout as sleep } from 'node:timers/promises'
import { BucketFault } from './bucket.ts'
import { createCircuit } from './circuit.ts'
import type { Tuning } from './tuning.ts'

/** The line to a bucket: every call has an end, and a bucket that is down is not called by everybody. */
export interface Line {
  /** The moment at which patience for a piece of work ends. */
  until(extraMs?: number): number
  /** The same for work that nobody should wait for much longer. */
  untilAnswer(): number
  /** One call, which is given up after its time. */
  call<T>(limits: CallLimits, make: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Work that may be done twice, tried again while that can help. */
  persist<T>(until: number, work: () => Promise<T>): Promise<T>
  /** A call that may be made twice. */
  ask<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface CallLimits {
  until: number
  extraMs?: number
}

export function openLine(tuning: Tuning): Line {
  const circuit = createCircuit({ ...tuning, isOutage })

  const line: Line = {
    until: (extraMs = 0) => performance.now() + tuning.totalMs + extraMs,
    untilAnswer: () => performance.now() + tuning.answerMs,

    async call({ until, extraMs = 0 }, make) {
      const waitMs = Math.min(tuning.answerMs + extraMs, until - performance.now())
      if (waitMs <= 0) throw new BucketFault('call', 'OutOfTime')
      return circuit.run(async () => {
        const control = new AbortController()
        // Ended with the answer's first line: the body of an answer may take its time.
        const timer = setTimeout(() => control.abort(), waitMs)
        try {
          return await make(control.signal)
        } finally {
          clearTimeout(timer)
        }
      })
    },

    async persist(until, work) {
      for (let tries = 1; ; tries++) {
        try {
          return await work()
        } catch (error) {
          const pauseMs = tuning.pauseMs * 2 ** (tries - 1) * (0.5 + Math.random())
          if (tries === tuning.tries || !mayPass(error) || performance.now() + pauseMs > until) throw error
          await sleep(pauseMs)
        }
      }
    },

    ask(make) {
      const until = line.until()
      return line.persist(until, () => line.call({ until }, make))
    },
  }
  return line
}

/** No answer, or one that does not say whether the work was done. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof BucketFault)) return false
  const { status } = error
  return status === undefined || status === 429 || (status >= 500 && !plainNos.has(status))
}

/** Not implemented, and no space: the server is there and has decided. */
const plainNos = new Set([501, 507])

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof BucketFault && error.status === status
}

function mayPass(error: unknown): boolean {
  if (isOutage(error)) return true
  return error instanceof BucketFault && (hasStatus(error, 409) || passingCodes.has(error.code))
}

/** Bytes that were damaged or cut off on the way, and a clock that the library sets right for the next call. */
const passingCodes = new Set(
  'BadDigest IncompleteBody RequestTimeout RequestTimeTooSkewed XAmzContentSHA256Mismatch'.split(' '),
)
