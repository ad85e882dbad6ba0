import type { SiteDb } from '../../../db/index.ts'

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
