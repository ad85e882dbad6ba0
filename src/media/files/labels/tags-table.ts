import type { ExpressionBuilder } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { deleteLabelTotals, recountedById } from '../../../site/index.ts'
import { sortForm } from '../../search/words.ts'
import { isListedTo, type Visibility } from '../../visibility-table.ts'
import { isLive } from '../files-table.ts'
import { isCountedByTotals, listedCounts } from './label-counts-table.ts'

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

export const insertTagsOfFiles = (db: SiteDb, tags: readonly FileTag[]): Promise<void> =>
  recountedById(db, idsOf(tags), async () => {
    for (let from = 0; from < tags.length; from += mostPerStatement)
      await db
        .insertInto('fileTag')
        .values(tags.slice(from, from + mostPerStatement))
        .execute()
  })

const idsOf = (tags: readonly FileTag[]) => tags.map(({ fileId }) => fileId)

/** Takes tags off files. The tags themselves stay. */
export const deleteFileTags = (db: SiteDb, tags: readonly FileTag[]): Promise<void> =>
  recountedById(db, idsOf(tags), async () => {
    for (const [tagName, ofTag] of Map.groupBy(tags, (tag) => tag.tagName))
      await db
        .deleteFrom('fileTag')
        .where('tagName', '=', tagName)
        .where('fileId', 'in', idsOf(ofTag))
        .execute()
  })

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
  page: TagPage,
  now: Date,
): Promise<CountedTag[]> {
  const found: CountedTag[] = []
  for (let { after } = page; ; ) {
    const tags = await namesAfter(db, visibility, { ...page, after }, now)
    const labels = tags.map(({ name }) => name)
    const counts = await listedCounts(db, visibility, { kind: 'tag', labels, now })
    const counted = tags.map((tag) => ({ ...tag, files: counts.get(tag.name) ?? 0 }))
    // Those of expired files alone are left out, and the page is filled up.
    found.push(...counted.filter(({ files }) => visibility.seesAll || files > 0))
    if (tags.length < page.limit || found.length >= page.limit) return found.slice(0, page.limit)
    after = tags.at(-1)
  }
}

async function namesAfter(
  db: SiteDb,
  visibility: Visibility,
  { prefix, name, after, limit }: TagPage,
  now: Date,
): Promise<TagPosition[]> {
  let query = db
    .selectFrom('tag')
    .select(['tag.name', 'tag.form'])
    .orderBy('tag.form')
    .orderBy('tag.name')
    .limit(limit)
  if (!visibility.seesAll) query = query.where((eb) => hasListed(visibility, now)(eb))
  if (name !== undefined) query = query.where('tag.name', '=', name)
  if (prefix !== undefined)
    query = query.where('tag.form', '>=', prefix).where('tag.form', '<', `${prefix}${lastCharacter}`)
  if (after)
    query = query.where((eb) =>
      eb(eb.refTuple('tag.form', 'tag.name'), '>', eb.tuple(after.form, after.name)),
    )
  return query.execute()
}

/** Both stores compare texts by bytes, and no character is behind this one. */
const lastCharacter = '\u{10ffff}'

/** Whether the tag has files that the caller may list, expired ones included where totals count them. */
const hasListed = (visibility: Visibility, now: Date) => (eb: ExpressionBuilder<SiteTables, 'tag'>) =>
  eb.exists(isCountedByTotals(visibility) ? totalsFor(visibility, eb) : filesFor(visibility, now, eb))

const totalsFor = ({ userId, listsOthers }: Visibility, eb: ExpressionBuilder<SiteTables, 'tag'>) =>
  eb
    .selectFrom('labelTotal')
    .select('labelTotal.label')
    .where('labelTotal.kind', '=', 'tag')
    .whereRef('labelTotal.label', '=', 'tag.name')
    .where((total) => {
      const listed = total.and([total('labelTotal.userId', '=', ''), total('labelTotal.listed', '>', 0)])
      const own = (id: string) =>
        total.and([total('labelTotal.userId', '=', id), total('labelTotal.files', '>', 0)])
      return total.or([...(listsOthers ? [listed] : []), ...(userId === undefined ? [] : [own(userId)])])
    })

const filesFor = (visibility: Visibility, now: Date, eb: ExpressionBuilder<SiteTables, 'tag'>) =>
  eb
    .selectFrom('fileTag')
    .innerJoin('file', 'file.id', 'fileTag.fileId')
    .select('file.id')
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
export const moveFileTags = (
  db: SiteDb,
  ids: readonly string[],
  change: { from: string; to: string | undefined },
): Promise<void> => recountedById(db, ids, () => moveTags(db, ids, change))

async function moveTags(
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
  await deleteLabelTotals(db, 'tag', name)
}
