import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { SiteDb, SiteTables } from '../../db/index.ts'
import { droppedOptionsOf, purgeFiles, purgingOf } from '../../site/index.ts'
import { isHiddenColumn, isProtectedColumn } from '../files/reading/protection-table.ts'
import type { StoredVariant } from '../files/stored-file.ts'
import { cachedPaths } from './cached-addresses.ts'

type FileCondition = (eb: ExpressionBuilder<SiteTables, 'file'>) => Expression<SqlBool>

/**
 * Runs a change of some hundred files at most, and purges those whose bytes are no longer at their addresses afterwards: deleted,
 * withheld, replaced or hidden. Statements that can do so run inside; a test lists them.
 */
export async function purgingHidden<T>(
  db: SiteDb,
  ids: readonly string[],
  change: () => Promise<T>,
): Promise<T> {
  if (!purgingOf(db) || ids.length === 0) return change()
  const served = async () => (await someFiles(db, ids)).filter(isServed)
  const before = await served()
  const result = await change()
  if (before.length === 0) return result
  const after = new Map((await served()).map((file) => [file.id, file]))
  const gone = before.filter((file) => {
    const left = after.get(file.id)
    return left?.keyRevision !== file.keyRevision || left.isHidden > file.isHidden
  })
  await purgeAll(db, gone)
  return result
}

const pageSize = 500

/** Before a change that hides all files of a condition, however many: purges those that everybody sees. */
export const purgeOpen = (db: SiteDb, which: FileCondition): Promise<void> =>
  purgePages(db, which, (file) => isServed(file) && file.isHidden === 0)

/** Before a change that withholds all files of a condition: purges those whose bytes everybody gets. */
export const purgeServed = (db: SiteDb, which: FileCondition): Promise<void> =>
  purgePages(db, which, isServed)

async function purgePages(
  db: SiteDb,
  which: FileCondition,
  isMeant: (file: ShownFile) => boolean,
): Promise<void> {
  if (!purgingOf(db)) return
  for (let after = ''; ; ) {
    const page = await shownFiles(db)
      .where(which)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    await purgeAll(db, page.filter(isMeant))
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.id
  }
}

/** Pages of all files that need a signed address now, with the paths at which caches may have them without one. */
export async function pathsOfProtected(db: SiteDb, after: string) {
  const page = await shownFiles(db).where('id', '>', after).orderBy('id').limit(pageSize).execute()
  const files = await withPaths(
    db,
    page.filter(({ isProtected }) => isProtected === 1),
  )
  return { files, last: page.length < pageSize ? undefined : page.at(-1)?.id }
}

const someFiles = (db: SiteDb, ids: readonly string[]): Promise<ShownFile[]> =>
  shownFiles(db).where('id', 'in', ids).execute()

type ShownFile = Awaited<ReturnType<ReturnType<typeof shownFiles>['execute']>>[number]

/** An expired file counts: a cache may have it until its row is deleted. */
const shownFiles = (db: SiteDb) =>
  db
    .selectFrom('file')
    .select(['id', 'folder', 'name', 'extension', 'variants', 'keyRevision'])
    .select([isProtectedColumn, isHiddenColumn])
    .where('isApproved', '=', 1)
    .where('deletedAt', 'is', null)

const isServed = ({ isProtected }: ShownFile): boolean => isProtected === 0

async function purgeAll(db: SiteDb, files: readonly ShownFile[]): Promise<void> {
  await purgeFiles(db, await withPaths(db, files))
}

async function withPaths(db: SiteDb, files: readonly ShownFile[]) {
  const ids = files.map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('derived')
    .select(['fileId', 'options'])
    .where('fileId', 'in', ids)
    .execute()
  const derived = Map.groupBy(rows, ({ fileId }) => fileId)
  return files.map((file) => {
    const { variants } = JSON.parse(file.variants) as { variants: readonly StoredVariant[] }
    const kept = (derived.get(file.id) ?? []).map(({ options }) => options)
    const options = new Set([...droppedOptionsOf(db, file.id), ...kept])
    return { id: file.id, paths: cachedPaths({ ...file, variants }, [...options]) }
  })
}
