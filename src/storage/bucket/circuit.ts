import { storageUnavailable } from '../errors.ts'
import type { Tuning } from './tuning.ts'

/**
 * A circuit breaker: after too many outages in a row, calls fail immediately, but for a probe now and then. All calls of a
 * moment may break at once, so outages count only if the first of those calls began some time ago.
 */
export interface Circuit {
  run<T>(call: () => Promise<T>): Promise<T>
}

type CircuitRules = Pick<Tuning, 'failuresMost' | 'failingMs' | 'restMs'> & {
  /** Whether an error means that the bucket is down, rather than that it refused. */
  isOutage: (error: unknown) => boolean
}

export function createCircuit({ failuresMost, failingMs, restMs, isOutage }: CircuitRules): Circuit {
  let failures = 0
  let failingSince = 0
  let nextProbeAt = 0
  let isOpen = false

  const close = () => {
    failures = 0
    isOpen = false
  }
  const countOutage = (beganAt: number) => {
    failingSince = failures === 0 ? beganAt : Math.min(failingSince, beganAt)
    failures += 1
    const now = performance.now()
    if (isOpen || failures < failuresMost || now - failingSince < failingMs) return
    isOpen = true
    nextProbeAt = now + restMs
  }

  return {
    async run(call) {
      if (isOpen) {
        if (performance.now() < nextProbeAt) {
          throw storageUnavailable(new Error('The bucket did not answer the calls before this one.'))
        }
        // The next probe does not wait for this one, which may never be answered though the bucket is back.
        nextProbeAt = performance.now() + restMs
      }
      const beganAt = performance.now()
      try {
        const result = await call()
        close()
        return result
      } catch (error) {
        if (isOutage(error)) countOutage(beganAt)
        else close()
        throw error
      }
    },
  }
}
