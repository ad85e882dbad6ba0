import { tagPath } from '../../../http/addresses/public-url.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import { listTags, removeTag, renameTag, tagFault, tagNameOf } from '../../../media/index.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { limitUse } from '../dashboard-frame.ts'
import { labelChanged } from './change-label.ts'
import { labelsPage } from './labels-page.ts'

const tagsOfPage = 100

export const showTags: PageHandler = async (call) => ({ page: await pageOf(call) })

/** A tag that takes the name of another one becomes one with it. */
export const postTagEdit: PageHandler = (call) => {
  const to = call.form.get('name') ?? ''
  return changed(call, async (site) => {
    const fault = tagFault(to)
    if (fault !== undefined) throw invalidFields([{ field: 'name', ...fault }])
    await renameTag(site, userOf(call), { name: nameIn(call), to: tagNameOf(to) })
  })
}

export const postTagDelete: PageHandler = (call) =>
  changed(call, (site) => removeTag(site, userOf(call), nameIn(call)))

const changed = (call: PageCall, work: (site: ChangingSite) => Promise<unknown>) =>
  labelChanged(call, { path: '/dashboard/tags', work, pageOf })

/** The name is a field and no part of the path: a tag may be any text. */
const nameIn = ({ form }: PageCall): string => tagNameOf(form.get('key') ?? '')

async function pageOf(call: PageCall, fault?: string): Promise<string> {
  const { words } = call.reader
  const beginning = call.query.get('q')?.trim().replaceAll('\0', '') ?? ''
  const found = await listTags(call.site, userOf(call), {
    beginning: beginning === '' ? undefined : beginning,
    after: undefined,
    limit: tagsOfPage + 1,
  })
  return labelsPage(call, {
    part: '/dashboard/tags',
    title: words.tags,
    fault,
    mostCharacters: 32,
    use: await limitUse(call, 'SERVICE_MAX_TAGS', words.tags),
    labels: found
      .slice(0, tagsOfPage)
      .map(({ name, files }) => ({ key: name, name, files, address: tagPath(name) })),
    empty: { title: words.noTags, text: words.noTagsText },
    hint: words.tagHint,
    search: words.searchTags,
    ...(found.length > tagsOfPage && { more: words.moreTags }),
  })
}
