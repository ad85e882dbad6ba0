import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { allDone } from '../../lib/concurrency/promises.ts'
import { makeFolder, syncPath } from '../../lib/files/durable.ts'
import { keepAlive, removeOldEntries, silentMs } from '../../lib/files/live-entries.ts'
import { randomHex } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { storeFault, storeUnavailable } from '../faults.ts'
import { siteTemplate } from '../sites/template.ts'
import { type FillSite, firstRows, type OpenedSite, type SiteDraft, type SiteStore } from '../store.ts'
import type { SiteTables } from '../tables.ts'
import { checkSqliteVersion } from './connection.ts'
import { kyselyOfFile, SqliteFile } from './file.ts'
import { openSqliteSnapshot } from './snapshot.ts'
import { openSqliteThreads, type SqliteThreads } from './threads.ts'
import type { WriteTurns } from './write-turns.ts'

/** One file per site in the data folder. */
export async function openSqliteSites(
  dataDir: string,
  turns?: WriteTurns,
): Promise<{ sites: SiteStore; threads: SqliteThreads }> {
  checkSqliteVersion()
  const folders = foldersOf(dataDir)
  for (const folder of Object.values(folders)) await makeFolder(folder)
  // Drafts of killed installs. Another process keeps its drafts fresh while it works on them.
  await removeOldEntries(folders.drafts, { olderThanMs: silentMs })
  const threads = openSqliteThreads(turns)
  const folderOf = (site: number, rowsGeneration = 0) => join(folders.sites, folderName(site, rowsGeneration))
  const pathOf = (site: number, rowsGeneration = 0) => join(folderOf(site, rowsGeneration), 'site.db')

  async function drafted(site: number, rowsGeneration: number, write: (path: string) => Promise<void>) {
    const folder = join(folders.drafts, `${site}-${randomHex(6)}`)
    const draft = draftIn(threads, folder, folderOf(site, rowsGeneration))
    try {
      await asStoreFault(() => write(join(folder, 'site.db')))
      return draft
    } catch (error) {
      // A failing disk may refuse the removal too: the sweep removes the draft later, and the first error is thrown.
      await draft.discard().catch(() => undefined)
      throw error
    }
  }

  const sites: SiteStore = {
    kind: 'sqlite',
    draftSite: (site, fill) =>
      drafted(site, 0, (path) => writeDraft(path, siteTemplate.filled(fill), threads)),
    draftCopy: (site, fill, rowsGeneration = 0) =>
      drafted(site, rowsGeneration, async (path) => {
        await writeDraft(path, siteTemplate.blank(), threads)
        await fillDraft({ path, rowsGeneration, fill }, threads)
      }),
    openSite: (site, { rowsGeneration, generation } = firstRows) =>
      openSite(pathOf(site, rowsGeneration), threads, generation),
    snapshotSite: (site, rowsGeneration) => openSqliteSnapshot(pathOf(site, rowsGeneration), threads),
    // Earlier releases moved dropped sites to the trash.
    async dropSite(site, rowsGeneration) {
      await dropRows(folderOf(site, rowsGeneration))
      await rm(join(folders.trash, String(site)), { recursive: true, force: true })
    },
    dropStaleRows: (site, { rowsGeneration }) => dropRows(folderOf(site, rowsGeneration)),
    setWriteFence: (site, { rowsGeneration, from, to }) =>
      setWriteFence(pathOf(site, rowsGeneration), threads, from, to),
    async migrateSite(site, rowsGeneration) {
      const path = pathOf(site, rowsGeneration)
      const file = new SqliteFile(path, threads)
      await asStoreFault(() => file.migrate())
      await file.close()
    },
    async distribute() {
      throw notDistributable()
    },
    async check() {
      threads.check()
      await stat(folders.sites).catch((error) => Promise.reject(storeUnavailable(error)))
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
  return { sites, threads }
}

const notDistributable = () =>
  new Refusal(
    'conflict',
    'not-citus',
    'The rows are in SQLite files, which cannot be distributed: SERVICE_DATABASE_URL names no PostgreSQL.',
  )

/** Each move gives the rows a new folder, so that they are never confused with earlier rows of the site. */
const folderName = (site: number, rowsGeneration: number) =>
  rowsGeneration === 0 ? `${site}` : `${site}-${rowsGeneration}`

const foldersOf = (dataDir: string) => ({
  sites: join(dataDir, 'sites'),
  drafts: join(dataDir, 'drafts'),
  trash: join(dataDir, 'trash'),
})

async function asStoreFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storeFault(error)
  }
}

/** The folder is created and synced while the bytes are made: the sync takes longer. */
async function writeDraft(path: string, made: Promise<Uint8Array>, threads: SqliteThreads): Promise<void> {
  const [bytes] = await allDone([made, threads.perform({ verb: 'make', path })])
  await threads.perform({ verb: 'save', path, bytes })
}

interface Filling {
  path: string
  rowsGeneration: number
  fill: FillSite
}

/** Writes rows to a draft, and syncs it at the end. */
async function fillDraft({ path, rowsGeneration, fill }: Filling, threads: SqliteThreads): Promise<void> {
  const file = new SqliteFile(path, threads, { isDraft: true })
  try {
    await kyselyOfFile<SiteTables>(file).transaction().execute(fill)
    if (rowsGeneration > 0) await file.write('update "gate" set "generation" = ?', [rowsGeneration])
    await file.finalize()
  } catch (error) {
    await file.close().catch(() => undefined)
    throw error
  }
}

/** A draft is a synced folder, so that publishing it is one rename and one sync. */
function draftIn(threads: SqliteThreads, draft: string, folder: string): SiteDraft {
  const living = keepAlive(draft)
  let isPublished = false
  return {
    async publish() {
      await asStoreFault(() => threads.perform({ verb: 'publish', path: draft, to: folder }))
      isPublished = true
      living[Symbol.dispose]()
    },
    async discard() {
      living[Symbol.dispose]()
      if (!isPublished) await rm(draft, { force: true, recursive: true })
    },
  }
}

async function openSite(path: string, threads: SqliteThreads, generation: number): Promise<OpenedSite> {
  const file = new SqliteFile(path, threads, { generation })
  await asStoreFault(() => file.migrate())
  return { db: kyselyOfFile<SiteTables>(file), close: () => file.close() }
}

async function setWriteFence(
  path: string,
  threads: SqliteThreads,
  from: number,
  to: number,
): Promise<boolean> {
  const file = new SqliteFile(path, threads)
  const askedAt = performance.now()
  const unlock = await file.lock()
  try {
    const { changes } = await file.writeWhenFree(
      'update "gate" set "generation" = ? where "generation" in (?, ?)',
      [to, from, to],
      { askedAt, isTransaction: false },
    )
    return changes > 0
  } catch (error) {
    throw storeFault(error)
  } finally {
    unlock()
    await file.close()
  }
}

/** Removes only the files of the rows: the site's stored files may be in the same folder. */
async function dropRows(folder: string): Promise<void> {
  await asStoreFault(async () => {
    for (const name of ['site.db', 'site.db-wal', 'site.db-shm'])
      await rm(join(folder, name), { force: true })
    await rmdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') await syncPath(folder)
      else if (error.code !== 'ENOENT') throw error
    })
    await syncPath(dirname(folder))
  })
}
