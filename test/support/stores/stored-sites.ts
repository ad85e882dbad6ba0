import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { TestApp } from '../harness.ts'

/** What lies in a store, seen past the app. */
export interface StoredSites {
  /** Sites that hold rows or files, with the names of their users. */
  sites: Map<number, string[]>
  /** Rows of the table of sites. */
  siteRows: { number: number; idKey: string; state: string; installedAt: string | null }[]
  /** Whatever lies about beside the sites. */
  litter: string[]
}

export async function storedSitesOf({ dataDir, environment }: TestApp): Promise<StoredSites> {
  const url = environment.SERVICE_DATABASE_URL
  return url === undefined ? sqliteSites(dataDir) : postgresSites(url)
}

const siteRowsQuery = 'select "number", "idKey", "state", "installedAt" from "site" order by "number"'

export async function sqliteSites(dataDir: string): Promise<StoredSites> {
  const sites = new Map<number, string[]>()
  for (const name of await readdir(join(dataDir, 'sites'))) {
    const path = join(dataDir, 'sites', name, 'site.db')
    sites.set(Number(name), existsSync(path) ? namesIn(path) : [])
  }
  const litter = [...(await readdir(join(dataDir, 'drafts'))), ...(await readdir(join(dataDir, 'trash')))]
  const siteRows = rowsIn(join(dataDir, 'control.db'), siteRowsQuery) as StoredSites['siteRows']
  return { sites, siteRows, litter }
}

const namesIn = (path: string) =>
  (rowsIn(path, 'select "username" from "user"') as { username: string }[]).map((row) => row.username)

function rowsIn(path: string, query: string): unknown[] {
  const database = new Database(path, { fileMustExist: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

async function postgresSites(url: string): Promise<StoredSites> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const sites = new Map<number, string[]>()
    for (const table of await siteTables(client)) {
      const { rows } = await client.query(`select distinct "site" from ${pg.escapeIdentifier(table)}`)
      for (const { site } of rows) if (!sites.has(site)) sites.set(site, [])
    }
    const users = await client.query('select "site", "username" from "user"')
    for (const { site, username } of users.rows) sites.get(site)?.push(username)
    const { rows: siteRows } = await client.query(siteRowsQuery)
    return { sites, siteRows, litter: [] }
  } finally {
    await client.end()
  }
}

/** Every table whose rows belong to a site. */
async function siteTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'site' and table_name <> 'tenant'`,
  )
  return rows.map((row) => row.name)
}
