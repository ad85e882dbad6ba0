import { sql } from 'kysely'
import type { SiteDb } from '../../../db/index.ts'
import { albumTexts } from '../words/album-words.ts'
import { sortForm } from '../words/text-form.ts'

/** Gives up to `limit` tags their form; returns how many. */
export async function updateTagsWithoutForm(db: SiteDb, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('tag')
    .select('name')
    .where('form', '=', '')
    .orderBy('name')
    .limit(limit)
    .execute()
  for (const { name } of rows)
    await db
      .updateTable('tag')
      .set({ form: sortForm(name) })
      .where('name', '=', name)
      .execute()
  return rows.length
}

/** Gives up to `limit` albums what they are found and sorted by; returns how many. */
export async function updateAlbumsWithoutTexts(db: SiteDb, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('album')
    .select(['id', 'title', 'description'])
    .where('titleSort', '=', sql.lit(''))
    .orderBy('id')
    .limit(limit)
    .execute()
  for (const { id, title, description } of rows)
    await db.updateTable('album').set(albumTexts(title, description)).where('id', '=', id).execute()
  return rows.length
}
