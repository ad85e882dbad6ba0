import { limitReached } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import { addToTotal, limitOf, type Site } from '../site/index.ts'
import { type Category, insertCategory, lastCategoryId } from './categories-table.ts'
import { categoryExists, invalidField } from './errors.ts'
import { cleanName } from './file-name.ts'

export async function createCategory(site: Site, input: { name: string }): Promise<Category> {
  const name = input.name.trim()
  if (name === '' || [...name].length > 32) throw invalidField('name', 'must be 1 to 32 characters long')
  const urlKey = cleanName(`${name}.`).toLowerCase()
  const limit = limitOf(site.values, 'SERVICE_MAX_CATEGORIES')

  return inTransaction(site.db, async (db) => {
    // The count is also what makes one wait for the other, so that no two take the same number.
    if (!(await addToTotal(db, 'categories', 1, limit)))
      throw limitReached('SERVICE_MAX_CATEGORIES', limit ?? 0)
    const category = { id: (await lastCategoryId(db)) + 1, name, urlKey }
    if (!(await insertCategory(db, category))) throw categoryExists(name)
    return category
  })
}
