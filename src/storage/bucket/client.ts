import { setTimeout as sleep } from 'node:timers/promises'
import { BucketFault } from './bucket.ts'
import { createCircuit } from './circuit.ts'
import type { Tuning } from './tuning.ts'

/** Calls a bucket with time-outs, retries and a circuit breaker. */
export interface BucketClient {
  /** The deadline of work that begins now, by `performance.now()`. */
  deadline(extraMs?: number): number
  /** The shorter deadline of a clean-up after a failure. */
  cleanupDeadline(): number
  /** One call with a time-out. */
  call<T>(limits: CallLimits, make: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Retries work that may be done twice, if the error may pass. */
  retry<T>(deadline: number, work: () => Promise<T>): Promise<T>
  /** A call that may be made twice, with retries. */
  request<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface CallLimits {
  deadline: number
  extraMs?: number
}

export function createBucketClient(tuning: Tuning): BucketClient {
  const circuit = createCircuit({ ...tuning, isOutage })

  const client: BucketClient = {
    deadline: (extraMs = 0) => performance.now() + tuning.totalMs + extraMs,
    cleanupDeadline: () => performance.now() + tuning.answerMs,

    async call({ deadline, extraMs = 0 }, make) {
      const waitMs = Math.min(tuning.answerMs + extraMs, deadline - performance.now())
      if (waitMs <= 0) throw new BucketFault('call', 'OutOfTime')
      return circuit.run(async () => {
        const control = new AbortController()
        // Cleared when the response begins: its body may take longer.
        const timer = setTimeout(() => control.abort(), waitMs)
        try {
          return await make(control.signal)
        } finally {
          clearTimeout(timer)
        }
      })
    },

    async retry(deadline, work) {
      for (let tries = 1; ; tries++) {
        try {
          return await work()
        } catch (error) {
          const pauseMs = tuning.pauseMs * 2 ** (tries - 1) * (0.5 + Math.random())
          if (tries === tuning.tries || !mayPass(error) || performance.now() + pauseMs > deadline) throw error
          await sleep(pauseMs)
        }
      }
    },

    request(make) {
      const deadline = client.deadline()
      return client.retry(deadline, () => client.call({ deadline }, make))
    },
  }
  return client
}

/** No response, or one that does not say whether the call succeeded. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof BucketFault)) return false
  const { status } = error
  return status === undefined || status === 429 || (status >= 500 && !refusals.has(status))
}

/** Not implemented, and no space: the server is up and has refused. */
const refusals = new Set([501, 507])

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof BucketFault && error.status === status
}

function mayPass(error: unknown): boolean {
  if (isOutage(error)) return true
  return error instanceof BucketFault && (hasStatus(error, 409) || passingCodes.has(error.code))
}

/** Bytes that were damaged or cut off in transfer, and a clock offset that the library corrects for the next call. */
const passingCodes = new Set(
  'BadDigest IncompleteBody RequestTimeout RequestTimeTooSkewed XAmzContentSHA256Mismatch'.split(' '),
)
