import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isConnectionLost, isSerializationFault, isTrouble } from './faults.ts'

const mostTries = 4

/**
 * All or nothing. Inside another transaction it becomes a part of that one.
 * When the answer to a commit is lost, nobody knows whether it was done: `wasDone` finds out, in a transaction of its
 * own that first waits for what the lost one has locked.
 */
export async function inTransaction<Tables, T>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
  wasDone?: (transaction: Transaction<Tables>) => Promise<boolean>,
): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  for (let tried = 1; ; tried += 1) {
    let worked: { result: T } | undefined
    try {
      return await db.transaction().execute(async (transaction) => {
        const result = await work(transaction)
        worked = { result }
        return result
      })
    } catch (error) {
      if (worked && wasDone && isConnectionLost(error) && (await settle(db, wasDone))) return worked.result
      if (tried === mostTries || !isSerializationFault(error)) throw error
    }
  }
}

/** A database that was started again is back within this time; whoever asked is still there. */
const settleWithinMs = 10_000
const pauseMs = 100

/** What became of a commit; `false` also when nobody could tell in time. */
async function settle<Tables>(
  db: Kysely<Tables>,
  wasDone: (transaction: Transaction<Tables>) => Promise<boolean>,
): Promise<boolean> {
  for (const until = performance.now() + settleWithinMs; performance.now() < until; await sleep(pauseMs)) {
    try {
      return await db.transaction().execute(wasDone)
    } catch (error) {
      if (!isTrouble(error)) throw error
    }
  }
  return false
}
