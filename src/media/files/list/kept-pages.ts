import { changeTokenOf } from '../../../db/index.ts'
import { LruMap } from '../../../lib/lru.ts'
import type { Visibility } from '../../visibility-table.ts'
import type { FilePage } from './file-selection.ts'
import type { ListedFile, ListedSite } from './listed-file.ts'

interface KeptPage {
  /** Of the site's rows when the page was read. */
  changeToken: object
  /** Times, in milliseconds, between which no file of the page expires. */
  from: number
  until: number
  files: ListedFile[]
}

/** Of all sites: some 100 KB each. */
const pages = new LruMap<string, KeptPage>(64)

const mostFiles = 101
const mostTextLength = 50_000

/** What all visitors see alike. */
export const isOfVisitors = ({ seesAll, userId, albumId, share }: Visibility, page: FilePage): boolean =>
  !seesAll &&
  userId === undefined &&
  albumId === undefined &&
  share === undefined &&
  !page.hasExif &&
  page.limit <= mostFiles

/**
 * The page as it was read last, if no row of the site has changed since, and no file of the page has expired. Other files that expire
 * leave it as it is. `name` says which page it is, but for the time. Only on SQLite: on PostgreSQL that nothing has changed is a question to the database.
 */
export async function keptPage(
  { db, number, clock }: ListedSite,
  name: readonly [string, Readonly<Record<string, string | number>>],
  read: () => Promise<ListedFile[]>,
): Promise<ListedFile[]> {
  const changeToken = changeTokenOf(db)
  if (!changeToken) return read()
  const [kind, values] = name
  const key = JSON.stringify([number, kind, { ...values, now: '' }])
  const now = clock.now().getTime()
  const known = pages.get(key)
  if (known?.changeToken === changeToken && known.from <= now && now < known.until) return [...known.files]
  const files = await read()
  if (textLength(files) <= mostTextLength)
    pages.set(key, { changeToken, from: now, until: firstEnd(files), files })
  return [...files]
}

const firstEnd = (files: readonly ListedFile[]): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...files.map(({ file }) => file.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
  )

const textLength = (files: readonly ListedFile[]): number =>
  files.reduce((sum, { file }) => sum + (file.title?.length ?? 0) + (file.description?.length ?? 0), 0)
