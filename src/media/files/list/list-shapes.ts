import type { Caller } from '../../../accounts/index.ts'
import type { Site } from '../../../site/index.ts'
import { visibilityOf } from '../../visibility.ts'
import type { FilePage } from './file-selection.ts'
import { type FileShape, shapesAfter, shapesByRelevance } from './file-shapes-table.ts'

/** The shapes of the files that the caller may list, so that a page knows its layout before it reads the files. */
export async function listShapes(
  site: Site,
  caller: Caller,
  page: Omit<FilePage, 'hasExif' | 'until'>,
): Promise<FileShape[]> {
  const visibility = await visibilityOf(site, caller)
  return page.sort.by === 'relevance'
    ? shapesByRelevance(site, visibility, page)
    : shapesAfter(site, visibility, page)
}
