import { join } from 'node:path'
import { Refusal } from '../../lib/refusal.ts'
import { openSqlite, type SqliteConnection } from './connection.ts'

/**
 * Locks a data folder for one server, or for the one process that does what the lock's name says; undefined if it is
 * locked. It is SQLite's lock on an empty file, so that the system releases it however the process ends.
 */
export function lockFolder(dataDir: string, name = 'server.lock'): Disposable | undefined {
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
  const locked = connection
  return { [Symbol.dispose]: () => locked.close() }
}

const cannotWrite = (dataDir: string, cause: unknown) =>
  new Refusal(
    'unavailable',
    'folder-unwritable',
    `The data folder ${dataDir} cannot be written. Is its disk full or mounted read-only, or does it belong to another account?`,
    { cause },
  )
