import type { Caller } from '../../../accounts/index.ts'
import type { Site } from '../../../site/index.ts'
import { noSuchFile } from '../../errors.ts'
import { countFound, pageByRelevance } from '../../search/relevance-table.ts'
import { readQuery } from '../../search/search-query.ts'
import { seesEverything, type Visibility, visibilityById, visibilityOf } from '../../visibility.ts'
import type { StoredFile } from '../stored-file.ts'
import type { FilePage, FilePosition, FileSelection, FileSort } from './file-selection.ts'
import { type FileShape, shapesAfter, shapesByRelevance } from './file-shapes-table.ts'
import type { ListedFile } from './listed-file.ts'
import type { ShownFile } from './shown-columns-table.ts'
import { countFilesUpTo, findShownFile, findShownFiles, pageOfFiles } from './shown-files-table.ts'

/** A page of the files that the caller may list. */
export async function listShownFiles(site: Site, caller: Caller, page: FilePage): Promise<ListedFile[]> {
  const visibility = await visibilityOf(site, caller)
  if (page.sort.by === 'given') return pageInGivenOrder(site, visibility, page)
  return page.sort.by === 'relevance'
    ? pageByRelevance(site, visibility, page)
    : pageOfFiles(site, visibility, page)
}

/** In the order of the ids of the selection, which are few. A place among them is their index; it is found again by the id. */
async function pageInGivenOrder(
  site: Site,
  visibility: Visibility,
  { selection, after, until, limit, hasExif }: Omit<FilePage, 'sort'>,
): Promise<ListedFile[]> {
  const { ids = [] } = selection
  const indexOf = ({ id, value }: FilePosition) => (ids.includes(id) ? ids.indexOf(id) : Number(value) - 1)
  const first = after ? indexOf(after) + 1 : 0
  const some = ids.slice(first, until ? indexOf(until) + 1 : undefined)
  if (some.length === 0) return []
  const page = { selection: { ...selection, ids: some }, sort: byAge, after: undefined, limit: some.length }
  const found = await pageOfFiles(site, visibility, { ...page, hasExif })
  const byId = new Map(found.map((listed) => [listed.file.id, listed]))
  const inOrder = some.flatMap((id, index) => {
    const listed = byId.get(id)
    return listed ? [{ ...listed, position: { value: first + index, id } }] : []
  })
  return inOrder.slice(0, limit)
}

const byAge: FileSort = { by: 'created', isDescending: true }

/** All files that a query finds, for an operator. */
export async function searchFiles(
  site: Site,
  { text, limit }: { text: string; limit: number },
): Promise<StoredFile[]> {
  const page = { selection: { query: readQuery(text) }, after: undefined, limit, hasExif: false }
  return (await pageByRelevance(site, seesEverything, page)).map(({ file }) => file)
}

/** The number of files of a list, counted up to `most`. */
export async function countShownFiles(
  site: Site,
  caller: Caller,
  count: { selection: FileSelection; most: number },
): Promise<number> {
  const visibility = await visibilityOf(site, caller)
  return count.selection.query ? countFound(site, visibility, count) : countFilesUpTo(site, visibility, count)
}

/** A file by its id. One that the caller may not see is answered as one that does not exist. */
export async function readShownFile(
  site: Site,
  caller: Caller,
  { id, hasExif = false }: { id: string; hasExif?: boolean },
): Promise<ShownFile> {
  const [shown] = await findShownFiles(
    site.db,
    visibilityById(caller),
    { ids: [id], hasExif },
    site.clock.now(),
  )
  if (!shown) throw noSuchFile(id)
  return shown
}

/** Files by their ids, in that order. One that the caller may not see, or that is in the trash, is refused as unknown. */
export async function readShownFiles(
  site: Site,
  caller: Caller,
  ids: readonly string[],
): Promise<ShownFile[]> {
  const found = new Map<string, ShownFile>()
  for (let from = 0; from < ids.length; from += mostInStatement) {
    const some = ids.slice(from, from + mostInStatement)
    for (const shown of await findShownFiles(
      site.db,
      visibilityById(caller),
      { ids: some },
      site.clock.now(),
    ))
      if (!shown.file.deletedAt) found.set(shown.file.id, shown)
  }
  return ids.map((id) => {
    const shown = found.get(id)
    if (!shown) throw noSuchFile(id)
    return shown
  })
}

const mostInStatement = 500

/** A file as its uploader sees it, whatever its privacy and approval. */
export async function showFile(site: Site, caller: Caller, id: string): Promise<ShownFile> {
  const shown = await findShownFile(site.db, { id, userId: caller.kind === 'user' ? caller.userId : '' })
  if (!shown) throw noSuchFile(id)
  return shown
}

/** The shapes of the files that the caller may list, so that a page knows its layout before it reads the files. */
export async function listShapes(
  site: Site,
  caller: Caller,
  page: Omit<FilePage, 'hasExif' | 'until'>,
): Promise<FileShape[]> {
  const visibility = await visibilityOf(site, caller)
  if (page.sort.by === 'given') {
    const files = await pageInGivenOrder(site, visibility, { ...page, hasExif: false })
    return files.map(({ file: { width, height }, position }) => ({ width, height, position }))
  }
  return page.sort.by === 'relevance'
    ? shapesByRelevance(site, visibility, page)
    : shapesAfter(site, visibility, page)
}

export interface Neighbours {
  previous: StoredFile | undefined
  next: StoredFile | undefined
}

/** The files before and after a file in the order of its album, as the caller sees the album. */
export async function neighboursOf(
  site: Site,
  caller: Caller,
  { file, sort }: { file: StoredFile; sort: FileSort },
): Promise<Neighbours> {
  const { albumId } = file
  if (albumId === undefined) return { previous: undefined, next: undefined }
  const visibility = await visibilityOf(site, caller)
  const page = { selection: { albumId }, after: undefined, limit: 1, hasExif: false }
  const [own] = await pageOfFiles(site, visibility, { ...page, sort, selection: { albumId, ids: [file.id] } })
  if (!own) return { previous: undefined, next: undefined }
  const beside = (isDescending: boolean) =>
    fileAfter(site, visibility, { ...page, after: own.position, sort: { ...sort, isDescending } })
  const [previous, next] = await Promise.all([beside(!sort.isDescending), beside(sort.isDescending)])
  return { previous, next }
}

const fileAfter = async (site: Site, visibility: Visibility, page: Parameters<typeof pageOfFiles>[2]) =>
  (await pageOfFiles(site, visibility, page))[0]?.file
