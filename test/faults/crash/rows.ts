import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { keysOf, type StoredFile } from '../../../src/media/files/stored-file.ts'

export interface Stored {
  /** How many rows there are. */
  rows: number
  /** Stored bytes that no row knows of. */
  orphans: string[]
}

/** Looks past the app, beside a server or without one. Each row is seen to have its bytes. */
export async function checkRows(dataDir: string): Promise<Stored> {
  const found: Stored = { rows: 0, orphans: [] }
  for (const site of await readdir(join(dataDir, 'sites'))) {
    const folder = join(dataDir, 'sites', site)
    const left = await storedIn(join(folder, 'files'))
    for (const file of filesIn(join(folder, 'site.db'))) {
      found.rows += 1
      const sizes = [file.sizeBytes, ...file.variants.map(({ sizeBytes }) => sizeBytes)]
      const stored = keysOf(file).map((key) => left.get(key) ?? 'missing')
      assert.deepEqual(stored, sizes, `file ${file.id} of site ${site}`)
      for (const key of keysOf(file)) left.delete(key)
    }
    found.orphans.push(...left.keys())
  }
  return found
}

function filesIn(path: string): StoredFile[] {
  const database = new Database(path, { fileMustExist: true })
  try {
    const rows = database.prepare('select * from "file"').all() as (StoredFile & { variants: string })[]
    return rows.map((row) => ({ ...row, ...JSON.parse(row.variants) }))
  } finally {
    database.close()
  }
}

/** Sizes by key. */
async function storedIn(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = paths.map(async (path) => [path.slice(folder.length + 1), (await stat(path)).size] as const)
  return new Map(await Promise.all(sizes))
}
