import { prepare, prepareInsertion, type SiteDb, type SiteTables } from '../../db/index.ts'

/** A page that an administrator has written. */
export interface Page {
  id: string
  /** Names the page in addresses. */
  urlKey: string
  title: string
  /** Markdown. */
  body: string
  isVisible: boolean
  sortOrder: number
  createdAt: Date
  updatedAt: Date
  version: number
}

export type PageOfList = Omit<Page, 'body'>

/** The last page of a page of the list; the id orders pages of equal order. */
export interface PagePosition {
  sortOrder: number
  id: string
}

const insertion = prepareInsertion('page', ['urlKey'])

/** False if the key is taken. */
export function insertPage(db: SiteDb, { isVisible, createdAt, updatedAt, ...page }: Page): Promise<boolean> {
  return insertion(db, {
    ...page,
    isVisible: Number(isVisible),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  })
}

export async function pagesAfter(
  db: SiteDb,
  { isVisible, after, limit }: { isVisible?: true; after: PagePosition | undefined; limit: number },
): Promise<PageOfList[]> {
  let query = db.selectFrom('page').select(listColumns)
  if (isVisible) query = query.where('isVisible', '=', 1)
  if (after) {
    query = query.where((eb) =>
      eb.or([
        eb('sortOrder', '>', after.sortOrder),
        eb.and([eb('sortOrder', '=', after.sortOrder), eb('id', '>', after.id)]),
      ]),
    )
  }
  const rows = await query.orderBy('sortOrder').orderBy('id').limit(limit).execute()
  return rows.map(pageOfRow)
}

/** More would fill the foot of every page. */
const mostFooterPages = 12

const footerPages = prepare((db) =>
  db
    .selectFrom('page')
    .select(['urlKey', 'title'])
    .where('isVisible', '=', 1)
    .orderBy('sortOrder')
    .orderBy('id')
    .limit(mostFooterPages),
)

/** The first visible pages, in their order. */
export const visiblePages = (db: SiteDb): Promise<readonly Pick<Page, 'urlKey' | 'title'>[]> =>
  footerPages.rows(db, {})

/** All pages in their order, without their texts. */
export const allPages = (db: SiteDb): Promise<Pick<Page, 'id' | 'sortOrder'>[]> =>
  db.selectFrom('page').select(['id', 'sortOrder']).orderBy('sortOrder').orderBy('id').execute()

export async function updateSortOrder(db: SiteDb, id: string, sortOrder: number, now: Date): Promise<void> {
  await db
    .updateTable('page')
    .set((row) => ({ sortOrder, updatedAt: now.toISOString(), version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** By its id, else by its key. */
export async function findPage(db: SiteDb, name: string): Promise<Page | undefined> {
  const rows = await db
    .selectFrom('page')
    .select([...listColumns, 'body'])
    .where((eb) => eb.or([eb('id', '=', name), eb('urlKey', '=', name)]))
    .execute()
  const row = rows.find(({ id }) => id === name) ?? rows[0]
  return row && { ...pageOfRow(row), body: row.body }
}

export async function hasUrlKey(db: SiteDb, urlKey: string): Promise<boolean> {
  const query = db.selectFrom('page').select('id').where('urlKey', '=', urlKey)
  return (await query.executeTakeFirst()) !== undefined
}

export async function updatePage(db: SiteDb, page: Page): Promise<void> {
  const { id, urlKey, title, body, isVisible, sortOrder, updatedAt, version } = page
  await db
    .updateTable('page')
    .set({ urlKey, title, body, isVisible: Number(isVisible), sortOrder, version })
    .set({ updatedAt: updatedAt.toISOString() })
    .where('id', '=', id)
    .execute()
}

export async function deletePageRow(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('page').where('id', '=', id).execute()
}

const listColumns = [
  'id',
  'urlKey',
  'title',
  'isVisible',
  'sortOrder',
  'createdAt',
  'updatedAt',
  'version',
] as const

const pageOfRow = (row: Pick<SiteTables['page'], (typeof listColumns)[number]>): PageOfList => ({
  id: row.id,
  urlKey: row.urlKey,
  title: row.title,
  sortOrder: row.sortOrder,
  version: row.version,
  isVisible: row.isVisible === 1,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
})
