/** The worker thread that writes SQLite files, so that a commit that waits for the disk does not block the main thread. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { siteMigrations } from '../migrations/site.ts'
import { openSqlite, type SqliteConnection, type SqliteResult } from './connection.ts'
import type { Statement } from './group-commit.ts'
import { migrateSqlite } from './migrator.ts'
import type { ThreadAnswer, ThreadTask } from './threads.ts'
import { writeFenced } from './write-fence.ts'

interface Entry {
  connection: SqliteConnection
  /** Whether the directory entry of its write-ahead log is synced. */
  isLogDurable: boolean
  lostBy: unknown
}

const entries = new Map<number, Entry>()

/** Short, because it blocks all files of this thread; the caller retries. */
const busyTimeoutMs = 20

function perform(task: ThreadTask): ThreadAnswer {
  try {
    return { id: task.id, result: performed(task) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    // A connection that SQLite opened read-only stays so: close it, and the next task opens the file again.
    if (code?.startsWith('SQLITE_READONLY') && 'file' in task) close(task.file)
    return { id: task.id, fault: { message, code } }
  }
}

function performed(task: ThreadTask) {
  if (task.verb === 'make') return make(task.path)
  if (task.verb === 'save') return save(task.path, task.bytes)
  if (task.verb === 'publish') return publish(task.path, task.to)
  if (task.verb === 'close') return close(task.file)
  const entry = opened(task)
  if (task.verb === 'finalize') return finalize(task, entry)
  if (task.verb === 'migrate') {
    migrateSqlite(entry.connection, siteMigrations)
    return undefined
  }
  if (!task.isDraft) keepLog(task.path, entry)
  if (task.verb === 'group') return writeGroup(entry.connection, task.statements)
  return writeFenced(entry.connection, task)
}

function writeGroup(connection: SqliteConnection, statements: readonly Statement[]): SqliteResult {
  connection.run('begin immediate', [])
  try {
    const rows = statements.map(({ sql, parameters }) => connection.run(sql, parameters).changes)
    connection.run('commit', [])
    return { rows, changes: 0 }
  } catch (error) {
    if (connection.isInTransaction()) connection.run('rollback', [])
    throw error
  }
}

function close(file: number): undefined {
  entries.get(file)?.connection.close()
  entries.delete(file)
}

function finalize({ path, file }: { path: string; file: number }, { connection }: Entry): undefined {
  // Closing checkpoints too, but hides a full disk; and only the file itself is published, not its log.
  connection.run('pragma wal_checkpoint(truncate)', [])
  close(file)
  sync(path)
  sync(dirname(path))
}

function make(path: string): undefined {
  mkdirSync(dirname(path), { mode: 0o750 })
  closeSync(openSync(path, 'wx', 0o600))
  sync(dirname(path))
}

function save(path: string, bytes: Uint8Array): undefined {
  writeFileSync(path, bytes, { flag: 'r+', flush: true })
}

/** If a power cut leaves the draft's name as well, the sweep at the next start removes it. */
function publish(draft: string, folder: string): undefined {
  try {
    renameSync(draft, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    // An unfinished install is there. It is discarded, since its log must not be replayed into the new file.
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  }
  sync(dirname(folder))
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function opened(task: { path: string; file: number; isDraft: boolean }): Entry {
  const known = entries.get(task.file)
  if (known) return known
  const connection = openSqlite(task.path, { isDraft: task.isDraft, busyTimeoutMs })
  const entry = { connection, isLogDurable: false, lostBy: undefined }
  entries.set(task.file, entry)
  return entry
}

/** SQLite syncs the folder at its first write too, but ignores a failure; then a power cut could lose the log's name and its commits. */
function keepLog(path: string, entry: Entry): void {
  if (entry.isLogDurable) return
  if (entry.lostBy) throw entry.lostBy
  try {
    sync(dirname(path))
    entry.isLogDurable = true
  } catch (error) {
    // The system reports lost bytes once: a second fsync would succeed.
    if ((error as NodeJS.ErrnoException).code === 'EIO') entry.lostBy = error
    throw error
  }
}

parentPort?.on('message', (task: ThreadTask) => parentPort?.postMessage(perform(task)))
