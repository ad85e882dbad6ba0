/**
 * The thread that writes to SQLite files, so that a commit that waits for the disk
 * keeps no request waiting that only reads.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts'
import { writeThroughGate } from './sqlite-gate.ts'
import type { ThreadAnswer, ThreadTask } from './sqlite-threads.ts'

interface Entry {
  connection: SqliteConnection
  /** Whether the name of its log survives a power cut. */
  isLogDurable: boolean
  lostBy: unknown
}

const entries = new Map<number, Entry>()

/** Short, because all files of this thread wait along; whoever asked asks again. */
const patienceMs = 20

function perform(task: ThreadTask): ThreadAnswer {
  try {
    return { id: task.id, result: performed(task) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    // What could only be opened for reading stays so, whatever becomes of the disk: the next one opens it anew.
    if (code?.startsWith('SQLITE_READONLY') && 'file' in task) close(task.file)
    return { id: task.id, fault: { message, code } }
  }
}

function performed(task: ThreadTask) {
  if (task.verb === 'make') return make(task.path)
  if (task.verb === 'save') return save(task.path, task.bytes)
  if (task.verb === 'place') return place(task.path, task.to)
  if (task.verb === 'close') return close(task.file)
  const entry = opened(task)
  if (task.verb === 'seal') return seal(task, entry)
  if (task.verb === 'migrate') {
    migrateSqlite(entry.connection, siteMigrations)
    return undefined
  }
  if (!task.isDraft) keepLog(task.path, entry)
  return writeThroughGate(entry.connection, task)
}

function close(file: number): undefined {
  entries.get(file)?.connection.close()
  entries.delete(file)
}

function seal({ path, file }: { path: string; file: number }, { connection }: Entry): undefined {
  // Closing does this too, but says nothing when the disk is full, and only the file itself is placed.
  connection.run('pragma wal_checkpoint(truncate)', [])
  close(file)
  sync(path)
  sync(dirname(path))
}

function make(path: string): undefined {
  mkdirSync(dirname(path), { mode: 0o750 })
  closeSync(openSync(path, 'wx', 0o640))
  sync(dirname(path))
}

function save(path: string, bytes: Uint8Array): undefined {
  writeFileSync(path, bytes, { flag: 'r+', flush: true })
}

/** Of a name that a power cut leaves in the drafts too, the sweep at start takes care. */
function place(draft: string, folder: string): undefined {
  try {
    renameSync(draft, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    // An unfinished install stands there. None of it counts, and its log must not be replayed into the new file.
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
  const connection = openSqlite(task.path, { isDraft: task.isDraft, patienceMs })
  const entry = { connection, isLogDurable: false, lostBy: undefined }
  entries.set(task.file, entry)
  return entry
}

/** SQLite does this too when it first writes, but goes on when it fails, and then a commit hangs on a name that may go. */
function keepLog(path: string, entry: Entry): void {
  if (entry.isLogDurable) return
  if (entry.lostBy) throw entry.lostBy
  try {
    sync(dirname(path))
    entry.isLogDurable = true
  } catch (error) {
    // The system tells of it once: a second fsync would succeed.
    if ((error as NodeJS.ErrnoException).code === 'EIO') entry.lostBy = error
    throw error
  }
}

parentPort?.on('message', (task: ThreadTask) => parentPort?.postMessage(perform(task)))
