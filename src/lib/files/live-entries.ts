import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { hasClockJumped } from '../clock.ts'

/** Temporary files and folders that this process is using. */
const alive = new Set<string>()
let timer: NodeJS.Timeout | undefined

const beatMs = 60_000

/** Ten missed heartbeats: the process that made the entry has ended, or was stopped for so long that its work is abandoned. */
export const silentMs = 10 * beatMs

/**
 * Protects a temporary file or folder from the sweeps of all processes until it is disposed: its modification time is set
 * every minute, because nothing else changes it while a long file is sent.
 */
export function keepAlive(path: string): Disposable {
  alive.add(path)
  timer ??= setInterval(beat, beatMs).unref()
  return { [Symbol.dispose]: () => void alive.delete(path) }
}

export const isAlive = (path: string): boolean => alive.has(path)

function beat(): void {
  const now = new Date()
  // Fails for an entry that is not created yet, or removed already.
  for (const path of alive) utimes(path, now, now).catch(() => undefined)
  if (alive.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/**
 * Removes abandoned entries from a folder of temporary files; returns how many. Other processes set the time of entries in
 * use every minute (`keepAlive`); entries in use by this process are known.
 */
export async function removeOldEntries(
  folder: string,
  { olderThanMs }: { olderThanMs: number },
): Promise<number> {
  let count = 0
  // All entries would look old until the next heartbeat.
  if (olderThanMs > 0 && hasClockJumped()) return count
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (isAlive(path)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs < olderThanMs) continue
    await rm(path, { recursive: true, force: true })
    count += 1
  }
  return count
}
