import { createCategory, editCategory, listCategories, removeCategory } from '../../../media/index.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { limitUse } from '../dashboard-frame.ts'
import { labelChanged } from './change-label.ts'
import { labelsPage } from './labels-page.ts'

const mostCategories = 1_000

export const showCategories: PageHandler = async (call) => ({ page: await pageOf(call) })

export const postCategory: PageHandler = (call) =>
  changed(call, (site) => createCategory(site, { name: call.form.get('name') ?? '' }, userOf(call)))

export const postCategoryEdit: PageHandler = (call) =>
  changed(call, (site) =>
    editCategory(site, userOf(call), { id: idIn(call), name: call.form.get('name') ?? '' }),
  )

export const postCategoryDelete: PageHandler = (call) =>
  changed(call, (site) => removeCategory(site, idIn(call), userOf(call)))

const changed = (call: PageCall, work: (site: ChangingSite) => Promise<unknown>) =>
  labelChanged(call, { path: '/dashboard/categories', work, pageOf })

/** No category has the number 0. */
const idIn = ({ params: { id = '' } }: PageCall): number => (/^\d{1,9}$/.test(id) ? Number(id) : 0)

async function pageOf(call: PageCall, fault?: string): Promise<string> {
  const { words } = call.reader
  const page = { after: undefined, limit: mostCategories }
  const categories = await listCategories(call.site, userOf(call), page)
  return labelsPage(call, {
    part: '/dashboard/categories',
    title: words.categories,
    fault,
    hasNew: true,
    use: await limitUse(call, 'SERVICE_MAX_CATEGORIES', words.categories),
    mostCharacters: 32,
    labels: categories.map(({ id, name, urlKey, files }) => ({
      key: String(id),
      name,
      files,
      address: `/category/${urlKey}`,
    })),
    empty: { title: words.noCategories, text: words.noCategoriesForAdmin },
    hint: words.categoryHint,
  })
}
