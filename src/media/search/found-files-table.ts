import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { isSqlite, type SiteDb, type SiteTables } from '../../db/index.ts'
import {
  betterThan,
  type MatchTexts,
  matchTexts,
  type PatternsIn,
  patternsOf,
  type SearchClass,
} from './match-texts.ts'
import type { SearchQuery } from './search-query.ts'

/** A query on one site: PostgreSQL needs the site's number, with which every word in its index begins. */
export interface Search {
  db: SiteDb
  site: number
  query: SearchQuery
  /** Whether the other conditions of the list leave few files. */
  isNarrow?: boolean
}

/** The table of SQLite's index, which is no table of a site: rows are copied without it. */
interface FileWordsTable {
  fileWords: { rowid: number }
}

export type FoundFiles = SelectQueryBuilder<SiteTables, 'fileText' | 'file', object>

/** Files of one class, the newest first; with `below` only those with a lower number. */
export function foundFiles(search: Search, only: SearchClass, below: number | undefined): FoundFiles {
  if (search.isNarrow) return foundAmongFew(search, only, below)
  const { db, site, query } = search
  return foundByIndex({ db, texts: matchTexts(query, site, only) }, only, below)
}

/** The texts of a query, or placeholders for them. */
interface IndexSearch {
  db: SiteDb
  texts: MatchTexts
}

/** The statement depends on which texts there are, and not on the query. */
export function foundByIndex(search: IndexSearch, only: SearchClass, below: number | undefined): FoundFiles {
  return isSqlite(search.db) ? foundOnSqlite(search, below) : foundOnPostgres(search, only, below)
}

/** Compares the words of each file. The cross join lets SQLite begin with the files. */
function foundAmongFew({ db, query }: Search, only: SearchClass, below: number | undefined): FoundFiles {
  const rows = db
    .selectFrom('file')
    .crossJoin('fileText')
    .whereRef('fileText.fileId', '=', 'file.id')
    .where(hasPatterns(query, only) as never)
    .orderBy('fileText.number', 'desc')
  return below === undefined ? rows : rows.where('fileText.number', '<', below)
}

const hasPatterns =
  (query: SearchQuery, only: SearchClass) => (eb: ExpressionBuilder<SiteTables, 'fileText'>) => {
    const { wanted, unwanted } = patternsOf(query, only)
    const hasAll = ({ patterns, fields }: PatternsIn) =>
      eb.and(
        patterns.map((pattern) =>
          eb.or(
            columnsOf[fields].map((column) => eb(sql<string>`${sql.ref(column)} || ' '`, 'like', pattern)),
          ),
        ),
      )
    return eb.and([hasAll(wanted), ...unwanted.map((each) => eb.not(hasAll(each)))])
  }

const columnsOf: Record<SearchClass, readonly string[]> = {
  1: ['fileText.title', 'fileText.tags'],
  2: ['fileText.title', 'fileText.tags', 'fileText.name'],
  3: ['fileText.title', 'fileText.tags', 'fileText.name', 'fileText.description'],
}

/** Cross joins keep this order: SQLite reads its index from the newest row on, and stops at the limit. */
function foundOnSqlite({ db, texts }: IndexSearch, below: number | undefined): FoundFiles {
  const rows = (db as unknown as Kysely<SiteTables & FileWordsTable>)
    .selectFrom('fileWords')
    .crossJoin('fileText')
    .crossJoin('file')
    .whereRef('fileText.number', '=', 'fileWords.rowid')
    .whereRef('file.id', '=', 'fileText.fileId')
    .where(matching(texts.fts5))
    .orderBy('fileWords.rowid', 'desc')
  // FTS5 ignores a bound that is no integer, and numbers are bound as floats.
  const bound = sql<number>`cast(${below} as integer)`
  const found = below === undefined ? rows : rows.where('fileWords.rowid', '<', bound)
  return found as unknown as FoundFiles
}

function foundOnPostgres(
  { db, texts }: IndexSearch,
  only: SearchClass,
  below: number | undefined,
): FoundFiles {
  const rows = db
    .selectFrom('fileText')
    .innerJoin('file', 'file.id', 'fileText.fileId')
    .where((eb) => eb.and(vectorConditions(texts, only)))
    .orderBy('fileText.number', 'desc')
  return below === undefined ? rows : rows.where('fileText.number', '<', below)
}

/** A condition on files, for lists in another order and for counts. */
export const isFoundBy =
  ({ db, site, query }: Search) =>
  (eb: ExpressionBuilder<SiteTables, 'file'>): Expression<SqlBool> => {
    const texts = matchTexts(query, site)
    if (!isSqlite(db))
      return eb(
        'file.id',
        'in',
        eb
          .selectFrom('fileText')
          .select('fileText.fileId')
          .where((text) => text.and(vectorConditions(texts))),
      )
    const words = (eb as unknown as ExpressionBuilder<SiteTables & FileWordsTable, 'file'>)
      .selectFrom('fileWords')
      .innerJoin('fileText', 'fileText.number', 'fileWords.rowid')
      .select('fileText.fileId')
      .where(matching(texts.fts5))
    return eb('file.id', 'in', words)
  }

const matching = (text: string) => sql<boolean>`${sql.ref('fileWords')} match ${text}`

/** Without a class: all files that are found. */
function vectorConditions(texts: MatchTexts, only?: SearchClass): Expression<SqlBool>[] {
  const better = only && betterThan(only)
  return [
    matches(only ?? 3, texts.included),
    ...(better && texts.better !== undefined ? [isNot(matches(better, texts.better))] : []),
    ...(texts.excluded === undefined ? [] : [isNot(matches(3, texts.excluded))]),
  ]
}

const matches = (fields: SearchClass, text: string) =>
  sql<boolean>`${sql.ref(`fileText.searchVector${fields}`)} @@ ${text}::tsquery`

const isNot = (condition: Expression<SqlBool>) => sql<boolean>`not (${condition})`
