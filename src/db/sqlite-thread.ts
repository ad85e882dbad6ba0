/**
 * The thread that writes to SQLite files, so that a commit that waits for the disk
 * keeps no request waiting that only reads.
 */
import { parentPort } from 'node:worker_threads'
import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts'
import type { ThreadAnswer, ThreadTask } from './sqlite-threads.ts'

const connections = new Map<string, SqliteConnection>()

/** Short, because all files of this thread wait along; whoever asked asks again. */
const patienceMs = 20

function perform(task: ThreadTask): ThreadAnswer {
  try {
    return { id: task.id, result: performed(task) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return { id: task.id, fault: { message, code } }
  }
}

function performed(task: ThreadTask) {
  if (task.verb === 'close') {
    connections.get(task.path)?.close()
    connections.delete(task.path)
    return undefined
  }
  const connection = opened(task)
  if (task.verb === 'migrate') {
    migrateSqlite(connection, siteMigrations)
    return undefined
  }
  return connection.run(task.sql, task.parameters)
}

function opened(task: { path: string; isDraft: boolean }): SqliteConnection {
  let connection = connections.get(task.path)
  if (!connection) {
    connection = openSqlite(task.path, { isDraft: task.isDraft, patienceMs })
    connections.set(task.path, connection)
  }
  return connection
}

parentPort?.on('message', (task: ThreadTask) => parentPort?.postMessage(perform(task)))
