import type { Compilable, CompiledQuery } from 'kysely'
import type { SiteDb } from './tables.ts'

const deferred = new WeakSet<CompiledQuery>()

/**
 * Runs a statement of a transaction whose result is not needed. On SQLite it goes to the writing thread with the next statement
 * of the transaction, or with the commit: a message takes longer than most statements. What fails, fails there.
 */
export async function executeLater(db: SiteDb, statement: Compilable): Promise<void> {
  await db.executeQuery(asDeferred(statement.compile()))
}

export function asDeferred(query: CompiledQuery): CompiledQuery {
  deferred.add(query)
  return query
}

export const isDeferred = (query: CompiledQuery): boolean => deferred.has(query)
