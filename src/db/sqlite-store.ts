import { join } from 'node:path'
import { sql } from 'kysely'
import { controlMigrations } from './migrations/control.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { openSqlite } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { openSqliteSites } from './sqlite-sites.ts'
import type { Store } from './store.ts'
import type { ControlDb, ControlTables } from './tables.ts'
import { raiseVersion } from './version.ts'

/** Everything in the data folder: `control.db`, and the files of the sites. */
export async function openSqliteStore(dataDir: string): Promise<Store> {
  const { sites, threads } = await openSqliteSites(dataDir)
  const controlPath = join(dataDir, 'control.db')
  const connection = openSqlite(controlPath, { mayCreate: true })
  migrateSqlite(connection, controlMigrations)
  connection.close()

  const controlFile = new SqliteFile(controlPath, threads)
  const control = kyselyOfFile<ControlTables>(controlFile)
  const version = versionOf(controlFile)

  async function inControl<T>(
    takeFile: (transaction: ControlDb) => Promise<unknown>,
    change: (transaction: ControlDb) => Promise<T>,
  ): Promise<T> {
    const result = await control.transaction().execute(async (transaction) => {
      await takeFile(transaction)
      return change(transaction)
    })
    version.forget()
    return result
  }

  return {
    ...sites,
    control,
    controlVersion: () => version.current().version,
    toldVersion: () => version.current().data,
    changeControl: (change) => inControl(raiseVersion, change),
    tellControl: (change) => inControl((transaction) => sql`select 1`.execute(transaction), change),
    async check() {
      controlFile.read('select 1', [])
      await sites.check()
    },
    async [Symbol.asyncDispose]() {
      await controlFile.close()
      await sites[Symbol.asyncDispose]()
    },
  }
}

/**
 * The reader's own counter tells cheaply whether anybody wrote; only then is the version read.
 * It is asked once a turn of the event loop, and again after a change of our own.
 */
function versionOf(file: SqliteFile) {
  let seen = { data: -1, version: 0 }
  let isFresh = false
  const forget = () => {
    isFresh = false
  }
  const current = () => {
    if (isFresh) return seen
    const [data] = file.read('pragma data_version', []).rows as { data_version: number }[]
    if (data && data.data_version !== seen.data) {
      const [row] = file.read(`select "value" from "meta" where "name" = 'version'`, []).rows as {
        value: string
      }[]
      seen = { data: data.data_version, version: Number(row?.value) }
    }
    isFresh = true
    setImmediate(forget)
    return seen
  }
  return { current, forget }
}
