import type { Kysely, Transaction } from 'kysely'
import { isSerializationFault } from './faults.ts'

const mostTries = 4

/** All or nothing. Inside another transaction it becomes a part of that one. */
export async function inTransaction<Tables, T>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  for (let tried = 1; ; tried += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (tried === mostTries || !isSerializationFault(error)) throw error
    }
  }
}
