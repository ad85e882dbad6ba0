import { Type } from 'typebox'
import type { Endpoint } from '../endpoint.ts'
import { storeUnavailableResponse } from '../openapi/described-refusal.ts'
import { orCannotRead } from '../responses/errors.ts'

const databaseCacheMs = 1_000
/** The check stores and reads bytes. */
const storageCacheMs = 4_000

const Status = Type.Object({ status: Type.String({ description: '`live` or `ready`' }) })

export const getLive: Endpoint = {
  tag: 'Health',
  summary: 'Check whether the process answers',
  access: 'open',
  responses: { 200: { description: 'It does.', schema: Status, example: { status: 'live' } } },
  handle: () => async () => ({ status: 'live' }),
}

export const getReady: Endpoint = {
  tag: 'Health',
  summary: 'Check whether the database and the storage answer',
  access: 'open',
  responses: {
    200: { description: 'They do.', schema: Status, example: { status: 'ready' } },
    503: { ...storeUnavailableResponse, description: 'One does not; send requests elsewhere.' },
  },
  // However often this is called, database and storage are checked once in this time.
  handle: (app) => {
    const checkDatabase = cacheFor(databaseCacheMs, () => orCannotRead(app.control.store.check()))
    const checkStorage = cacheFor(storageCacheMs, () => app.storage.check())
    return async () => {
      await checkDatabase()
      await checkStorage()
      return { status: 'ready' }
    }
  },
}

/** Caches the result of a function, or its error, for this long; concurrent callers share one call. */
function cacheFor<T>(keptMs: number, call: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  let settledAt: number | undefined
  return () => {
    if (result && (settledAt === undefined || performance.now() - settledAt < keptMs)) return result
    settledAt = undefined
    result = call()
    const setTime = () => {
      settledAt = performance.now()
    }
    result.then(setTime, setTime)
    return result
  }
}
