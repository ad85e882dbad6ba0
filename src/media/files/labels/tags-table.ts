import { prepare, type SiteDb } from '../../../db/index.ts'
import { sortForm } from '../../search/words/text-form.ts'

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
