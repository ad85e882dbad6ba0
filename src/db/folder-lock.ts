import { join } from 'node:path'
import { Refusal } from '../lib/refusal.ts'
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts'

/**
 * Holds a data folder for one server, or for one of those who do what the name of the lock says. The lock is SQLite's own on an empty file,
 * so that the system lets go of it however the process ends.
 */
export function holdFolder(dataDir: string, name = 'server.lock'): Disposable | undefined {
  let connection: SqliteConnection | undefined
  try {
    connection = openSqlite(join(dataDir, name), { mayCreate: true, isLock: true })
    connection.script('begin exclusive')
  } catch (error) {
    connection?.close()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_BUSY') return undefined
    throw /^SQLITE_(CANTOPEN|READONLY|IOERR|FULL|PERM)/.test(code ?? '') ? cannotWrite(dataDir, error) : error
  }
  const held = connection
  return { [Symbol.dispose]: () => held.close() }
}

const cannotWrite = (dataDir: string, cause: unknown) =>
  new Refusal(
    'unavailable',
    'folder-unwritable',
    `Nothing can be written to the data folder ${dataDir}. Is its disk full, mounted for reading only, or another account's?`,
    { cause },
  )
