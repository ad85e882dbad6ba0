import { afterCommit, beforeCommit, type SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { purgingOf } from './purge-queue.ts'
import { insertPurge } from './purges-table.ts'

/** A file that caches must forget, with all paths at which they may have it. */
export interface CachedFile {
  id: string
  paths: readonly string[]
}

/** A request has at most so many addresses. */
export const mostPaths = 100

interface Batch {
  paths: string[]
  fileIds: Set<string>
}

const emptyBatch = (): Batch => ({ paths: [], fileIds: new Set() })

/** What transactions have gathered and not written yet. */
const gathered = new WeakMap<SiteDb, Batch>()

/** Writes what caches must forget, in the transaction of the change: together, so that a change of many files is few requests. */
export async function purgeFiles(db: SiteDb, files: readonly CachedFile[]): Promise<void> {
  if (files.length === 0) return
  const known = gathered.get(db)
  const batch = known ?? emptyBatch()
  if (!known) gathered.set(db, batch)
  for (const { id, paths } of files) {
    for (const path of paths) {
      if (batch.paths.length === mostPaths) await write(db, batch)
      batch.paths.push(path)
      batch.fileIds.add(id)
    }
  }
  if (!known)
    await beforeCommit(db, async () => {
      gathered.delete(db)
      await write(db, batch)
    })
}

/** Pictures derived from files whose rows were deleted earlier in a transaction. */
const dropped = new WeakMap<SiteDb, Map<string, string[]>>()

export function noteDropped(db: SiteDb, rows: readonly { fileId: string; options: string }[]): void {
  if (!db.isTransaction || !purgingOf(db)) return
  const known = dropped.get(db) ?? new Map<string, string[]>()
  dropped.set(db, known)
  for (const { fileId, options } of rows) known.set(fileId, [...(known.get(fileId) ?? []), options])
}

export const droppedOptionsOf = (db: SiteDb, fileId: string): readonly string[] =>
  dropped.get(db)?.get(fileId) ?? []

async function write(db: SiteDb, batch: Batch): Promise<void> {
  const [paths, fileIds] = [JSON.stringify(batch.paths), JSON.stringify([...batch.fileIds])]
  batch.paths.length = 0
  batch.fileIds.clear()
  await writeRow(db, { scope: 'files', paths, fileIds })
}

/** Every file whose bytes need a signed address from now on. The relay finds them: there may be very many. */
export const purgeProtected = (db: SiteDb): Promise<void> =>
  writeRow(db, { scope: 'protected', paths: '[]', fileIds: '[]' })

async function writeRow(
  db: SiteDb,
  row: { scope: 'files' | 'protected'; paths: string; fileIds: string },
): Promise<void> {
  const purging = purgingOf(db)
  if (!purging) return
  const { site, hostname, clock, queue } = purging
  await insertPurge(db, { id: randomId(20), at: clock.now().toISOString(), hostname, ...row })
  afterCommit(db, () => queue.add(site))
}
