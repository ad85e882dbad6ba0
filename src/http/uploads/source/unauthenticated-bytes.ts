import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { Budget } from '../../../lib/concurrency/budget.ts'
import { boundKeyOf } from '../../connection/reader-slots.ts'
import { tooManyUnauthenticatedBytes } from '../reading/form-errors.ts'
import type { CountBytes } from './spool.ts'

const budgets = new WeakMap<App, Budget>()

/** One budget for all uploads of this process, which has an equal share of the server's. */
export function unauthenticatedBytesOf(app: App): Budget {
  const { unauthenticatedBytes, unauthenticatedBytesPerAddress: mostBytesPerKey } = app.config.connections
  const mostBytes = Math.floor(unauthenticatedBytes / app.processes.count)
  const budget = budgets.get(app) ?? new Budget({ mostBytes, mostBytesPerKey })
  budgets.set(app, budget)
  return budget
}

interface UnauthenticatedBytes extends Disposable {
  count: CountBytes
  /** Stops counting: the caller is authenticated, or its bytes are removed. */
  close(): void
}

/** Counts the bytes of an upload until its key is verified, and refuses bytes over the budget. */
export function openUnauthenticatedBytes(app: App, request: FastifyRequest): UnauthenticatedBytes {
  const account = unauthenticatedBytesOf(app).open(boundKeyOf(app.config, request.client.address))
  return {
    count(bytes) {
      if (!account.take(bytes)) throw tooManyUnauthenticatedBytes()
    },
    close: account.close,
    [Symbol.dispose]: account.close,
  }
}
