import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { type SharedBudget, shareBudget } from '../../../lib/processes/shared-budget.ts'
import { boundKeyOf } from '../../connection/reader-slots.ts'
import { tooManyUnauthenticatedBytes } from '../reading/form-errors.ts'
import type { CountBytes } from './spool.ts'

const budgets = new WeakMap<App, SharedBudget>()

/** One budget for all uploads of the server. */
export function shareUnauthenticatedBytes(app: App): void {
  const { unauthenticatedBytes: mostBytes, unauthenticatedBytesPerAddress: mostBytesPerKey } =
    app.config.connections
  budgets.set(app, shareBudget(app.processes, 'unauthenticated-bytes', { mostBytes, mostBytesPerKey }))
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
  const account = budgets.get(app)?.open(boundKeyOf(app.config, request.client.address))
  const orRefuse = (isTaken: boolean) => {
    if (!isTaken) throw tooManyUnauthenticatedBytes()
  }
  const close = () => account?.close()
  return {
    count: (bytes) => orRefuse(account?.take(bytes) ?? true),
    settle: (all) => account?.settle(all)?.then(orRefuse),
    close,
    [Symbol.dispose]: close,
  }
}
