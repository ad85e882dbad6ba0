import {
  type Caller,
  type CheckVersion,
  checkStillAdministrator,
  limitReached,
  type UserCaller,
} from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import {
  addToTotal,
  type ChangingSite,
  limitOf,
  lockTotal,
  recordChange,
  type Site,
} from '../../site/index.ts'
import { noSuchPage, urlKeyTaken } from '../errors.ts'
import { mostSortOrder } from './page-rules.ts'
import {
  allPages,
  deletePageRow,
  findPage,
  hasUrlKey,
  insertPage,
  type Page,
  type PageOfList,
  type PagePosition,
  pagesAfter,
  updatePage,
  updateSortOrder,
  visiblePages,
} from './pages-table.ts'

/** The pages in their order; hidden ones are for administrators. */
export function listPages(
  site: Site,
  caller: Caller,
  page: { after: PagePosition | undefined; limit: number },
): Promise<PageOfList[]> {
  return pagesAfter(site.db, seesHidden(caller) ? page : { ...page, isVisible: true })
}

/** What the foot of every page of the site leads to. */
export const listFooterPages = (site: Site): Promise<readonly Pick<Page, 'urlKey' | 'title'>[]> =>
  visiblePages(site.db)

/** Undefined if the page is hidden or gone. */
export async function findVisiblePage(site: Site, urlKey: string): Promise<Page | undefined> {
  const page = await findPage(site.db, urlKey)
  return page?.isVisible ? page : undefined
}

export async function readPage(site: Site, caller: Caller, name: string): Promise<Page> {
  const page = await findPage(site.db, name)
  if (!page || !(page.isVisible || seesHidden(caller))) throw noSuchPage(name)
  return page
}

const seesHidden = (caller: Caller) =>
  caller.kind === 'user' &&
  caller.role === 'admin' &&
  caller.scope === 'admin' &&
  caller.albumId === undefined

export type PageFields = Pick<Page, 'urlKey' | 'title' | 'body' | 'isVisible' | 'sortOrder'>

/** Without a position the page becomes the last one. */
export function createPage(
  site: ChangingSite,
  caller: UserCaller,
  fields: Omit<PageFields, 'sortOrder'> & { sortOrder?: number },
): Promise<Page> {
  return asAdministrator(site, caller, async (db, now) => {
    const { sortOrder = await endOfOrder(db) } = fields
    const page: Page = { id: randomId(), ...fields, sortOrder, createdAt: now, updatedAt: now, version: 1 }
    if (!(await insertPage(db, page))) throw urlKeyTaken(fields.urlKey)
    const limit = limitOf(site.values, 'SERVICE_MAX_PAGES')
    if (!(await addToTotal(db, 'pages', 1, limit))) throw limitReached('SERVICE_MAX_PAGES', limit ?? 0)
    await recordChange({ ...site, db }, { verb: 'page.created', target: page.id, after: page })
    return page
  })
}

interface PageChange {
  /** The id or the key. */
  name: string
  checkVersion: CheckVersion
}

export function editPage(
  site: ChangingSite,
  caller: UserCaller,
  { name, edit, checkVersion }: PageChange & { edit: Partial<PageFields> },
): Promise<Page> {
  return asAdministrator(site, caller, async (db, now) => {
    const page = await requirePage(db, name)
    checkVersion(page.version)
    const edited = { ...page, ...edit, updatedAt: now, version: page.version + 1 }
    if (edited.urlKey !== page.urlKey && (await hasUrlKey(db, edited.urlKey)))
      throw urlKeyTaken(edited.urlKey)
    await updatePage(db, edited)
    await recordChange(
      { ...site, db },
      { verb: 'page.updated', target: page.id, before: page, after: edited },
    )
    return edited
  })
}

export function removePage(
  site: ChangingSite,
  caller: UserCaller,
  { name, checkVersion }: PageChange,
): Promise<void> {
  return asAdministrator(site, caller, async (db) => {
    const page = await requirePage(db, name)
    checkVersion(page.version)
    await deletePageRow(db, page.id)
    await addToTotal(db, 'pages', -1)
    await recordChange({ ...site, db }, { verb: 'page.deleted', target: page.id, before: page })
  })
}

/** Moves a page by one place. Only pages whose position changes are written. */
export function movePage(
  site: ChangingSite,
  caller: UserCaller,
  { id, isUp }: { id: string; isUp: boolean },
): Promise<void> {
  return asAdministrator(site, caller, async (db, now) => {
    const pages = await allPages(db)
    const from = pages.findIndex((page) => page.id === id)
    const moved = pages[from]
    if (!moved) throw noSuchPage(id)
    const ordered = pages.toSpliced(from, 1).toSpliced(Math.max(from + (isUp ? -1 : 1), 0), 0, moved)
    for (const [index, { id: target, sortOrder }] of ordered.entries()) {
      if (sortOrder === index) continue
      await updateSortOrder(db, target, index, now)
      const order = { before: { sortOrder }, after: { sortOrder: index } }
      await recordChange({ ...site, db }, { verb: 'page.updated', target, ...order })
    }
  })
}

async function endOfOrder(db: SiteDb): Promise<number> {
  const last = (await allPages(db)).at(-1)
  return last ? Math.min(last.sortOrder + 1, mostSortOrder) : 0
}

/** One transaction under the lock of all pages. */
function asAdministrator<T>(
  site: ChangingSite,
  caller: UserCaller,
  work: (db: SiteDb, now: Date) => Promise<T>,
): Promise<T> {
  return inTransaction(site.db, async (db) => {
    await lockTotal(db, 'pages')
    const now = site.clock.now()
    await checkStillAdministrator(db, caller, now)
    return work(db, now)
  })
}

async function requirePage(db: SiteDb, name: string): Promise<Page> {
  const page = await findPage(db, name)
  if (!page) throw noSuchPage(name)
  return page
}
