import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { type SharedBudget, shareBudget } from '../../../lib/processes/shared-budget.ts'
import { boundKeyOf } from '../../connection/reader-slots.ts'
import { tooManyUnauthenticatedBytes } from '../reading/form-errors.ts'
import type { CountBytes } from './spool.ts'

const budgets = new WeakMap<App, SharedBudget>()

/** One budget for all uploads of the server. */
export function shareUnauthenticatedBytes(app: App): SharedBudget {
  const { unauthenticatedBytes: mostBytes, unauthenticatedBytesPerAddress: mostBytesPerKey } =
    app.config.connections
  const budget = shareBudget(app.processes, 'unauthenticated-bytes', { mostBytes, mostBytesPerKey })
  budgets.set(app, budget)
  return budget
}

interface UnauthenticatedBytes extends Disposable {
  count: CountBytes
  /** Must be awaited before more is read, and at the end with `all`. */
  settle(all?: 'all'): Promise<void> | undefined
  /** Stops counting: the caller is authenticated, or its bytes are removed. */
  close(): void
}

/** Counts the bytes of an upload until its key is verified, and refuses bytes over the budget. */
export function openUnauthenticatedBytes(app: App, request: FastifyRequest): UnauthenticatedBytes {
  const budget = budgets.get(app) ?? shareUnauthenticatedBytes(app)
  const account = budget.open(boundKeyOf(app.config, request.client.address))
  const orRefuse = (isTaken: boolean) => {
    if (!isTaken) throw tooManyUnauthenticatedBytes()
  }
  const close = () => account.close()
  return {
    count: (bytes) => orRefuse(account.take(bytes)),
    settle: (all) => account.settle(all)?.then(orRefuse),
    close,
    [Symbol.dispose]: close,
  }
}
