import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { LruMap } from '../../../lib/lru.ts'
import { isFoundBy } from '../../search/found-files-table.ts'
import { isOwn, isVisibleTo, type Visibility } from '../../visibility-table.ts'
import { isUnexpired } from '../files-table.ts'
import {
  fileConditions,
  isPlain,
  keptStatements,
  kindOfVisibility,
  type ListKind,
  type ListValue,
  listKindOf,
  nameOfKind,
  narrowedTo,
  preparedConditions,
  preparedVisibility,
  type VisibilityValue,
  valuesOfList,
  valuesOfVisibility,
} from './conditions-table.ts'
import type { FilePage, FileSelection, FileSort, FileSortName } from './file-selection.ts'
import { isOfVisitors, keptPage } from './kept-pages.ts'
import type { ListedFile, ListedSite } from './listed-file.ts'
import { type ShownFile, type ShownRow, shownFiles, shownOfRow } from './shown-columns-table.ts'

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>

/** Files that the caller may list, that the selection chooses and that its query finds. */
export const isSelected =
  ({ db, number, clock }: ListedSite, visibility: Visibility, { query, ...selection }: FileSelection) =>
  (eb: FileExpressions) => {
    const isChosen = fileConditions(selection, visibility, clock.now().toISOString())(eb)
    return query ? eb.and([isChosen, isFoundBy({ db, site: number, query })(eb)]) : isChosen
  }

export const sortColumns = {
  created: 'file.createdAt',
  date: 'file.date',
  title: 'file.titleSort',
  name: 'file.nameSort',
  size: 'file.sizeBytes',
  views: 'file.views',
  likes: 'file.likes',
  position: 'file.position',
  deleted: 'file.deletedAt',
} as const satisfies Readonly<Record<FileSortName, string>>

/** A page of the files that the caller may list. */
export async function pageOfFiles(
  site: ListedSite,
  visibility: Visibility,
  page: FilePage,
): Promise<ListedFile[]> {
  if (!isPlain(visibility, page.selection) || page.until)
    return (await pageStatement(site, visibility, page).execute()).map(listedOfRow)
  const { kind, values } = plainPage(site, visibility, page)
  const read = async () => (await preparedPage(kind).rows(site.db, values)).map(listedOfRow)
  return isOfVisitors(visibility, page) ? keptPage(site, [nameOfPage(kind), values], read) : read()
}

const listedOfRow = (row: ListedRow): ListedFile => ({
  ...shownOfRow(row),
  position: { value: row.sortValue ?? '', id: row.id },
})

/** The statement of a page; a test looks at its plan. */
export const pageStatement = (site: ListedSite, visibility: Visibility, page: FilePage) =>
  pageQuery(site.db, visibility, page).where(isSelected(site, visibility, page.selection))

type ListedRow = ShownRow & { sortValue: string | number | null }

function pageQuery(db: SiteDb, visibility: Pick<Visibility, 'userId'>, page: Omit<FilePage, 'selection'>) {
  const { sort, after, until, limit, hasExif } = page
  const column = sortColumns[sort.by as FileSortName]
  const [direction, operator, opposite] = sort.isDescending
    ? (['desc', '<', '>'] as const)
    : (['asc', '>', '<'] as const)
  let query = shownFiles(db, visibility, hasExif)
    .select((eb) => eb.ref(column).as('sortValue'))
    .orderBy(column, direction)
    .orderBy('file.id', direction)
    .limit(limit)
  // Compared as rows: so an index leads to the last page as fast as to the first.
  if (after) {
    query = query.where((eb) =>
      eb(eb.refTuple(column, 'file.id'), operator, eb.tuple(after.value, after.id) as never),
    )
  }
  if (until) {
    query = query.where((eb) =>
      eb(eb.refTuple(column, 'file.id'), `${opposite}=`, eb.tuple(until.value, until.id) as never),
    )
  }
  return query
}

/** For a prepared statement: to build one would take longer than to read the page. */
function plainPage(site: ListedSite, visibility: Visibility, page: FilePage) {
  const { selection, sort, after, limit, hasExif } = page
  const kind = { ...listKindOf(visibility, selection), sort, hasExif, isContinued: after !== undefined }
  const values = {
    ...valuesOfList(site.clock.now(), visibility, selection),
    limit,
    afterValue: after?.value ?? '',
    afterId: after?.id ?? '',
  }
  return { kind, values }
}

interface PageKind extends ListKind {
  sort: FileSort
  hasExif: boolean
  isContinued: boolean
}

const preparedPages = new LruMap<string, ReturnType<typeof preparePage>>(keptStatements)

const nameOfPage = ({ sort, hasExif, isContinued, ...kind }: PageKind) =>
  [nameOfKind(kind), sort.by, sort.isDescending, isContinued, hasExif].join()

