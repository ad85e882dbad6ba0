import { copyFile, mkdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, moveDurably, syncPath } from '../lib/durable.ts'
import { randomHex } from '../lib/ids.ts'
import { removeOldEntries } from '../lib/old-entries.ts'
import { storeFault, storeUnavailable } from './faults.ts'
import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { type BlankDraft, SpareDraft } from './spare-draft.ts'
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
  for (const folder of [folders.drafts, folders.spares])
    await removeOldEntries(folder, { olderThanMs: 600_000 })
  const template = await prepareTemplate(dataDir, folders.drafts)
  const threads = startSqliteThreads()
  const spare = new SpareDraft(() => blankDraft(join(folders.spares, randomHex(12)), template, threads))
  const folderOf = (site: number, placedAt = 0) => join(folders.sites, folderName(site, placedAt))
  const pathOf = (site: number, placedAt = 0) => join(folderOf(site, placedAt), 'site.db')

  const sites: SiteStore = {
    kind: 'sqlite',
    async draftSite(site, fill, placedAt = 0) {
      const name = `${folderName(site, placedAt)}-${randomHex(6)}`
      const blank = async () => {
        const made = await spare.take()
        if (made && (await exists(made.folder))) return made
        await made?.discard()
        return blankDraft(join(folders.drafts, name), template, threads)
      }
      const draft = await draftSite({ blank, folder: folderOf(site, placedAt), placedAt, fill })
      return {
        place: draft.place,
        async discard() {
          await draft.discard()
          setImmediate(() => spare.prepare())
        },
      }
    },
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
    async [Symbol.asyncDispose]() {
      await spare[Symbol.asyncDispose]()
      await threads[Symbol.asyncDispose]()
    },
  }
  return { sites, threads }
}

/** Rows that a move has brought have a folder of their own, so that none is ever mistaken for what was there before. */
const folderName = (site: number, placedAt: number) => (placedAt === 0 ? `${site}` : `${site}-${placedAt}`)

const foldersOf = (dataDir: string) => ({
  sites: join(dataDir, 'sites'),
  drafts: join(dataDir, 'drafts'),
  spares: join(dataDir, 'spares'),
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

interface FileDraft extends BlankDraft {
  file: SqliteFile
}

/** Copies the template, and opens the copy for those who fill it. */
async function blankDraft(folder: string, template: string, threads: SqliteThreads): Promise<FileDraft> {
  const file = new SqliteFile(join(folder, 'site.db'), threads, { isDraft: true })
  const discard = async () => {
    await file.close()
    await rm(folder, { force: true, recursive: true })
  }
  try {
    await mkdir(folder, { mode: 0o750 })
    await copyFile(template, join(folder, 'site.db'))
    await file.write('select "generation" from "gate"')
    return { folder, file, discard }
  } catch (error) {
    await discard().catch(() => undefined)
    throw error
  }
}

interface Drafting {
  blank: () => Promise<FileDraft>
  /** Where it goes. */
  folder: string
  placedAt: number
  fill: (db: SiteDb) => Promise<void>
}

/** A draft is a whole folder, durable by itself, so that to place it is one rename and one sync. */
async function draftSite({ blank, folder, placedAt, fill }: Drafting): Promise<SiteDraft> {
  try {
    const draft = await blank()
    try {
      await kyselyOfFile<SiteTables>(draft.file).transaction().execute(fill)
      if (placedAt > 0) await draft.file.write('update "gate" set "generation" = ?', [placedAt])
      await draft.file.seal()
    } catch (error) {
      // What a failing disk does not let go of is swept later, and must not hide what was met.
      await draft.discard().catch(() => undefined)
      throw error
    }
    return placing(draft.folder, folder)
  } catch (error) {
    throw storeFault(error)
  }
}

function placing(draft: string, folder: string): SiteDraft {
  let isPlaced = false
  return {
    async place() {
      await placeFolder(draft, folder).catch((error) => Promise.reject(storeFault(error)))
      isPlaced = true
    },
    async discard() {
      if (!isPlaced) await rm(draft, { force: true, recursive: true })
    },
  }
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
