import { join } from 'node:path'
import { controlMigrations } from './migrations/control.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { openSqlite } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { openSqliteSites } from './sqlite-sites.ts'
import type { Store } from './store.ts'
import type { ControlDb, ControlTables } from './tables.ts'

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

  return {
    ...sites,
    control,
    controlVersion: version.current,
    async changeControl(change) {
      const result = await control.transaction().execute(async (transaction) => {
        await raiseVersion(transaction)
        return change(transaction)
      })
      version.forget()
      return result
    },
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
  let seenData: unknown
  let version = 0
  let isFresh = false
  const forget = () => {
    isFresh = false
  }
  const current = () => {
    if (isFresh) return version
    const [data] = file.read('pragma data_version', []).rows as { data_version: number }[]
    if (data?.data_version !== seenData) {
      const [row] = file.read(`select "value" from "meta" where "name" = 'version'`, []).rows as {
        value: string
      }[]
      version = Number(row?.value)
      seenData = data?.data_version
    }
    isFresh = true
    setImmediate(forget)
    return version
  }
  return { current, forget }
}

async function raiseVersion(control: ControlDb): Promise<void> {
  const { value } = await control
    .selectFrom('meta')
    .select('value')
    .where('name', '=', 'version')
    .executeTakeFirstOrThrow()
  await control
    .updateTable('meta')
    .set({ value: String(Number(value) + 1) })
    .where('name', '=', 'version')
    .execute()
}
