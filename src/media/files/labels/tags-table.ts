import type { ExpressionBuilder } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { sortForm } from '../../search/words.ts'
import { isListedTo, type Visibility } from '../../visibility-table.ts'
import { isLive } from '../files-table.ts'

/** Those of the names that are already tags of the site. */
export async function knownTags(db: SiteDb, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await db.selectFrom('tag').select('name').where('name', 'in', names).execute()
  return new Set(rows.map((row) => row.name))
}

/** False if the tag already exists. */
export async function insertTag(db: SiteDb, name: string, at: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('tag')
    .values({ name, createdAt: at.toISOString(), form: sortForm(name) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function insertFileTags(db: SiteDb, fileId: string, names: readonly string[]): Promise<void> {
  await insertTagsOfFiles(
    db,
    names.map((tagName) => ({ fileId, tagName })),
  )
}

interface FileTag {
  fileId: string
  tagName: string
}

/** Each row has a few parameters, and SQLite takes 32,766 of them. */
const mostPerStatement = 5_000

export async function insertTagsOfFiles(db: SiteDb, tags: readonly FileTag[]): Promise<void> {
  for (let from = 0; from < tags.length; from += mostPerStatement)
    await db
      .insertInto('fileTag')
      .values(tags.slice(from, from + mostPerStatement))
      .execute()
}

/** Takes tags off files. The tags themselves stay. */
export async function deleteFileTags(db: SiteDb, tags: readonly FileTag[]): Promise<void> {
  for (const [tagName, ofTag] of Map.groupBy(tags, (tag) => tag.tagName))
    await db
      .deleteFrom('fileTag')
      .where('tagName', '=', tagName)
      .where(
        'fileId',
        'in',
        ofTag.map(({ fileId }) => fileId),
      )
      .execute()
}

const tagsById = prepare((db, { fileId }: Record<'fileId', never>) =>
  db.selectFrom('fileTag').select('tagName').where('fileId', '=', fileId).orderBy('tagName'),
)

export async function tagsOfFile(db: SiteDb, fileId: string): Promise<string[]> {
  const rows = await tagsById.rows(db, { fileId })
  return rows.map((row) => row.tagName)
}

/** The tags of each file, by file id. */
export async function tagsOfFiles(db: SiteDb, ids: readonly string[]): Promise<Map<string, string[]>> {
  const tags = new Map<string, string[]>()
  const [id] = ids
  if (id === undefined) return tags
  if (ids.length === 1) return tags.set(id, await tagsOfFile(db, id))
  const rows = await db
    .selectFrom('fileTag')
    .select(['fileId', 'tagName'])
    .where('fileId', 'in', ids)
    .orderBy('tagName')
    .execute()
  for (const { fileId, tagName } of rows) {
    const known = tags.get(fileId)
    if (known) known.push(tagName)
    else tags.set(fileId, [tagName])
  }
  return tags
}

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

export async function hasTag(db: SiteDb, name: string): Promise<boolean> {
  const row = await db.selectFrom('tag').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

/** Some of the files with the tag, by id. */
export async function filesOfTag(
  db: SiteDb,
  name: string,
  { after = '', limit }: { after?: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('fileTag')
    .select('fileId')
    .where('tagName', '=', name)
    .where('fileId', '>', after)
    .orderBy('fileId')
    .limit(limit)
    .execute()
  return rows.map(({ fileId }) => fileId)
}

/** Gives these files another tag in place of one; a file that has both keeps the other. */
export async function moveFileTags(
  db: SiteDb,
  ids: readonly string[],
  { from, to }: { from: string; to: string | undefined },
): Promise<void> {
  if (to !== undefined)
    await db
      .updateTable('fileTag')
      .set({ tagName: to })
      .where('tagName', '=', from)
      .where('fileId', 'in', ids)
      .where('fileId', 'not in', (eb) =>
        eb.selectFrom('fileTag as other').select('other.fileId').where('other.tagName', '=', to),
      )
      .execute()
  await db.deleteFrom('fileTag').where('tagName', '=', from).where('fileId', 'in', ids).execute()
}

export async function deleteTag(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('tag').where('name', '=', name).execute()
}