function preparedPage(kind: PageKind) {
  const name = nameOfPage(kind)
  const known = preparedPages.get(name) ?? preparePage(kind)
  preparedPages.set(name, known)
  return known
}

const preparePage = ({ sort, hasExif, isContinued, ...kind }: PageKind) =>
  prepare<ListValue | 'limit' | 'afterValue' | 'afterId', ListedRow>((db, values) => {
    const after = isContinued ? { value: values.afterValue, id: values.afterId } : undefined
    const page = { sort, after, limit: values.limit, hasExif }
    return pageQuery(db, { userId: values.visibilityUserId }, page).where(preparedConditions(kind, values))
  })

/** Counts the files of a list, but no further than `most`. */
export async function countFilesUpTo(
  site: ListedSite,
  visibility: Visibility,
  { selection, most }: { selection: FileSelection; most: number },
): Promise<number> {
  const [row] = isPlain(visibility, selection)
    ? await preparedCount(listKindOf(visibility, selection)).rows(site.db, {
        ...valuesOfList(site.clock.now(), visibility, selection),
        most,
      })
    : await countStatement(site.db, isSelected(site, visibility, selection), most).execute()
  return Number(row?.count ?? 0)
}

const countStatement = (db: SiteDb, isCounted: ReturnType<typeof isSelected>, most: number) =>
  db
    .selectFrom((eb) => eb.selectFrom('file').select('file.id').where(isCounted).limit(most).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))

const preparedCounts = new LruMap<string, ReturnType<typeof prepareCount>>(keptStatements)

function preparedCount(kind: ListKind) {
  const name = nameOfKind(kind)
  const known = preparedCounts.get(name) ?? prepareCount(kind)
  preparedCounts.set(name, known)
  return known
}

const prepareCount = (kind: ListKind) =>
  prepare<ListValue | 'most', { count: number }>((db, values) =>
    countStatement(db, preparedConditions(kind, values), values.most),
  )

/** Files by id that the caller may see; in the trash, those that the caller may change. */
export async function findShownFiles(
  db: SiteDb,
  visibility: Visibility,
  { ids, hasExif = false }: { ids: readonly string[]; hasExif?: boolean },
  now: Date,
): Promise<ShownFile[]> {
  const [id] = ids
  if (id === undefined) return []
  const at = now.toISOString()
  const rows =
    ids.length === 1
      ? await oneRow(db, narrowedTo(id, visibility), { id, now: at, hasExif })
      : await shownFiles(db, visibility, hasExif)
          .where('file.id', 'in', ids)
          .where(isShownTo(visibility, at))
          .execute()
  return rows.map(shownOfRow)
}

const oneRow = (
  db: SiteDb,
  visibility: Visibility,
  { id, now, hasExif }: { id: string; now: string; hasExif: boolean },
) => shownById(visibility, hasExif).rows(db, { id, now, ...valuesOfVisibility(visibility) })

type ShownById = ReturnType<typeof prepareShownById>
const shownByKind = new Map<string, ShownById>()

/** By far the most frequent: to build the statement each time would cost more than to run it. */
function shownById(visibility: Visibility, hasExif: boolean): ShownById {
  const kind = `${hasExif} ${kindOfVisibility(visibility)}`
  const known = shownByKind.get(kind) ?? prepareShownById(visibility, hasExif)
  shownByKind.set(kind, known)
  return known
}

const prepareShownById = (visibility: Visibility, hasExif: boolean) =>
  prepare<'id' | 'now' | VisibilityValue, ShownRow>((db, values) =>
    shownFiles(db, { userId: values.visibilityUserId }, hasExif)
      .where('file.id', '=', values.id)
      .where(isShownTo(preparedVisibility(visibility, values), values.now)),
  )

/** A file by id, whatever its privacy. */
export async function findShownFile(
  db: SiteDb,
  { id, userId }: { id: string; userId: string },
): Promise<ShownFile | undefined> {
  const [row] = await anyById.rows(db, { id, userId })
  return row && shownOfRow(row)
}

const anyById = prepare<'id' | 'userId', ShownRow>((db, values) =>
  shownFiles(db, { userId: values.userId }, false).where('file.id', '=', values.id),
)

/** Files by id that a caller may see, in the trash or not. */
const isShownTo =
  (visibility: Visibility, now: string) =>
  (eb: ExpressionBuilder<SiteTables, 'file'>): Expression<SqlBool> =>
    eb.and([
      isUnexpired(now)(eb),
      eb.or([eb.and([eb('file.deletedAt', 'is', null), isVisibleTo(visibility)(eb)]), isOwn(visibility)(eb)]),
    ])
