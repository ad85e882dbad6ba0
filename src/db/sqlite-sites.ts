import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { allDone } from '../lib/all-done.ts'
import { makeFolder, syncPath } from '../lib/durable.ts'
import { randomHex } from '../lib/ids.ts'
import { removeOldEntries } from '../lib/old-entries.ts'
import { storeFault, storeUnavailable } from './faults.ts'
import { siteTemplate } from './site-template.ts'
import { checkSqliteVersion } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'
import { type SqliteThreads, startSqliteThreads } from './sqlite-threads.ts'
import { type FillSite, firstRows, type OpenedSite, type SiteDraft, type SiteStore } from './store.ts'
import type { SiteTables } from './tables.ts'

/** One file for each site in the data folder. */
export async function openSqliteSites(
  dataDir: string,
): Promise<{ sites: SiteStore; threads: SqliteThreads }> {
  checkSqliteVersion()
  const folders = foldersOf(dataDir)
  for (const folder of Object.values(folders)) await makeFolder(folder)
  // What a killed install left. A draft of another process that is at work is younger than this.
  await removeOldEntries(folders.drafts, { olderThanMs: 600_000 })
  const threads = startSqliteThreads()
  const template = siteTemplate()
  const folderOf = (site: number, placedAt = 0) => join(folders.sites, folderName(site, placedAt))
  const pathOf = (site: number, placedAt = 0) => join(folderOf(site, placedAt), 'site.db')

  async function drafted(site: number, placedAt: number, write: (path: string) => Promise<void>) {
    const folder = join(folders.drafts, `${site}-${randomHex(6)}`)
    const draft = placing(threads, folder, folderOf(site, placedAt))
    try {
      await explained(() => write(join(folder, 'site.db')))
      return draft
    } catch (error) {
      // What a failing disk does not let go of is swept later, and must not hide what was met.
      await draft.discard().catch(() => undefined)
      throw error
    }
  }

  const sites: SiteStore = {
    kind: 'sqlite',
    draftSite: (site, fill) => drafted(site, 0, (path) => writeDraft(path, template.filled(fill), threads)),
    draftCopy: (site, fill, placedAt = 0) =>
      drafted(site, placedAt, async (path) => {
        await writeDraft(path, template.blank(), threads)
        await fillDraft({ path, placedAt, fill }, threads)
      }),
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
      await explained(() => file.migrate())
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

const foldersOf = (dataDir: string) => ({
  sites: join(dataDir, 'sites'),
  drafts: join(dataDir, 'drafts'),
  trash: join(dataDir, 'trash'),
})

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storeFault(error)
  }
}

/** A name takes a disk longer than bytes do, so that the bytes are made meanwhile. */
async function writeDraft(path: string, made: Promise<Uint8Array>, threads: SqliteThreads): Promise<void> {
  const [bytes] = await allDone([made, threads.perform({ verb: 'make', path })])
  await threads.perform({ verb: 'save', path, bytes })
}

interface Filling {
  path: string
  placedAt: number
  fill: FillSite
}

/** Writes rows to a file that is nobody's yet, and makes it durable at the end. */
async function fillDraft({ path, placedAt, fill }: Filling, threads: SqliteThreads): Promise<void> {
  const file = new SqliteFile(path, threads, { isDraft: true })
  try {
    await kyselyOfFile<SiteTables>(file).transaction().execute(fill)
    if (placedAt > 0) await file.write('update "gate" set "generation" = ?', [placedAt])
    await file.seal()
  } catch (error) {
    await file.close().catch(() => undefined)
    throw error
  }
}

/** A draft is a whole folder, durable by itself, so that to place it is one rename and one sync. */
function placing(threads: SqliteThreads, draft: string, folder: string): SiteDraft {
  let isPlaced = false
  return {
    async place() {
      await explained(() => threads.perform({ verb: 'place', path: draft, to: folder }))
      isPlaced = true
    },
    async discard() {
      if (!isPlaced) await rm(draft, { force: true, recursive: true })
    },
  }
}

async function openSite(path: string, threads: SqliteThreads, generation: number): Promise<OpenedSite> {
  const file = new SqliteFile(path, threads, { generation })
  await explained(() => file.migrate())
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
      { askedAt, isTransaction: false },
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
  await explained(async () => {
    for (const name of ['site.db', 'site.db-wal', 'site.db-shm'])
      await rm(join(folder, name), { force: true })
    await rmdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') await syncPath(folder)
      else if (error.code !== 'ENOENT') throw error
    })
    await syncPath(dirname(folder))
  })
}
