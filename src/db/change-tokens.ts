import { changeTokenOf, shareFile } from './sqlite/file.ts'

/** Notices on PostgreSQL whether rows of one site have changed. */
export interface ChangeWatch {
  /** As of the last answer: the rows may have changed since. Undefined until there is one. */
  lastToken(): object | undefined
  /** Whether nothing has been committed since the token was read. Asks the database after the call. */
  isCurrent(token: object): Promise<boolean>
}

const watches = new WeakMap<object, ChangeWatch>()

export const watchChanges = (db: object, watch: ChangeWatch): void => void watches.set(db, watch)

/** Another Kysely of the same rows notices the same changes. */
export function shareRows(from: object, to: object): void {
  shareFile(from, to)
  const watch = watches.get(from)
  if (watch) watches.set(to, watch)
}

/**
 * An object that stands for the rows of a site as they are, or were at some moment before. Rows that are read after this call may be cached with
 * it, and used while `confirmToken` agrees.
 */
export const lastTokenOf = (db: object): object | undefined =>
  changeTokenOf(db) ?? watches.get(db)?.lastToken()

/** Whether rows that were cached with the token are current; undefined if they are, and nobody needs to wait (SQLite). */
export const confirmToken = (db: object, token: object): Promise<boolean> | undefined =>
  watches.get(db)?.isCurrent(token)
