import { html } from '../../../lib/html.ts'
import { reportReasons, type StoredFile } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { areaField, linkButton, selectField, submitButton } from '../../../ui/parts/controls.ts'
import { banner, emptyState } from '../../../ui/parts/states.ts'
import type { PageCall } from '../../page-call.ts'
import { listPage } from '../lists/list-page.ts'
import { titleOf } from './title.ts'

export interface ReportFaults {
  reason?: string
  text?: string
  /** Why the report as a whole was not taken. */
  whole?: string
}

interface ReportForm {
  file: StoredFile
  /** Of the page of the file. */
  path: string
  reason: string
  text: string
  faults: ReportFaults
}

export function reportFormPage(call: PageCall, { file, path, reason, text, faults }: ReportForm): string {
  const { reader } = call
  const { words } = reader
  const options = [
    ['', words.reportChoose] as const,
    ...reportReasons.map((each) => [each, words.reportReasons[each]] as const),
  ]
  const body = html`${faults.whole === undefined ? undefined : banner(html`<p>${faults.whole}</p>`, 'danger')}
<form method="post" action="${path}/report" class="ask">${tokenField(reader)}
<p>${words.reportIntro}</p>
${selectField({ label: words.reportReason, name: 'reason', value: reason, options, fault: faults.reason, more: { required: true } })}
${areaField({ label: words.reportText, name: 'text', value: text, hint: words.reportTextHint, fault: faults.text, more: { rows: '5', dir: 'auto' } })}
<p class="actions">${submitButton(words.reportSend)}${linkButton(words.cancel, path, { look: 'plain' })}</p>
</form>`
  const above = html`<a href="${path}" dir="auto">${titleOf(file)}</a>`
  return listPage(call, { title: words.reportTitle, above, body })
}

export function reportSentPage(call: PageCall): string {
  const { words } = call.reader
  const body = emptyState({
    title: words.reportThanks,
    text: words.reportThanksText,
    action: linkButton(words.toFrontPage, '/', { look: 'plain' }),
  })
  return listPage(call, { title: words.reportTitle, body })
}
