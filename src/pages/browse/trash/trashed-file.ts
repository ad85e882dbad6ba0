import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { mayRestore, readShownFile, type StoredFile, trashEndsAt } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import { timeTag } from '../../../words/format.ts'
import { writePage } from '../../frame.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { trashKeysOfFile } from '../bulk-edit/selectable.ts'
import { type DetailsContext, detailList } from '../viewer/file-details.ts'
import { stage } from '../viewer/picture.ts'
import { titleOf } from '../viewer/title.ts'

/** A file in the trash, for its owner and the staff. One that was restored meanwhile is at its own page. */
export const getTrashedFile: PageHandler = async (call) => {
  const { app, site, params, reader } = call
  const id = isId(params.id ?? '') ? (params.id ?? '') : ''
  const { file } = await readShownFile(site, userOf(call), { id })
  const addresses = addressesOf(app, site, file)
  if (!file.deletedAt) return { to: addresses.viewerPath, status: 302 }
  const settings = await readSettings(site)
  const now = site.clock.now()
  const circumstances = { views: file.views, now, timeZone: settings.timezone, reader }
  const { words } = reader
  const isRestorable = mayRestore(userOf(call), file)
  return {
    page: writePage({
      siteName: site.hostname,
      title: `${titleOf(file)} - ${site.hostname}`,
      head: html`<meta name="robots" content="noindex">`,
      reader,
      keys: trashKeysOfFile(words, isRestorable),
      body: html`<div class="viewer" data-island="viewer">
${stage({ file, addresses, words })}
<div class="words">
<p class="small soft"><a href="/mine/trash">${words.trash}</a></p>
<h1 dir="auto">${titleOf(file)}</h1>
${isRestorable ? banner(html`${words.trashNote}`) : banner(html`${words.removedByStaffNote}`, 'warn')}
${file.removalReason === undefined ? undefined : html`<p dir="auto">${words.removalReasonIs(file.removalReason)}</p>`}
${actions(call, file, isRestorable)}
</div>
<div class="side">
<section aria-labelledby="facts"><h2 id="facts" tabindex="-1" aria-keyshortcuts="i">${words.details}</h2>
${times(file.deletedAt, trashEndsAt(settings, file.deletedAt), circumstances)}
${detailList(file, { ...circumstances, isOwn: true })}
</section>
</div>
</div>`,
    }),
  }
}

function actions({ reader }: PageCall, file: StoredFile, isRestorable: boolean): Html {
  const { words } = reader
  return html`<form method="post" action="/mine/selected" class="actions">${tokenField(reader)}<input type="hidden" name="to" value="/mine/trash"><input type="hidden" name="id" value="${file.id}">
${isRestorable ? submitButton(words.restore, { icon: 'undo', more: { name: 'action', value: 'restore', 'aria-keyshortcuts': 'r' } }) : undefined}
${submitButton(words.selectRemove, { look: 'plain', icon: 'delete', more: { name: 'action', value: 'remove', 'aria-keyshortcuts': 'Delete' } })}</form>`
}

function times(deletedAt: Date, endsAt: Date, { reader, timeZone }: DetailsContext): Html {
  const { words, language } = reader
  const line = (name: string, at: Date) =>
    html`<div><dt>${name}</dt><dd>${timeTag(language, at, timeZone)}</dd></div>`
  return html`<dl class="facts">${line(words.trashSince, deletedAt)}${line(words.trashUntil, endsAt)}</dl>`
}
