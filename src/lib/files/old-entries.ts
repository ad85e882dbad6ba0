import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasClockJumped } from '../clock.ts'
import { isAlive } from './live-entries.ts'

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
