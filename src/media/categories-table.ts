import type { SiteDb } from '../db/index.ts'

export interface Category {
  id: number
  name: string
  urlKey: string
}

/** False when its address is taken. */
export async function insertCategory(db: SiteDb, category: Category): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('category')
    .values({ ...category, description: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function lastCategoryId(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('category')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

export async function hasCategory(db: SiteDb, id: number): Promise<boolean> {
  const row = await db.selectFrom('category').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** False when it was not there. Its files stay without it. */
export async function deleteCategory(db: SiteDb, id: number): Promise<boolean> {
  await db.updateTable('file').set({ categoryId: null }).where('categoryId', '=', id).execute()
  const { numDeletedRows } = await db.deleteFrom('category').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

export function allCategories(db: SiteDb): Promise<Category[]> {
  return db.selectFrom('category').select(['id', 'name', 'urlKey']).orderBy('id').execute()
}
