import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { shareRows } from './change-tokens.ts'
import { isConnectionLost, isStoreUnavailable, retryInterfered } from './faults.ts'
import type { SiteDb } from './tables.ts'

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
  return retryInterfered(async () => {
    let worked: Worked<T> | undefined
    try {
      const done = await db.transaction().execute(async (transaction) => {
        lastSteps.set(transaction, [])
        origins.set(transaction, originOf(db))
        const check = watches.get(db)?.check
        if (check) unchecked.set(transaction, check)
        const result = await work(transaction)
        await watches.get(db)?.beforeCommit?.(transaction)
        await unchecked.get(transaction)?.(transaction)
        for (const step of lastSteps.get(transaction) ?? []) await step()
        worked = { result, transaction }
        return worked
      })
      return committed(db, done)
    } catch (error) {
      if (worked && wasDone && isConnectionLost(error) && (await wasCommitted(db, wasDone)))
        return committed(db, worked)
      throw error
    }
  })
}

interface Worked<T> {
  result: T
  transaction: object
}

function committed<T>(db: object, { result, transaction }: Worked<T>): T {
  if (syncRequests.has(transaction)) watches.get(db)?.onSyncRequested()
  for (const step of committedSteps.get(transaction) ?? []) step()
  return result
}

/** What is done with each transaction of a database. */
interface Watch<Db> {
  /**
   * Before the commit, after all waits for locks. A transaction whose own work would make the check fail, such as a
   * log-out, checks first and says so by `markChecked`.
   */
  check: ((transaction: Db) => Promise<void>) | undefined
  /** After its own work, before the check and the last steps: for what follows from the work as a whole. */
  beforeCommit?: ((transaction: Db) => Promise<void>) | undefined
  /** After the commit, if `requestSync` was called for it. */
  onSyncRequested: () => void
}

const watches = new WeakMap<object, Watch<object>>()
const unchecked = new WeakMap<object, (transaction: object) => Promise<void>>()
const syncRequests = new WeakSet<object>()

/** The same database, whose transactions are watched. */
export function watchedDb(db: SiteDb, watch: Watch<SiteDb>): SiteDb {
  const watched = db.withTables<Record<never, never>>()
  shareRows(db, watched)
  origins.set(watched, originOf(db))
  watches.set(watched, watch as Watch<object>)
  return watched
}

/**
 * Called where rows change from which the stats of a site are counted, or from which it follows that a job is due earlier:
 * once they are committed, the site's control row is written anew.
 */
export function requestSync<Tables>(db: Kysely<Tables>): void {
  if (db.isTransaction) syncRequests.add(db)
  else watches.get(db)?.onSyncRequested()
}

/** The transaction needs no check before it commits: it was made already. */
export const markChecked = (transaction: object): void => void unchecked.delete(transaction)

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

const committedSteps = new WeakMap<object, (() => void)[]>()

/** Runs a step once the transaction is committed; at once outside of one. */
export function afterCommit<Tables>(db: Kysely<Tables>, step: () => void): void {
  const steps = committedSteps.get(db)
  if (!db.isTransaction) step()
  else if (steps) steps.push(step)
  else committedSteps.set(db, [step])
}

const origins = new WeakMap<object, object>()

/** The opened database that a transaction or a watched database is of. */
export const originOf = (db: object): object => origins.get(db) ?? db

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
      if (!isStoreUnavailable(error)) throw error
    }
  }
  return false
}
