import { allCategories, type Category, createCategory, removeCategory } from '../media/index.ts'
import { publishTotals } from '../tenants/index.ts'
import { plain } from './cells.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'

export async function createSiteCategory(
  session: Session,
  { tenant, name }: { tenant: string; name: string },
): Promise<void> {
  const category = await onSite(session, tenant, async (site, control) => {
    const created = await createCategory(site, { name })
    await publishTotals(control, site)
    return created
  })
  session.answer(
    writeCategory(category),
    () => `Created the category ${category.id}: ${plain(category.name)} (${category.urlKey}).`,
  )
}

export async function deleteSiteCategory(
  session: Session,
  { tenant, id }: { tenant: string; id: number },
): Promise<void> {
  await onSite(session, tenant, async (site, control) => {
    await removeCategory(site, id)
    await publishTotals(control, site)
  })
  session.answer(
    { id, deleted: true },
    () => `Deleted the category ${id}. Its files stay, without a category.`,
  )
}

const columns: readonly Column<Category>[] = [
  { title: 'ID', value: (category) => String(category.id), isRight: true, style: () => 'cyan' },
  { title: 'NAME', value: (category) => category.name },
  { title: 'URL KEY', value: (category) => category.urlKey },
]

export async function listCategories(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const categories = await onSite(session, tenant, (site) => allCategories(site.db))
  session.answerList(categories.map(writeCategory), () => tableOf(session.out, columns, categories), {
    ifEmpty: `There are no categories yet. Make one: terrace site --tenant ${tenant} category:create --name NAME`,
  })
}

const writeCategory = ({ id, name, urlKey }: Category) => ({ id, name, url_key: urlKey })
