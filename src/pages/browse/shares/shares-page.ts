import { html } from '../../../lib/html.ts'
import { listOwnShares } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { type PageAnswer, type PageCall, userOf } from '../../page-call.ts'
import { banner } from '../../parts/states.ts'
import type { FormFaults } from '../../refusal-words.ts'
import { listPage } from '../lists/list-page.ts'
import { type ShareFields, shareForm } from './share-form.ts'
import { newLink, shareList } from './share-list.ts'

/** What the shares of a page open. */
export interface Shared {
  of: 'album' | 'file'
  id: string
  title: string
  path: string
}

export interface FormState {
  fields: ShareFields
  faults: FormFaults
}

const mostShares = 100

/** The shares of one thing and the form for a new one. A script shows what `data-shares` holds in a dialog over another page. */
export async function sharesPage(
  call: PageCall,
  shared: Shared,
  { fields, faults }: FormState,
): Promise<PageAnswer> {
  const { site, reader, query } = call
  const { words } = reader
  const { timezone } = await readSettings(site)
  const filter = {
    albumId: shared.of === 'album' ? shared.id : undefined,
    fileId: shared.of === 'file' ? shared.id : undefined,
  }
  const shares = await listOwnShares(site, userOf(call), filter, { after: undefined, limit: mostShares })
  const made = shares.find(({ id }) => id === query.get('made'))
  const form = shareForm(reader, {
    fields,
    faults,
    of: shared.of,
    hasPassword: false,
    save: words.shareCreate,
    action: `${shared.path}/shares`,
  })
  const body = html`<div class="sharing" data-shares>
${made && banner(newLink(call, made), 'good')}
${shares.length === 0 ? undefined : shareList(call, shares, timezone)}
<section aria-labelledby="new-share"><h2 id="new-share">${words.newShare}</h2>${form}</section>
</div>`
  return {
    status: faults.size > 0 ? 400 : 200,
    isSecret: true,
    page: listPage(call, {
      title: words.sharesOf,
      body,
      about: html`<p class="soft">${words.sharesText}</p>`,
      above: html`<a href="${shared.path}" dir="auto">${shared.title}</a>`,
    }),
  }
}
