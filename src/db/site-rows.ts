import type { Kysely } from 'kysely'
import { type SiteDb, siteTableNames } from './tables.ts'

export type SiteTableName = (typeof siteTableNames)[number]
export type SiteRow = Record<string, string | number | null>

export interface SiteRowPage {
  table: SiteTableName
  rows: SiteRow[]
}

/** By what each table is paged. */
export const siteTableKeys: Readonly<Record<SiteTableName, readonly string[]>> = {
  user: ['id'],
  userKey: ['id'],
  session: ['tokenHash'],
  album: ['id'],
  category: ['id'],
  storage: ['id'],
  file: ['id'],
  tag: ['name'],
  fileTag: ['fileId', 'tagName'],
  fileLike: ['fileId', 'userId'],
  albumLike: ['albumId', 'userId'],
  page: ['id'],
  loginProvider: ['name'],
  setting: ['name'],
  removal: ['id'],
  uploadMark: ['id'],
  total: ['name'],
  jobRun: ['name'],
  jobFence: ['id'],
  freedName: ['folder', 'nameKey'],
  passwordTry: ['id'],
}

/** Every row of a site, in an order in which they can be inserted, and in the same order on both stores. */
export async function* siteRowPages(db: SiteDb, pageSize: number): AsyncGenerator<SiteRowPage> {
  for (const table of siteTableNames) {
    const pages = table === 'album' ? albumPages(db, pageSize) : tablePages(db, table, pageSize)
    for await (const rows of pages) yield { table, rows }
  }
}

/** More parameters than this in one statement are refused by one of the stores. */
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

/** An album refers to its parent, which may have any id: parents come first, and then what is in them. */
async function* albumPages(db: SiteDb, pageSize: number): AsyncGenerator<SiteRow[]> {
  let seen = 0
  const open: { parents: SiteRow[] | undefined; last: SiteRow | undefined }[] = [
    { parents: undefined, last: undefined },
  ]
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const { parents, last } = level
    const rows = await rowsAfter(db, 'album', { last, limit: pageSize, parents })
    if (rows.length < pageSize) open.pop()
    level.last = rows.at(-1)
    if (rows.length === 0) continue
    seen += rows.length
    yield rows
    open.push({ parents: rows, last: undefined })
  }
  const { count } = await db
    .selectFrom('album')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  // Albums that lie in each other would be missing in silence.
  if (Number(count) !== seen)
    throw new Error(`${Number(count) - seen} albums lie in no album that can be reached.`)
}

interface Page {
  last: SiteRow | undefined
  limit: number
  /** Of albums only: those that lie in these, or in none. */
  parents?: readonly SiteRow[] | undefined
}

async function rowsAfter(db: SiteDb, table: SiteTableName, page: Page): Promise<SiteRow[]> {
  const keys = siteTableKeys[table]
  const { last, limit, parents } = page
  let query = looselyTyped(db).selectFrom(table).selectAll().limit(limit)
  for (const key of keys) query = query.orderBy(key)
  if ('parents' in page) {
    query = parents
      ? query.where(
          'parentId',
          'in',
          parents.map(({ id }) => id ?? ''),
        )
      : query.where('parentId', 'is', null)
  }
  if (last) {
    query = query.where((eb) =>
      eb.or(
        keys.map((key, place) =>
          eb.and([
            ...keys.slice(0, place).map((earlier) => eb(earlier, '=', last[earlier] ?? null)),
            eb(key, '>', last[key] ?? null),
          ]),
        ),
      ),
    )
  }
  const rows = await query.execute()
  // On a shared server each row tells its site, which whoever inserts it adds anew.
  return rows.map(({ site: _, ...row }) => row)
}

/** Each table in turn cannot be said in types; the tests go through all of them. */
const looselyTyped = (db: SiteDb) => db as unknown as Kysely<Record<SiteTableName, SiteRow>>
