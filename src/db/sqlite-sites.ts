import { copyFile, mkdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, moveDurably, syncPath } from '../lib/durable.ts'
import { randomHex } from '../lib/ids.ts'
import { removeOldEntries } from '../lib/old-entries.ts'
import { storeFault, storeUnavailable } from './faults.ts'
import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { checkSqliteVersion, openSqlite } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'
import { type SqliteThreads, startSqliteThreads } from './sqlite-threads.ts'
import { firstRows, type OpenedSite, type SiteDraft, type SiteStore } from './store.ts'
import type { SiteDb, SiteTables } from './tables.ts'

/** One file for each site in the data folder, made by copying a migrated template. */
export async function openSqliteSites(
  dataDir: string,
): Promise<{ sites: SiteStore; threads: SqliteThreads }> {
  checkSqliteVersion()
  const folders = foldersOf(dataDir)
  for (const folder of Object.values(folders)) await makeFolder(folder)
  // What a killed install left. A draft of another process that is at work is younger than this.
  await removeOldEntries(folders.drafts, { olderThanMs: 600_000 })
  const template = await prepareTemplate(dataDir, folders.drafts)
  const threads = startSqliteThreads()
  const folderOf = (site: number, placedAt = 0) => join(folders.sites, folderName(site, placedAt))
  const pathOf = (site: number, placedAt = 0) => join(folderOf(site, placedAt), 'site.db')

  const sites: SiteStore = {
    kind: 'sqlite',
    draftSite: (site, fill, placedAt = 0) => draftSite({ folders, template, threads, site, placedAt, fill }),
    openSite: (site, { placedAt, generation } = firstRows) =>
      openSite(pathOf(site, placedAt), threads, generation),
    snapshotSite: (site, placedAt) => openSqliteSnapshot(pathOf(site, placedAt), threads),
    // The trash is where earlier releases put what they dropped.
    async dropSite(site, placedAt) {
      await dropRows(folderOf(site, placedAt))
      await rm(join(folders.trash, String(site)), { recursive: true, force: true })
    },
    leaveSite: (site, { placedAt }) => dropRows(folderOf(site, placedAt)),
    passGate: (site, { placedAt, from, to }) => passGate(pathOf(site, placedAt), threads, from, to),
    async migrateSite(site, placedAt) {
      const path = pathOf(site, placedAt)
      const file = new SqliteFile(path, threads)
      await file.migrate().catch((error) => Promise.reject(storeFault(error)))
      await file.close()
    },
    async check() {
      threads.check()
      await stat(folders.sites).catch((error) => Promise.reject(storeUnavailable(error)))
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
  return { sites, threads }
}

/** Rows that a move has brought have a folder of their own, so that none is ever mistaken for what was there before. */
const folderName = (site: number, placedAt: number) => (placedAt === 0 ? `${site}` : `${site}-${placedAt}`)

type Folders = ReturnType<typeof foldersOf>

const foldersOf = (dataDir: string) => ({
  sites: join(dataDir, 'sites'),
  drafts: join(dataDir, 'drafts'),
  trash: join(dataDir, 'trash'),
})

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

interface Drafting {
  folders: Folders
  template: string
  threads: SqliteThreads
  site: number
  placedAt: number
  fill: (db: SiteDb) => Promise<void>
}

/** A draft is a whole folder, durable by itself, so that to place it is one rename and one sync. */
async function draftSite({ folders, template, threads, site, placedAt, fill }: Drafting): Promise<SiteDraft> {
  const draft = join(folders.drafts, `${folderName(site, placedAt)}-${randomHex(6)}`)
  const discard = () => rm(draft, { force: true, recursive: true })
  try {
    await mkdir(draft, { mode: 0o750 })
    const path = join(draft, 'site.db')
    await copyFile(template, path)
    const file = new SqliteFile(path, threads, { isDraft: true })
    try {
      await kyselyOfFile<SiteTables>(file).transaction().execute(fill)
      if (placedAt > 0) await file.write('update "gate" set "generation" = ?', [placedAt])
      // Closing does this too, but says nothing when the disk is full, and only the file itself is placed.
      await file.write('pragma wal_checkpoint(truncate)')
    } finally {
      await file.close()
    }
    await syncPath(path)
    await syncPath(draft)
  } catch (error) {
    await discard()
    throw storeFault(error)
  }
  const place = async () => {
    try {
      await placeFolder(draft, join(folders.sites, folderName(site, placedAt)))
    } catch (error) {
      throw storeFault(error)
    }
  }
  return { place, discard }
}

/** Of a name that a power cut leaves in the drafts too, the sweep at start takes care. */
async function placeFolder(draft: string, folder: string): Promise<void> {
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    // An unfinished install stands there. None of it counts, and its log must not be replayed into the new file.
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
  })
  await syncPath(dirname(folder))
}

async function openSite(path: string, threads: SqliteThreads, generation: number): Promise<OpenedSite> {
  const file = new SqliteFile(path, threads, { generation })
  try {
    await file.migrate()
  } catch (error) {
    throw storeFault(error)
  }
  return { db: kyselyOfFile<SiteTables>(file), close: () => file.close() }
}

async function passGate(path: string, threads: SqliteThreads, from: number, to: number): Promise<boolean> {
  const file = new SqliteFile(path, threads)
  const askedAt = performance.now()
  const endTurn = await file.turn()
  try {
    const { changes } = await file.writeWhenFree(
      'update "gate" set "generation" = ? where "generation" in (?, ?)',
      [to, from, to],
      askedAt,
    )
    return changes > 0
  } catch (error) {
    throw storeFault(error)
  } finally {
    endTurn()
    await file.close()
  }
}

/** Only what holds rows: a site's files may lie beside it. */
async function dropRows(folder: string): Promise<void> {
  try {
    for (const name of ['site.db', 'site.db-wal', 'site.db-shm'])
      await rm(join(folder, name), { force: true })
    await rmdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') await syncPath(folder)
      else if (error.code !== 'ENOENT') throw error
    })
    await syncPath(dirname(folder))
  } catch (error) {
    throw storeFault(error)
  }
}
