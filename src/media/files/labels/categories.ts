import { type Caller, checkStillKnown, limitReached, type UserCaller } from '../../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { faultOf } from '../../../lib/faults.ts'
import { randomId } from '../../../lib/ids.ts'
import { transliterate } from '../../../lib/transliterate.ts'
import {
  addToTotal,
  type ChangingSite,
  limitOf,
  lockTotal,
  recordChange,
  type Site,
} from '../../../site/index.ts'
import { categoryExists, categoryKeyNotFound, categoryNotFound, invalidField } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { visibilityOf } from '../../visibility.ts'
import {
  type Category,
  type CountedCategory,
  categoriesAfter,
  deleteCategory,
  findCategory,
  findCategoryOfKey,
  insertCategory,
  lastCategoryId,
  updateCategory,
} from './categories-table.ts'

/** A page of the categories, each with the number of its files that the caller may list. */
export async function listCategories(
  site: Site,
  caller: Caller,
  page: { after: number | undefined; limit: number },
): Promise<CountedCategory[]> {
  return categoriesAfter(site.db, await visibilityOf(site, caller), { ...page, now: site.clock.now() })
}

/** The category of a part of an address. */
export async function categoryOfKey(site: Site, urlKey: string): Promise<Category> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const category = /^[a-z0-9-]{1,64}$/.test(urlKey) ? await findCategoryOfKey(site.db, urlKey) : undefined
  if (!category) throw categoryKeyNotFound(urlKey)
  return category
}

interface NewCategory {
  name: string
  description?: string | undefined
}

/** Without a caller: for an operator. */
export async function createCategory(
  site: ChangingSite,
  input: NewCategory,
  caller?: UserCaller,
): Promise<Category> {
  const name = checkedName(input.name)
  const urlKey = urlKeyOf(name)
  const limit = limitOf(site.values, 'SERVICE_MAX_CATEGORIES')

  return inTransaction(site.db, async (db) => {
    // Counting also locks the total, so that concurrent calls cannot take the same id.
    if (!(await addToTotal(db, 'categories', 1, limit)))
      throw limitReached('SERVICE_MAX_CATEGORIES', limit ?? 0)
    if (caller) await checkStillKnown(db, caller, site.clock.now())
    const id = (await lastCategoryId(db)) + 1
    const category = { id, name, urlKey, description: input.description }
    if (!(await insertCategory(db, category))) throw categoryExists(name)
    await recordCategory({ ...site, db }, 'category.created', { id, after: category })
    return category
  })
}

interface CategoryEdit {
  id: number
  name?: string | undefined
  /** Null clears it. */
  description?: string | null | undefined
}

/** Changes the given fields. The part of URLs stays as it is, so that links keep working. */
export async function editCategory(
  site: ChangingSite,
  caller: UserCaller,
  { id, name, description }: CategoryEdit,
): Promise<CountedCategory> {
  return inTransaction(site.db, async (db: SiteDb) => {
    await lockTotal(db, 'categories')
    await checkStillKnown(db, caller, site.clock.now())
    const category = await findCategory(db, id)
    if (!category) throw categoryNotFound(id)
    const after = {
      ...category,
      ...(name !== undefined && { name: checkedName(name) }),
      ...(description !== undefined && { description: description ?? undefined }),
    }
    await updateCategory(db, after)
    await recordCategory({ ...site, db }, 'category.updated', { id, before: category, after })
    const [edited] = await listCategories({ ...site, db }, caller, { after: id - 1, limit: 1 })
    if (!edited) throw categoryNotFound(id)
    return edited
  })
}

/** Deletes a category. Its files stay. Without a caller: for an operator. */
export async function removeCategory(site: ChangingSite, id: number, caller?: UserCaller): Promise<void> {
  await inTransaction(site.db, async (db) => {
    // A concurrent upload into the category is committed before, or finds no category afterwards.
    await lockSite(db)
    if (caller) await checkStillKnown(db, caller, site.clock.now())
    await addToTotal(db, 'categories', -1)
    const before = await findCategory(db, id)
    if (!before || !(await deleteCategory(db, id))) throw categoryNotFound(id)
    await recordCategory({ ...site, db }, 'category.deleted', { id, before })
  })
}

const recordCategory = (
  site: ChangingSite,
  verb: 'category.created' | 'category.updated' | 'category.deleted',
  { id, ...fields }: { id: number; before?: Category; after?: Category },
): Promise<void> => recordChange(site, { verb, target: String(id), ...fields })

function checkedName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > 32) throw invalidField(faultOf('name', 'nameLength', { most: 32 }))
  return name
}

/** The name as a part of a URL; random if none of its characters can be used there. */
function urlKeyOf(name: string): string {
  const key = transliterate(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return key === '' ? randomId(8).toLowerCase() : key
}
