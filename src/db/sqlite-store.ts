import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, moveDurably, syncPath } from '../lib/durable.ts'
import { randomHex } from '../lib/ids.ts'
import { storeFault, storeUnavailable } from './faults.ts'
import { controlMigrations } from './migrations/control.ts'
import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { checkSqliteVersion, openSqlite } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { type SqliteThreads, startSqliteThreads } from './sqlite-threads.ts'
import type { OpenedSite, SiteDraft, Store } from './store.ts'
import type { ControlDb, ControlTables, SiteDb, SiteTables } from './tables.ts'

/** Everything in the data folder: `control.db`, and one file for each site, made by copying a migrated template. */
export async function openSqliteStore(dataDir: string): Promise<Store> {
  checkSqliteVersion()
  const folders = foldersOf(dataDir)
  for (const folder of Object.values(folders)) await makeFolder(folder)
  await removeDrafts(folders.drafts)
  const template = await prepareTemplate(dataDir, folders.drafts)
  const controlPath = join(dataDir, 'control.db')
  const connection = openSqlite(controlPath, { mayCreate: true })
  migrateSqlite(connection, controlMigrations)
  connection.close()

  const threads = startSqliteThreads()
  const controlFile = new SqliteFile(controlPath, threads)
  const control = kyselyOfFile<ControlTables>(controlFile)
  const pathOf = (site: number) => join(folders.sites, String(site), 'site.db')
  const version = versionOf(controlFile)

  return {
    kind: 'sqlite',
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
    draftSite: (site, fill) => draftSite({ folders, template, threads, site, fill }),
    openSite: (site) => openSite(pathOf(site), threads),
    dropSite: (site) => dropSite(join(folders.sites, String(site)), join(folders.trash, String(site))),
    migrateSite: async (site) => (await openSite(pathOf(site), threads)).close(),
    async check() {
      threads.check()
      controlFile.read('select 1', [])
      await stat(folders.sites).catch((error) => Promise.reject(storeUnavailable(error)))
    },
    async [Symbol.asyncDispose]() {
      await controlFile.close()
      await threads[Symbol.asyncDispose]()
    },
  }
}

type Folders = ReturnType<typeof foldersOf>

const foldersOf = (dataDir: string) => ({
  sites: join(dataDir, 'sites'),
  drafts: join(dataDir, 'drafts'),
  trash: join(dataDir, 'trash'),
})

/** What a killed install left. A draft of another process that is at work is younger than this. */
async function removeDrafts(drafts: string): Promise<void> {
  const oldest = Date.now() - 600_000
  for (const name of await readdir(drafts)) {
    const { mtimeMs } = await stat(join(drafts, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < oldest) await rm(join(drafts, name), { force: true })
  }
}

async function prepareTemplate(dataDir: string, drafts: string): Promise<string> {
  const path = join(dataDir, `template-${siteMigrations.length}.db`)
  if (await exists(path)) return path
  const draft = join(drafts, `template-${randomHex(6)}.db`)
  const connection = openSqlite(draft, { mayCreate: true, isDraft: true })
  migrateSqlite(connection, siteMigrations)
  connection.close()
  await syncPath(draft)
  await moveDurably(draft, path)
  return path
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

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

interface Drafting {
  folders: Folders
  template: string
  threads: SqliteThreads
  site: number
  fill: (db: SiteDb) => Promise<void>
}

async function draftSite({ folders, template, threads, site, fill }: Drafting): Promise<SiteDraft> {
  const path = join(folders.drafts, `${site}-${randomHex(6)}.db`)
  const discard = () => rm(path, { force: true })
  try {
    await copyFile(template, path)
    const file = new SqliteFile(path, threads, true)
    try {
      await kyselyOfFile<SiteTables>(file).transaction().execute(fill)
      // Closing does this too, but says nothing when the disk is full, and only the file itself is placed.
      await file.write('pragma wal_checkpoint(truncate)')
    } finally {
      await file.close()
    }
    await syncPath(path)
  } catch (error) {
    await discard()
    throw storeFault(error)
  }
  return {
    async place() {
      const folder = join(folders.sites, String(site))
      await makeFolder(folder).catch((error) => Promise.reject(storeFault(error)))
      // An unfinished install may have been opened: its log must not be replayed into the new file.
      for (const log of ['site.db-wal', 'site.db-shm']) await rm(join(folder, log), { force: true })
      await moveDurably(path, join(folder, 'site.db')).catch((error) => Promise.reject(storeFault(error)))
    },
    discard,
  }
}

async function openSite(path: string, threads: SqliteThreads): Promise<OpenedSite> {
  const file = new SqliteFile(path, threads)
  try {
    await file.migrate()
  } catch (error) {
    throw storeFault(error)
  }
  return { db: kyselyOfFile<SiteTables>(file), close: () => file.close() }
}

/** The grave bears the site's number, so that whoever carries on after a kill finds what is left in it. */
async function dropSite(folder: string, grave: string): Promise<void> {
  try {
    await moveDurably(folder, grave).catch(async (error: NodeJS.ErrnoException) => {
      // It is in its grave already, unless the trash itself is missing.
      if (error.code !== 'ENOENT' || (await exists(folder))) throw error
    })
    await rm(grave, { recursive: true, force: true })
    await syncPath(dirname(grave))
  } catch (error) {
    throw storeFault(error)
  }
}
