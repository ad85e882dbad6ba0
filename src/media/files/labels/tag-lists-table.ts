import type { ExpressionBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../../../db/index.ts'
import { isListedTo, type Visibility } from '../../visibility-table.ts'
import { isLive } from '../files-table.ts'

/** A tag with the number of its files that the caller may list. */
export interface CountedTag {
  name: string
  /** By which tags are sorted and found. */
  form: string
  files: number
}

/** The last tag of a page: the next page begins after it. */
export type TagPosition = Pick<CountedTag, 'name' | 'form'>

interface TagPage {
  /** Only tags whose form begins so. */
  prefix?: string | undefined
  name?: string | undefined
  after?: TagPosition | undefined
  limit: number
}

/** Tags in order. A tag of which the caller may list no file is shown to those who see everything. */
export async function tagsAfter(
  db: SiteDb,
  visibility: Visibility,
  { prefix, name, after, limit }: TagPage,
  now: Date,
): Promise<CountedTag[]> {
  const ofTag = listedFilesOf(visibility, now)
  let query = db
    .selectFrom('tag')
    .select(['tag.name', 'tag.form'])
    .select((eb) =>
      ofTag(eb)
        .select((file) => file.fn.countAll<number>().as('count'))
        .as('files'),
    )
    .orderBy('tag.form')
    .orderBy('tag.name')
    .limit(limit)
  if (!visibility.seesAll) query = query.where((eb) => eb.exists(ofTag(eb).select('file.id')))
  if (name !== undefined) query = query.where('tag.name', '=', name)
  if (prefix !== undefined)
    query = query.where('tag.form', '>=', prefix).where('tag.form', '<', `${prefix}${lastCharacter}`)
  if (after)
    query = query.where((eb) =>
      eb(eb.refTuple('tag.form', 'tag.name'), '>', eb.tuple(after.form, after.name)),
    )
  const rows = await query.execute()
  return rows.map((row) => ({ ...row, files: Number(row.files) }))
}

/** Both stores compare texts by bytes, and no character is behind this one. */
const lastCharacter = '\u{10ffff}'

const listedFilesOf = (visibility: Visibility, now: Date) => (eb: ExpressionBuilder<SiteTables, 'tag'>) =>
  eb
    .selectFrom('fileTag')
    .innerJoin('file', 'file.id', 'fileTag.fileId')
    .whereRef('fileTag.tagName', '=', 'tag.name')
    .where((file) => isListedTo(visibility)(file as unknown as FileExpressions))
    .where((file) => isLive(now.toISOString())(file as unknown as FileExpressions))

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>
