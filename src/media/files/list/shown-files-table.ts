import type { ExpressionBuilder } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { LruMap } from '../../../lib/lru.ts'
import type { Site } from '../../../site/index.ts'
import { foundFiles, isFoundBy } from '../../search/found-files-table.ts'
import { classes, type SearchClass } from '../../search/match-texts.ts'
import type { Sight } from '../../sight-table.ts'
import { fileConditions } from './file-conditions-table.ts'
import type { FilePage, FilePosition, FileSelection, FileSort, FileSortName } from './file-selection.ts'
import { kindOfSight, preparedSight, type SightValue, valuesOfSight } from './prepared-sight.ts'
import {
  type FileQuery,
  type ShownFile,
  type ShownRow,
  shownFiles,
  shownOfRow,
  withShownColumns,
} from './shown-columns-table.ts'

export interface ListedFile extends ShownFile {
  position: FilePosition
}

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>

/** The site as lists need it: PostgreSQL's index of the search needs its number. */
export type ListedSite = Pick<Site, 'db' | 'number' | 'clock'>

/** Files that the caller may list, that the selection chooses and that its query finds. */
export const isSelected =
  ({ db, number, clock }: ListedSite, sight: Sight, { query, ...selection }: FileSelection) =>
  (eb: FileExpressions) => {
    const isChosen = fileConditions(selection, sight, clock.now().toISOString())(eb)
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
export async function pageOfFiles(site: ListedSite, sight: Sight, page: FilePage): Promise<ListedFile[]> {
  const rows =
    isPlain(page.selection) && !page.until
      ? await plainRows(site, sight, page)
      : await pageStatement(site, sight, page).execute()
  return rows.map((row) => ({ ...shownOfRow(row), position: { value: row.sortValue ?? '', id: row.id } }))
}

/** The statement of a page; a test looks at its plan. */
export const pageStatement = (site: ListedSite, sight: Sight, page: FilePage) =>
  pageQuery(site.db, sight, page).where(isSelected(site, sight, page.selection))

type ListedRow = ShownRow & { sortValue: string | number | null }

function pageQuery(db: SiteDb, sight: Pick<Sight, 'userId'>, page: Omit<FilePage, 'selection'>) {
  const { sort, after, until, limit, hasExif } = page
  const column = sortColumns[sort.by as FileSortName]
  const [direction, operator, opposite] = sort.isDescending
    ? (['desc', '<', '>'] as const)
    : (['asc', '>', '<'] as const)
  let query = shownFiles(db, sight, hasExif)
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

type PlainSelection = Pick<FileSelection, 'albumId' | 'userId' | 'isTrashed' | 'isApproved'>

const plainFields: ReadonlySet<string> = new Set([
  'albumId',
  'userId',
  'isTrashed',
  'isApproved',
] satisfies (keyof PlainSelection)[])

/** Whole lists, those of an album and of a user, the trash and the queue: most requests. */
const isPlain = (selection: FileSelection): selection is PlainSelection =>
  Object.entries(selection).every(([name, value]) => value === undefined || plainFields.has(name))

/** Lists of one kind have the same conditions, with other values. */
interface ListKind {
  sight: Sight
  isTrashed: boolean
  isApproved: boolean | undefined
  /** `none`: files without an album. */
  album: 'any' | 'none' | 'given'
  hasUser: boolean
}

type ListValue = SightValue | 'albumId' | 'userId' | 'now'

const listKindOf = (sight: Sight, selection: PlainSelection): ListKind => ({
  ...{ sight, isTrashed: selection.isTrashed ?? false, isApproved: selection.isApproved },
  ...{ album: albumKindOf(selection), hasUser: selection.userId !== undefined },
})

function albumKindOf({ albumId }: PlainSelection): ListKind['album'] {
  if (albumId === undefined) return 'any'
  return albumId === null ? 'none' : 'given'
}

const nameOfKind = ({ sight, isTrashed, isApproved, album, hasUser }: ListKind): string =>
  [kindOfSight(sight), isTrashed, isApproved, album, hasUser].join()

const valuesOfList = ({ clock }: ListedSite, sight: Sight, { albumId, userId }: PlainSelection) => ({
  ...valuesOfSight(sight),
  ...{ albumId: albumId ?? '', userId: userId ?? '', now: clock.now().toISOString() },
})

/** The conditions of a list with placeholders for its values. */
const preparedConditions = (
  { sight, isTrashed, isApproved, album, hasUser }: ListKind,
  values: Readonly<Record<ListValue, never>>,
) =>
  fileConditions(
    {
      isTrashed,
      ...(isApproved !== undefined && { isApproved }),
      ...(album !== 'any' && { albumId: album === 'none' ? null : values.albumId }),
      ...(hasUser && { userId: values.userId }),
    },
    preparedSight(sight, values),
    values.now,
  )

/** By a prepared statement: to build it would take longer than to read the page. */
function plainRows(site: ListedSite, sight: Sight, page: FilePage): Promise<readonly ListedRow[]> {
  const { selection, sort, after, limit, hasExif } = page
  const kind = { ...listKindOf(sight, selection), sort, hasExif, isContinued: after !== undefined }
  return preparedPage(kind).rows(site.db, {
    ...{ ...valuesOfList(site, sight, selection), limit },
    ...{ afterValue: after?.value ?? '', afterId: after?.id ?? '' },
  })
}

interface PageKind extends ListKind {
  sort: FileSort
  hasExif: boolean
  isContinued: boolean
}

const keptStatements = 200
const preparedPages = new LruMap<string, ReturnType<typeof preparePage>>(keptStatements)

function preparedPage(kind: PageKind) {
  const { sort, hasExif, isContinued } = kind
  const name = [nameOfKind(kind), sort.by, sort.isDescending, isContinued, hasExif].join()
  const known = preparedPages.get(name) ?? preparePage(kind)
  preparedPages.set(name, known)
  return known
}

const preparePage = ({ sort, hasExif, isContinued, ...kind }: PageKind) =>
  prepare<ListValue | 'limit' | 'afterValue' | 'afterId', ListedRow>((db, values) => {
    const after = isContinued ? { value: values.afterValue, id: values.afterId } : undefined
    const page = { sort, after, limit: values.limit, hasExif }
    return pageQuery(db, { userId: values.sightUserId }, page).where(preparedConditions(kind, values))
  })

/** A page of the files that a query finds, class by class, the newest of each first. */
export async function pageByRelevance(
  site: ListedSite,
  sight: Sight,
  { selection: { query, ...selection }, after, limit, hasExif }: Omit<FilePage, 'sort'>,
): Promise<ListedFile[]> {
  if (!query) return []
  const isNarrow = await hasFewFiles(site, sight, selection)
  const rows: (ShownRow & { class: SearchClass; number: number })[] = []
  const [firstClass, firstBelow] = after ? [Number(after.value), Number(after.id)] : [1, undefined]
  for (const only of classes.filter((each) => each >= firstClass)) {
    const below = only === firstClass ? firstBelow : undefined
    const found = foundFiles({ db: site.db, site: site.number, query, isNarrow }, only, below)
    const ofClass = await withShownColumns(found as unknown as FileQuery, sight, hasExif)
      .select((eb) =>
        (eb as unknown as ExpressionBuilder<SiteTables, 'file' | 'fileText'>)
          .ref('fileText.number')
          .as('number'),
      )
      .where(fileConditions(selection, sight, site.clock.now().toISOString()))
      .limit(limit - rows.length)
      .execute()
    rows.push(...ofClass.map((row) => ({ ...row, class: only })))
    if (rows.length >= limit) break
  }
  return rows.map((row) => ({
    ...shownOfRow(row),
    position: { value: row.class, id: String(row.number) },
  }))
}

const fewFiles = 1_000

/**
 * Whether an owner or an album leaves few files: comparing their words takes less than reading all that the index has for a common
 * word, of which most belong to others.
 */
async function hasFewFiles(site: ListedSite, sight: Sight, selection: FileSelection): Promise<boolean> {
  const isBound =
    typeof (selection.albumId ?? selection.userId ?? sight.albumId) === 'string' ||
    selection.ids !== undefined ||
    !(sight.seesAll || sight.listsOthers)
  return isBound && (await countFilesUpTo(site, sight, { selection, most: fewFiles + 1 })) <= fewFiles
}

/** Counts the files of a list, but no further than `most`. */
export async function countFilesUpTo(
  site: ListedSite,
  sight: Sight,
  { selection, most }: { selection: FileSelection; most: number },
): Promise<number> {
  const [row] = isPlain(selection)
    ? await preparedCount(listKindOf(sight, selection)).rows(site.db, {
        ...valuesOfList(site, sight, selection),
        most,
      })
    : await countStatement(site.db, isSelected(site, sight, selection), most).execute()
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
