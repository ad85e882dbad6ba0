import type { Kysely } from 'kysely'
import { type SiteDb, type SiteTableName, siteTableNames, siteTables } from '../tables.ts'

export type SiteRow = Record<string, string | number | null>

export interface SiteRowPage {
  table: SiteTableName
  rows: SiteRow[]
}

/** Every row of a site, in an order in which the rows can be inserted; both stores give the same order. */
export async function* siteRowPages(
  db: SiteDb,
  pageSize: number,
  tables: readonly SiteTableName[] = siteTableNames,
): AsyncGenerator<SiteRowPage> {
  for (const table of tables) {
    const isTree = 'parent' in siteTables[table]
    const pages = isTree ? treePages(db, table, pageSize) : tablePages(db, table, pageSize)
    for await (const rows of pages) yield { table, rows }
  }
}

/** How many rows a site has, in all of its tables. */
export async function countSiteRows(db: SiteDb): Promise<number> {
  let rows = 0
  for (const table of siteTableNames) {
    const { count } = await looselyTyped(db)
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    rows += Number(count)
  }
  return rows
}

/** SQLite takes 32,766 parameters in one statement, PostgreSQL 65,535. */
const mostParameters = 30_000

export async function insertSiteRows(
  db: SiteDb,
  table: SiteTableName,
  rows: readonly SiteRow[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  const atOnce = Math.floor(mostParameters / (Object.keys(first).length + 1))
  for (let from = 0; from < rows.length; from += atOnce) {
    await looselyTyped(db)
      .insertInto(table)
      .values(rows.slice(from, from + atOnce))
      .execute()
  }
}

async function* tablePages(db: SiteDb, table: SiteTableName, pageSize: number): AsyncGenerator<SiteRow[]> {
  for (let last: SiteRow | undefined; ; ) {
    const rows = await rowsAfter(db, table, { last, limit: pageSize })
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    if (rows.length < pageSize) return
  }
}

interface Level {
  parents: SiteRow[] | undefined
  last: SiteRow | undefined
}

/** Depth first: the rows without a parent, then the rows that refer to each page of them. */
async function* treePages(db: SiteDb, table: SiteTableName, pageSize: number): AsyncGenerator<SiteRow[]> {
  let seen = 0
  const open: Level[] = [{ parents: undefined, last: undefined }]
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const { parents, last } = level
    const rows = await rowsAfter(db, table, { last, limit: pageSize, parents })
    if (rows.length < pageSize) open.pop()
    level.last = rows.at(-1)
    if (rows.length === 0) continue
    seen += rows.length
    yield rows
    open.push({ parents: rows, last: undefined })
  }
  const { count } = await looselyTyped(db)
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  // Rows that refer to each other in a circle are reached from no row without a parent.
  if (Number(count) !== seen)
    throw new Error(`${Number(count) - seen} rows of "${table}" are in no row that can be reached.`)
}

interface Page {
  last: SiteRow | undefined
  limit: number
  /** Of a tree only: rows that refer to one of these, or to none if undefined. */
  parents?: readonly SiteRow[] | undefined
}

async function rowsAfter(db: SiteDb, table: SiteTableName, page: Page): Promise<SiteRow[]> {
  const { key: keys, parent }: { key: readonly string[]; parent?: string } = siteTables[table]
  const { last, limit, parents } = page
  let query = looselyTyped(db).selectFrom(table).selectAll().limit(limit)
  for (const key of keys) query = query.orderBy(key)
  if (parent !== undefined && 'parents' in page) {
    query = parents
      ? query.where(
          parent,
          'in',
          parents.map((row) => row[keys[0] ?? ''] ?? ''),
        )
      : query.where(parent, 'is', null)
  }
  if (last) {
    query = query.where((eb) =>
      eb.or(
        keys.map((key, index) =>
          eb.and([
            ...keys.slice(0, index).map((earlier) => eb(earlier, '=', last[earlier] ?? null)),
            eb(key, '>', last[key] ?? null),
          ]),
        ),
      ),
    )
  }
  const rows = await query.execute()
  // PostgreSQL rows carry `site`, which the insert adds again, and vectors, which the database computes.
  return rows.map(({ site: _, searchVector1: _1, searchVector2: _2, searchVector3: _3, ...row }) => row)
}

/** A loop over table names has no row type; `test/stores/site-rows.test.ts` covers every table. */
const looselyTyped = (db: SiteDb) => db as unknown as Kysely<Record<SiteTableName, SiteRow>>
