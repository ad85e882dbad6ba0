import { join } from 'node:path'
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts'

/**
 * Holds a data folder for one server. The lock is SQLite's own on an empty file,
 * so that the system lets go of it however the process ends.
 */
export function holdFolder(dataDir: string): Disposable | undefined {
  let connection: SqliteConnection | undefined
  try {
    connection = openSqlite(join(dataDir, 'server.lock'), { mayCreate: true, isLock: true })
    connection.script('begin exclusive')
  } catch (error) {
    connection?.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
  const held = connection
  return { [Symbol.dispose]: () => held.close() }
}
