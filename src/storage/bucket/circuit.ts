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
  let restsUntil = 0
  let isProbing = false

  return {
    async run(call) {
      const isProbe = failures >= failuresMost
      if (isProbe && (isProbing || performance.now() < restsUntil)) {
        throw storageUnavailable(new Error('The bucket did not answer the calls before this one.'))
      }
      if (isProbe) isProbing = true
      try {
        const result = await call()
        failures = 0
        return result
      } catch (error) {
        failures = isOutage(error) ? failures + 1 : 0
        restsUntil = performance.now() + restMs
        throw error
      } finally {
        if (isProbe) isProbing = false
      }
    },
  }
}
