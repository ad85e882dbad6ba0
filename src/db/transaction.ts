import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isConnectionLost, isSerializationFault, isTrouble } from './faults.ts'

const mostTries = 4

/**
 * Runs the work in one transaction; inside another transaction it joins that one.
 * If the commit's answer is lost, `wasDone` looks up whether it was committed, in a transaction that first waits for the
 * locks of the lost one.
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
        lastSteps.set(transaction, [])
        const result = await work(transaction)
        for (const step of lastSteps.get(transaction) ?? []) await step()
        worked = { result }
        return result
      })
    } catch (error) {
      if (worked && wasDone && isConnectionLost(error) && (await wasCommitted(db, wasDone)))
        return worked.result
      if (tried === mostTries || !isSerializationFault(error)) throw error
    }
  }
}

const lastSteps = new WeakMap<object, (() => Promise<void>)[]>()

/**
 * Runs a step right before the transaction commits, after all other work in it. What the step locks is locked last by every
 * transaction and held the shortest: it can be part of no deadlock. In a transaction that `inTransaction` has not opened,
 * such as that of a draft, it runs at once.
 */
export async function beforeCommit<Tables>(
  transaction: Kysely<Tables>,
  step: () => Promise<void>,
): Promise<void> {
  const steps = lastSteps.get(transaction)
  if (steps) steps.push(step)
  else await step()
}

/** A database restart takes less than this, and clients wait longer. */
const lookUpWithinMs = 10_000
const pauseMs = 100

/** False also if the database did not come back in time. */
async function wasCommitted<Tables>(
  db: Kysely<Tables>,
  wasDone: (transaction: Transaction<Tables>) => Promise<boolean>,
): Promise<boolean> {
  for (const until = performance.now() + lookUpWithinMs; performance.now() < until; await sleep(pauseMs)) {
    try {
      return await db.transaction().execute(wasDone)
    } catch (error) {
      if (!isTrouble(error)) throw error
    }
  }
  return false
}
