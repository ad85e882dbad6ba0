import type { ExpressionBuilder } from 'kysely'
import { isSqlite, prepare, type SiteTables } from '../../db/index.ts'
import { LruMap } from '../../lib/lru.ts'
import {
  fileConditions,
  isPlain,
  keptStatements,
  type ListKind,
  type ListValue,
  listKindOf,
  nameOfKind,
  preparedConditions,
  valuesOfList,
} from '../files/list/conditions-table.ts'
import type { FilePage, FileSelection } from '../files/list/file-selection.ts'
import type { ListedFile, ListedSite } from '../files/list/listed-file.ts'
import {
  type FileQuery,
  type ShownRow,
  shownOfRow,
  withShownColumns,
} from '../files/list/shown-columns-table.ts'
import { countFilesUpTo } from '../files/list/shown-files-table.ts'
import type { Visibility } from '../visibility-table.ts'
import { type FoundFiles, foundByIndex, foundFiles } from './found-files-table.ts'
import { classes, type MatchTexts, matchTexts, type SearchClass } from './match-texts.ts'
import type { SearchQuery } from './search-query.ts'

type FoundRow = ShownRow & { number: number }

/** A page of the files that a query finds, class by class, the newest of each first. */
export async function pageByRelevance(
  site: ListedSite,
  visibility: Visibility,
  { selection: { query, ...selection }, after, limit, hasExif }: Omit<FilePage, 'sort'>,
): Promise<ListedFile[]> {
  if (!query) return []
  const isNarrow = await hasFewFiles(site, visibility, selection)
  const rows: (FoundRow & { class: SearchClass })[] = []
  const [firstClass, firstBelow] = after ? [Number(after.value), Number(after.id)] : [1, undefined]
  for (const only of classes.filter((each) => each >= firstClass)) {
    const below = only === firstClass ? firstBelow : undefined
    const part = { query, selection, only, below, limit: limit - rows.length, hasExif }
    const ofClass = await rowsOfClass(site, visibility, part, isNarrow)
    rows.push(...ofClass.map((row) => ({ ...row, class: only })))
    if (rows.length >= limit) break
  }
  return rows.map((row) => ({
    ...shownOfRow(row),
    position: { value: row.class, id: String(row.number) },
  }))
}

/** The part of a page that has results of one class. */
interface ClassPart {
  query: SearchQuery
  selection: FileSelection
  only: SearchClass
  /** Only files with a lower number. */
  below: number | undefined
  limit: number
  hasExif: boolean
}

function rowsOfClass(
  site: ListedSite,
  visibility: Visibility,
  part: ClassPart,
  isNarrow: boolean,
): Promise<readonly FoundRow[]> {
  const { query, selection, only, below, limit, hasExif } = part
  if (!isNarrow && isPlain(visibility, selection)) return plainRows(site, visibility, { ...part, selection })
  const found = foundFiles({ db: site.db, site: site.number, query, isNarrow }, only, below)
  return shownFound(found, visibility, hasExif)
    .where(fileConditions(selection, visibility, site.clock.now().toISOString()))
    .limit(limit)
    .execute()
}

const shownFound = (found: FoundFiles, visibility: Pick<Visibility, 'userId'>, hasExif: boolean) =>
  withShownColumns(found as unknown as FileQuery, visibility, hasExif).select((eb) =>
    (eb as unknown as ExpressionBuilder<SiteTables, 'file' | 'fileText'>).ref('fileText.number').as('number'),
  )

/** By a prepared statement, as whole lists are read: most searches have no other filter. */
function plainRows(site: ListedSite, visibility: Visibility, part: PlainPart): Promise<readonly FoundRow[]> {
  const { query, selection, only, below, limit, hasExif } = part
  const texts = matchTexts(query, site.number, only)
  const kind = {
    ...listKindOf(visibility, selection),
    only,
    hasExif,
    isContinued: below !== undefined,
    isExcluding: texts.excluded !== undefined,
  }
  return preparedPart(kind).rows(site.db, {
    ...valuesOfList(site.clock.now(), visibility, selection),
    limit,
    below: below ?? 0,
    ...texts,
    better: texts.better ?? '',
    excluded: texts.excluded ?? '',
  })
}

type PlainPart = ClassPart & { selection: Parameters<typeof listKindOf>[1] }

interface PartKind extends ListKind {
  only: SearchClass
  hasExif: boolean
  isContinued: boolean
  isExcluding: boolean
}

const preparedParts = new LruMap<string, ReturnType<typeof preparePart>>(keptStatements)

function preparedPart(kind: PartKind) {
  const { only, hasExif, isContinued, isExcluding } = kind
  const name = [nameOfKind(kind), only, hasExif, isContinued, isExcluding].join()
  const known = preparedParts.get(name) ?? preparePart(kind)
  preparedParts.set(name, known)
  return known
}

const preparePart = ({ only, hasExif, isContinued, isExcluding, ...kind }: PartKind) =>
  prepare<ListValue | keyof MatchTexts | 'below' | 'limit', FoundRow>((db, values) => {
    const { fts5, included, better } = values
    const texts = { fts5, included, better, excluded: isExcluding ? values.excluded : undefined }
    const found = foundByIndex({ db, texts }, only, isContinued ? values.below : undefined)
    return shownFound(found, { userId: values.visibilityUserId }, hasExif)
      .where(preparedConditions(kind, values))
      .limit(values.limit)
  })

/** Counts the files that a query finds, but no further than `most`. */
export async function countFound(
  site: ListedSite,
  visibility: Visibility,
  { selection: { query, ...selection }, most }: { selection: FileSelection; most: number },
): Promise<number> {
  if (!query) return 0
  const { db, number } = site
  const isNarrow = await hasFewFiles(site, visibility, selection)
  // PostgreSQL plans by how common the words are, and stops at the limit.
  if (!isNarrow && !isSqlite(db))
    return countFilesUpTo(site, visibility, { selection: { ...selection, query }, most })
  const found = isNarrow
    ? classes.map((only) => foundFiles({ db, site: number, query, isNarrow }, only, undefined))
    : [foundByIndex({ db, texts: matchTexts(query, number) }, 3, undefined)]
  let count = 0
  for (const files of found) count += await countOf(site, visibility, { files, selection, most })
  return Math.min(count, most)
}

async function countOf(
  { db, clock }: ListedSite,
  visibility: Visibility,
  { files, selection, most }: { files: FoundFiles; selection: FileSelection; most: number },
): Promise<number> {
  const isListed = fileConditions(selection, visibility, clock.now().toISOString())
  const row = await db
    .selectFrom((files as unknown as FileQuery).select('file.id').where(isListed).limit(most).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

const fewFiles = 1_000

/**
 * Whether an owner or an album leaves few files: comparing their words takes less than reading all that the index has for a common
 * word, of which most belong to others.
 */
async function hasFewFiles(
  site: ListedSite,
  visibility: Visibility,
  selection: FileSelection,
): Promise<boolean> {
  const isBound =
    typeof (selection.albumId ?? selection.userId ?? visibility.albumId) === 'string' ||
    selection.ids !== undefined ||
    !(visibility.seesAll || visibility.listsOthers)
  return isBound && (await countFilesUpTo(site, visibility, { selection, most: fewFiles + 1 })) <= fewFiles
}
