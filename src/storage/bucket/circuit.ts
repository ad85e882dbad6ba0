import { storageUnavailable } from '../errors.ts'
import type { Tuning } from './tuning.ts'

/** Passes calls on, unless the far end has been silent too often: then it is asked by one call now and then. */
export interface Circuit {
  run<T>(call: () => Promise<T>): Promise<T>
}

type CircuitRules = Pick<Tuning, 'failuresMost' | 'restMs'> & {
  /** Whether an error means that the far end is down, rather than that it said no. */
  isOutage: (error: unknown) => boolean
}

export function createCircuit({ failuresMost, restMs, isOutage }: CircuitRules): Circuit {
  let failures = 0
  let nextProbeAt = 0

  return {
    async run(call) {
      if (failures >= failuresMost) {
        if (performance.now() < nextProbeAt) {
          throw storageUnavailable(new Error('The bucket did not answer the calls before this one.'))
        }
        // The next one does not wait for this one's answer, which may never come though the bucket is back.
        nextProbeAt = performance.now() + restMs
      }
      try {
        const result = await call()
        failures = 0
        return result
      } catch (error) {
        failures = isOutage(error) ? failures + 1 : 0
        if (failures === failuresMost) nextProbeAt = performance.now() + restMs
        throw error
      }
    },
  }
}
