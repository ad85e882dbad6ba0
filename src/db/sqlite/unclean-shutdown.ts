import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The sites that a killed process had open. SQLite deletes a file's write-ahead log when the last connection closes it, so
 * that a log which exists before any site is opened was left by a kill.
 */
export async function uncleanlyClosedSites(dataDir: string): Promise<number[]> {
  const sites = join(dataDir, 'sites')
  const names = await readdir(sites).catch(() => [])
  return names
    .filter((name) => /^[1-9]\d*(?:-\d+)?$/.test(name) && existsSync(join(sites, name, 'site.db-wal')))
    .map((name) => Number.parseInt(name, 10))
}
