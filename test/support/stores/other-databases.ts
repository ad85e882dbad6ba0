import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { siteTableNames } from '../../../src/db/tables.ts'
import { dropDatabase, freshDatabaseUrl } from './postgres.ts'

export interface OtherDatabase extends AsyncDisposable {
  url: string
  ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
  /** How many rows of sites are in it. */
  rowCount(): Promise<number>
}

/** A database beside the installation's own. */
export async function otherDatabase(): Promise<OtherDatabase> {
  const url = await freshDatabaseUrl()
  async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
  return {
    url,
    ask,
    async rowCount() {
      const counts = siteTableNames.map((name) => `(select count(*)::int from "${name}")`)
      const [row] = await ask<{ count: number }>(`select ${counts.join(' + ')} as count`)
      return row?.count ?? 0
    },
    [Symbol.asyncDispose]: () => dropDatabase(url),
  }
}

/** Every file of sites under a data folder, without SQLite's logs. */
export async function siteFilesIn(dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const top of ['sites', 'bytes', 'moving']) {
    const names = await readdir(join(dataDir, top), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of names) {
      if (entry.isFile() && !/-(wal|shm)$/.test(entry.name)) {
        found.push(join(entry.parentPath, entry.name).slice(dataDir.length + 1))
      }
    }
  }
  return found.sort()
}
