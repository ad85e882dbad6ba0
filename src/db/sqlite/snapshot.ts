import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { Kysely, SelectQueryNode, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { storeFault } from '../faults.ts'
import type { OpenedSite } from '../store.ts'
import type { SiteTables } from '../tables.ts'
import { openSqlite, type SqliteConnection } from './connection.ts'
import { FileQueryCompiler, SqliteFile } from './file.ts'
import type { SqliteThreads } from './threads.ts'

/** A connection of its own in a read transaction, which does not see later commits. */
export async function openSqliteSnapshot(path: string, threads: SqliteThreads): Promise<OpenedSite> {
  try {
    await migrate(path, threads)
    const connection = openSqlite(path, { isReader: true })
    try {
      connection.script('begin')
      // The snapshot is taken by the first read.
      connection.run('select 1 from sqlite_schema limit 1', [])
    } catch (error) {
      connection.close()
      throw error
    }
    return { db: kyselyOfConnection(connection), close: async () => connection.close() }
  } catch (error) {
    throw storeFault(error)
  }
}

async function migrate(path: string, threads: SqliteThreads): Promise<void> {
  const file = new SqliteFile(path, threads)
  try {
    await file.migrate()
  } finally {
    await file.close()
  }
}

function kyselyOfConnection(connection: SqliteConnection): Kysely<SiteTables> {
  return new Kysely<SiteTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SnapshotDriver(connection),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new FileQueryCompiler(),
    },
  })
}

/** Every query runs in the one read transaction, so that `beginTransaction` and its end do nothing. */
class SnapshotDriver implements Driver {
  readonly #session: SnapshotSession

  constructor(connection: SqliteConnection) {
    this.#session = new SnapshotSession(connection)
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}

  async acquireConnection(): Promise<SnapshotSession> {
    return this.#session
  }
}

class SnapshotSession implements DatabaseConnection {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    if (!SelectQueryNode.is(query)) throw new Error('A snapshot is read-only.')
    try {
      return { rows: this.#connection.run(sql, parameters).rows as R[] }
    } catch (error) {
      throw storeFault(error)
    }
  }

  // biome-ignore lint/correctness/useYield: callers page through rows instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: page through the rows.')
  }
}
