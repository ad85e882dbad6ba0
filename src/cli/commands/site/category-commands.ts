import { allCategories, type Category, createCategory, removeCategory } from '../../../media/index.ts'
import type { Session } from '../../session.ts'
import { type Column, plain, tableOf } from '../../terminal/table.ts'
import { changeOnSite, onSite } from './on-site.ts'

export async function createSiteCategory(
  session: Session,
  { tenant, name }: { tenant: string; name: string },
): Promise<void> {
  const category = await changeOnSite(session, tenant, (site) => createCategory(site, { name }))
  session.answer(
    writeCategory(category),
    () => `Created the category ${category.id}: ${plain(category.name)} (${category.urlKey}).`,
  )
}

export async function deleteSiteCategory(
  session: Session,
  { tenant, id }: { tenant: string; id: number },
): Promise<void> {
  await changeOnSite(session, tenant, (site) => removeCategory(site, id))
  session.answer({ id, deleted: true }, () => `Deleted the category ${id}. Its files are kept.`)
}

const columns: readonly Column<Category>[] = [
  { title: 'ID', value: (category) => String(category.id), isRight: true, style: () => 'cyan' },
  { title: 'NAME', value: (category) => category.name },
  { title: 'URL KEY', value: (category) => category.urlKey },
]

export async function listCategories(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const categories = await onSite(session, tenant, (site) => allCategories(site.db))
  session.answerList(categories.map(writeCategory), () => tableOf(session.out, columns, categories), {
    ifEmpty: `There are no categories yet. Create one: terrace site --tenant ${tenant} category:create --name NAME`,
  })
}

const writeCategory = ({ id, name, urlKey }: Category) => ({ id, name, url_key: urlKey })
