import { html } from '../../../lib/html.ts'
import type { TrashChange } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { linkButton, submitButton } from '../../../ui/parts/controls.ts'
import type { PageCall } from '../../page-call.ts'
import { changeReport } from '../bulk-edit/selected-pages.ts'
import { listPage } from '../lists/list-page.ts'

/** Asks before all files of the trash are removed for good. */
export function emptyTrashPage(call: PageCall): string {
  const { words } = call.reader
  const body = html`<form method="post" action="/mine/trash" class="ask">${tokenField(call.reader)}<input type="hidden" name="action" value="remove"><input type="hidden" name="save" value="1">
<p>${words.emptyTrashText}</p>
<p class="actions">${submitButton(words.emptyTrash, { look: 'danger', icon: 'delete' })}${linkButton(words.cancel, '/mine/trash', { look: 'plain' })}</p>
</form>`
  return listPage(call, { title: words.emptyTrashTitle, body })
}

/** Says why files are still in the trash. */
export function restPage(call: PageCall, { results, hasMore }: TrashChange): string {
  const { words } = call.reader
  const body = html`<div class="ask">
${changeReport(call, results)}
${hasMore ? html`<p>${words.trashRest}</p>` : undefined}
<p class="actions">${linkButton(words.backToList, '/mine/trash', { look: 'plain' })}</p></div>`
  return listPage(call, { title: words.notAllChanged, body })
}
