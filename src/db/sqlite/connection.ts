import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { LruMap } from '../../lib/lru.ts'

export interface SqliteResult {
  rows: unknown[]
  changes: number
}

/** One connection to one SQLite file, with a cache of prepared statements. */
export interface SqliteConnection {
  run(sql: string, parameters: readonly unknown[]): SqliteResult
  isInTransaction(): boolean
  /** Several statements without parameters. */
  script(sql: string): void
  /** The database as the bytes of a file. */
  serialize(): Uint8Array
  close(): void
}

export interface SqliteOptions {
  /** A reader's statements cannot write. */
  isReader?: boolean
  /** A draft is synced once at the end, so its commits need not be. */
  isDraft?: boolean
  /** Creates the file if it does not exist. */
  mayCreate?: boolean
  /** A file that serves only as a lock: if it is taken, opening fails immediately. */
  isLock?: boolean
  /** SQLite's busy time-out: how long a statement waits for another process that writes. */
  busyTimeoutMs?: number
}

const keptStatements = 100

export function openSqlite(path: string, options: SqliteOptions = {}): SqliteConnection {
  if (!options.isReader && path !== ':memory:') closeToOthers(path, options.mayCreate === true)
  const database = openedDatabase(path, options)
  try {
    // Small pages: most sites are small, and a new one has some forty nearly empty pages.
    if (options.mayCreate) database.pragma('page_size = 2048')
    database.pragma(`journal_mode = ${options.isLock ? 'DELETE' : 'WAL'}`)
    database.pragma(`synchronous = ${options.isDraft ? 'OFF' : 'FULL'}`)
    database.pragma('foreign_keys = ON')
    database.pragma('mmap_size = 0')
    database.pragma('trusted_schema = OFF')
    if (options.isReader) database.pragma('query_only = ON')
  } catch (error) {
    database.close()
    throw error
  }

  const statements = new LruMap<string, Database.Statement<unknown[], unknown>>(keptStatements)
  const prepared = (sql: string) => {
    let statement = statements.get(sql)
    if (!statement) {
      statement = database.prepare<unknown[], unknown>(sql)
      statements.set(sql, statement)
    }
    return statement
  }

  return {
    run(sql, parameters) {
      const statement = prepared(sql)
      if (statement.reader) {
        const rows = statement.all(...parameters)
        return { rows, changes: rows.length }
      }
      return { rows: [], changes: statement.run(...parameters).changes }
    },
    isInTransaction: () => database.inTransaction,
    script: (sql) => void database.exec(sql),
    serialize: () => database.serialize(),
    close: () => void database.close(),
  }
}

const ownerOnly = 0o600

/** SQLite gives a new file the rights that the umask leaves, and its log and index those of the file. */
function closeToOthers(path: string, mayCreate: boolean): void {
  try {
    if (mayCreate) closeSync(openSync(path, 'a', ownerOnly))
    for (const each of [path, `${path}-wal`, `${path}-shm`]) {
      const found = statSync(each, { throwIfNoEntry: false })
      if (found && (found.mode & 0o777) !== ownerOnly) chmodSync(each, ownerOnly)
    }
  } catch {
    // A missing folder, or a file of another account: opening it says so, or it is as open as its owner wants.
  }
}

function openedDatabase(path: string, options: SqliteOptions): Database.Database {
  try {
    return new Database(path, {
      fileMustExist: options.mayCreate !== true,
      timeout: options.isLock ? 0 : (options.busyTimeoutMs ?? 5_000),
    })
  } catch (error) {
    // The package reports a missing folder itself, without SQLite's code.
    throw error instanceof TypeError ? Object.assign(error, { code: 'SQLITE_CANTOPEN' }) : error
  }
}

/** SQLite up to 3.51.2 can lose data when two connections checkpoint at once. */
const oldestSqlite = [3, 51, 3]

export function checkSqliteVersion(): void {
  const memory = openSqlite(':memory:', { mayCreate: true })
  const [row] = memory.run('select sqlite_version() as version', []).rows as { version: string }[]
  memory.close()
  if (!isSafeSqlite(row?.version ?? '')) {
    throw new Error(`SQLite ${row?.version} can corrupt data; ${oldestSqlite.join('.')} or newer is needed.`)
  }
}

export function isSafeSqlite(version: string): boolean {
  const numbers = version.split('.').map(Number)
  for (const [index, oldest] of oldestSqlite.entries()) {
    const number = numbers[index] ?? 0
    if (number !== oldest) return number > oldest
  }
  return true
}
