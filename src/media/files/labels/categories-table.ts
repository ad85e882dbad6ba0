import { prepare, type SiteDb } from '../../../db/index.ts'
import { deleteLabelTotals } from '../../../site/index.ts'
import type { Visibility } from '../../visibility-table.ts'
import { listedCounts } from './label-counts-table.ts'

export interface Category {
  id: number
  name: string
  urlKey: string
  description: string | undefined
}

/** A category with the number of its files that the caller may list. */
export interface CountedCategory extends Category {
  files: number
}

/** False if the URL key is taken. */
export async function insertCategory(db: SiteDb, category: Category): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('category')
    .values({ ...category, description: category.description ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateCategory(db: SiteDb, { id, name, description }: Category): Promise<void> {
  await db
    .updateTable('category')
    .set({ name, description: description ?? null })
    .where('id', '=', id)
    .execute()
}

export async function lastCategoryId(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('category')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

export async function findCategory(db: SiteDb, id: number): Promise<Category | undefined> {
  const row = await categories(db).where('id', '=', id).executeTakeFirst()
  return row && categoryOfRow(row)
}

export async function findCategoryOfKey(db: SiteDb, urlKey: string): Promise<Category | undefined> {
  const row = await categories(db).where('urlKey', '=', urlKey).executeTakeFirst()
  return row && categoryOfRow(row)
}

export async function hasCategory(db: SiteDb, id: number): Promise<boolean> {
  return (await findCategory(db, id)) !== undefined
}

/** False if there is no such category. Its files stay. */
export async function deleteCategory(db: SiteDb, id: number): Promise<boolean> {
  await db.updateTable('file').set({ categoryId: null }).where('categoryId', '=', id).execute()
  await deleteLabelTotals(db, 'category', String(id))
  const { numDeletedRows } = await db.deleteFrom('category').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

export async function allCategories(db: SiteDb): Promise<Category[]> {
  const rows = await everyCategory.rows(db, {})
  return rows.map(categoryOfRow)
}

const everyCategory = prepare((db) => categories(db).orderBy('id'))

/** Categories by id, with their files that the caller may list. */
export async function categoriesAfter(
  db: SiteDb,
  visibility: Visibility,
  { after = 0, limit, now }: { after?: number | undefined; limit: number; now: Date },
): Promise<CountedCategory[]> {
  const rows = await categories(db).where('id', '>', after).orderBy('id').limit(limit).execute()
  if (rows.length === 0) return []
  const labels = rows.map(({ id }) => String(id))
  const counts = await listedCounts(db, visibility, { kind: 'category', labels, now })
  return rows.map((row) => ({ ...categoryOfRow(row), files: counts.get(String(row.id)) ?? 0 }))
}

const categories = (db: SiteDb) => db.selectFrom('category').select(['id', 'name', 'urlKey', 'description'])

const categoryOfRow = (row: { id: number; name: string; urlKey: string; description: string | null }) => ({
  ...row,
  description: row.description ?? undefined,
})
