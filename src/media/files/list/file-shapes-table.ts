import type { SelectQueryBuilder } from 'kysely'
import type { SiteTables } from '../../../db/index.ts'
import { foundFiles } from '../../search/found-files-table.ts'
import { classes } from '../../search/match-texts.ts'
import type { Visibility } from '../../visibility-table.ts'
import { fileConditions } from './conditions-table.ts'
import type { FilePage, FilePosition, FileSortName } from './file-selection.ts'
import type { ListedSite } from './listed-file.ts'
import { isSelected, sortColumns } from './shown-files-table.ts'

/** What a layout needs of a file before anything else of it is read. */
export interface FileShape {
  width: number
  height: number
  position: FilePosition
}

type ShapePage = Omit<FilePage, 'hasExif' | 'until'>

/** The shapes of the files of a list, in its order. */
export async function shapesAfter(
  site: ListedSite,
  visibility: Visibility,
  { selection, sort, after, limit }: ShapePage,
): Promise<FileShape[]> {
  const column = sortColumns[sort.by as FileSortName]
  const [direction, operator] = sort.isDescending ? (['desc', '<'] as const) : (['asc', '>'] as const)
  let query = site.db
    .selectFrom('file')
    .select(['file.id', 'file.width', 'file.height'])
    .select((eb) => eb.ref(column).as('value'))
    .where(isSelected(site, visibility, selection))
    .orderBy(column, direction)
    .orderBy('file.id', direction)
    .limit(limit)
  if (after) {
    query = query.where((eb) =>
      eb(eb.refTuple(column, 'file.id'), operator, eb.tuple(after.value, after.id) as never),
    )
  }
  const rows = await query.execute()
  return rows.map(({ width, height, value, id }) => ({ width, height, position: { value: value ?? '', id } }))
}

type FoundQuery = SelectQueryBuilder<SiteTables, 'file' | 'fileText', object>

/** The shapes of the files that a query finds, in the order of `pageByRelevance`. */
export async function shapesByRelevance(
  site: ListedSite,
  visibility: Visibility,
  { selection: { query, ...selection }, after, limit }: Omit<ShapePage, 'sort'>,
): Promise<FileShape[]> {
  if (!query) return []
  const shapes: FileShape[] = []
  const [firstClass, firstBelow] = after ? [Number(after.value), Number(after.id)] : [1, undefined]
  for (const only of classes.filter((each) => each >= firstClass)) {
    const below = only === firstClass ? firstBelow : undefined
    const found = foundFiles({ db: site.db, site: site.number, query, isNarrow: false }, only, below)
    const rows = await (found as unknown as FoundQuery)
      .select(['file.width', 'file.height', 'fileText.number'])
      .where((eb) => fileConditions(selection, visibility, site.clock.now().toISOString())(eb as never))
      .limit(limit - shapes.length)
      .execute()
    for (const { width, height, number } of rows)
      shapes.push({ width, height, position: { value: only, id: String(number) } })
    if (shapes.length >= limit) break
  }
  return shapes
}
