import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The sites whose SQLite log is still there. Whoever closes a file takes its log away, so that before the first
 * one is opened these are the sites that a killed process was at.
 */
export async function sitesWithLog(dataDir: string): Promise<number[]> {
  const sites = join(dataDir, 'sites')
  const names = await readdir(sites).catch(() => [])
  return names
    .filter((name) => /^[1-9]\d*(?:-\d+)?$/.test(name) && existsSync(join(sites, name, 'site.db-wal')))
    .map((name) => Number.parseInt(name, 10))
}
