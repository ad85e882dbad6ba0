import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { executeLater, type SiteDb, type SiteTables } from '../db/index.ts'

type LabelKind = SiteTables['labelTotal']['kind']

/** How many files a tag or a category has, of one user or of everyone; without those in the trash, and with expired ones until they are removed. */
export interface LabelTotal {
  kind: LabelKind
  /** The name of a tag, the id of a category. */
  label: string
  /** Empty: of everyone. */
  userId: string
  files: number
  /** Those of them that lists of everyone may contain. */
  listed: number
}

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>
type Files = (eb: FileExpressions) => Expression<SqlBool>

/** Approved files that are not private, loose or in a public album. */
export const isOpenToLists = (eb: FileExpressions): Expression<SqlBool> =>
  eb.and([
    eb('file.isPrivate', '=', 0),
    eb('file.isApproved', '=', 1),
    eb.or([
      eb('file.albumId', 'is', null),
      eb.exists(
        eb
          .selectFrom('album')
          .select('album.id')
          .whereRef('album.id', '=', 'file.albumId')
          .where('album.privacy', '=', 'public'),
      ),
    ]),
  ])

/**
 * Runs a change of these files' tags, categories, owners or visibility, and counts them anew. The same files must be chosen
 * before and after the change. The caller's transaction holds the site lock.
 */
export async function recounted<T>(db: SiteDb, files: Files, change: () => Promise<T>): Promise<T> {
  const before = await countLabels(db, files)
  const result = await change()
  const after = await countLabels(db, files)
  await addToTotals(db, differences(before, after))
  return result
}

export const recountedById = <T>(db: SiteDb, ids: readonly string[], change: () => Promise<T>): Promise<T> =>
  ids.length === 0 ? change() : recounted(db, (eb) => eb('file.id', 'in', [...new Set(ids)]), change)

type TotalsByName = ReadonlyMap<string, LabelTotal>

/** From the rows: of some files, or of all. */
export async function countLabels(db: SiteDb, files: Files = (eb) => eb.and([])): Promise<TotalsByName> {
  const totals = new Map<string, LabelTotal>()
  const add = (total: LabelTotal) => {
    const known = totals.get(nameOf(total)) ?? { ...total, files: 0, listed: 0 }
    const sum = { ...known, files: known.files + total.files, listed: known.listed + total.listed }
    totals.set(nameOf(total), sum)
  }
  for (const { label, userId, files: count, listed } of [
    ...(await countTags(db, files)),
    ...(await countCategories(db, files)),
  ]) {
    const kind: LabelKind = typeof label === 'string' ? 'tag' : 'category'
    const total = { kind, label: String(label), files: Number(count), listed: Number(listed) }
    add({ ...total, userId: '' })
    if (userId !== null) add({ ...total, userId })
  }
  return totals
}

const countTags = (db: SiteDb, files: Files) =>
  db
    .selectFrom('file')
    .innerJoin('fileTag', 'fileTag.fileId', 'file.id')
    .select(['fileTag.tagName as label', 'file.userId'])
    .select((eb) => counts(eb as unknown as FileExpressions))
    .where('file.deletedAt', 'is', null)
    .where((eb) => files(eb as unknown as FileExpressions))
    .groupBy(['fileTag.tagName', 'file.userId'])
    .execute()

const countCategories = (db: SiteDb, files: Files) =>
  db
    .selectFrom('file')
    .select((eb) => [eb.ref('file.categoryId').$notNull().as('label'), 'file.userId', ...counts(eb)])
    .where('file.categoryId', 'is not', null)
    .where('file.deletedAt', 'is', null)
    .where(files)
    .groupBy(['file.categoryId', 'file.userId'])
    .execute()

const counts = (eb: FileExpressions) =>
  [
    eb.fn.countAll<number>().as('files'),
    eb.fn.sum<number>(eb.case().when(isOpenToLists(eb)).then(eb.lit(1)).else(eb.lit(0)).end()).as('listed'),
  ] as const

const nameOf = ({ kind, label, userId }: Omit<LabelTotal, 'files' | 'listed'>) =>
  `${kind}\0${label}\0${userId}`

/** What must be added to the first to get the second, in the order of their keys: transactions lock the rows in one order. */
function differences(before: TotalsByName, after: TotalsByName): LabelTotal[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names.flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)]
    const key = now ?? old
    const files = (now?.files ?? 0) - (old?.files ?? 0)
    const listed = (now?.listed ?? 0) - (old?.listed ?? 0)
    return key && (files !== 0 || listed !== 0) ? [{ ...key, files, listed }] : []
  })
}

/** Each row has a few parameters, and SQLite takes 32,766 of them. */
const mostPerStatement = 2_000

async function addToTotals(db: SiteDb, totals: readonly LabelTotal[]): Promise<void> {
  for (let from = 0; from < totals.length; from += mostPerStatement)
    await executeLater(
      db,
      db
        .insertInto('labelTotal')
        .values(totals.slice(from, from + mostPerStatement))
        .onConflict((conflict) =>
          conflict.columns(['kind', 'label', 'userId']).doUpdateSet((row) => ({
            files: row('labelTotal.files', '+', row.ref('excluded.files')),
            listed: row('labelTotal.listed', '+', row.ref('excluded.listed')),
          })),
        ),
    )
}

/** The totals of some labels, of everyone and of one user. */
export const labelTotalsOf = (
  db: SiteDb,
  kind: LabelKind,
  { labels, userId = '' }: { labels: readonly string[]; userId: string | undefined },
): Promise<LabelTotal[]> =>
  db
    .selectFrom('labelTotal')
    .selectAll()
    .where('kind', '=', kind)
    .where('label', 'in', labels)
    .where('userId', 'in', ['', userId])
    .execute()

/** For a label that no file has any more. */
export async function deleteLabelTotals(db: SiteDb, kind: LabelKind, label: string): Promise<void> {
  await db.deleteFrom('labelTotal').where('kind', '=', kind).where('label', '=', label).execute()
}

/** For a user without files. */
export async function deleteLabelTotalsOf(db: SiteDb, userId: string): Promise<void> {
  await db.deleteFrom('labelTotal').where('userId', '=', userId).where('userId', '<>', '').execute()
}

/** Totals that differ from the rows: what must be added to each of them. */
export async function wrongLabelTotals(db: SiteDb): Promise<LabelTotal[]> {
  const stored = await db.selectFrom('labelTotal').selectAll().execute()
  return differences(new Map(stored.map((total) => [nameOf(total), total])), await countLabels(db))
}

export async function recountLabels(db: SiteDb): Promise<void> {
  await addToTotals(db, await wrongLabelTotals(db))
}
