import { limitReached } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, limitOf, type Site } from '../site/index.ts'
import { type Category, deleteCategory, insertCategory, lastCategoryId } from './categories-table.ts'
import { categoryExists, categoryNotFound, invalidField } from './errors.ts'
import { waitInLine } from './line.ts'
import { spellAscii } from './spell-ascii.ts'

export async function createCategory(site: Site, input: { name: string }): Promise<Category> {
  const name = input.name.trim()
  if (name === '' || [...name].length > 32) throw invalidField('name', 'must be 1 to 32 characters long')
  const urlKey = urlKeyOf(name)
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

/** Its files stay, without a category. */
export async function removeCategory(site: Site, id: number): Promise<void> {
  await inTransaction(site.db, async (db) => {
    // Whoever uploads into it right now has been stored before, or finds it gone.
    await waitInLine(db)
    await addToTotal(db, 'categories', -1)
    if (!(await deleteCategory(db, id))) throw categoryNotFound(id)
  })
}

/** A name as a part of an address; where nothing of it can stand there, a random one. */
function urlKeyOf(name: string): string {
  const key = spellAscii(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return key === '' ? randomId(8).toLowerCase() : key
}
