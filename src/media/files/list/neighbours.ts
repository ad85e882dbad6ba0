import type { Caller } from '../../../accounts/index.ts'
import type { Site } from '../../../site/index.ts'
import { type Visibility, visibilityOf } from '../../visibility.ts'
import type { StoredFile } from '../stored-file.ts'
import type { FileSort } from './file-selection.ts'
import { pageOfFiles } from './shown-files-table.ts'

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
