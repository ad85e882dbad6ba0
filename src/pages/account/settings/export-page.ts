import { type Html, html } from '../../../lib/html.ts'
import { writeCount, writeNumber } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton } from '../../parts/controls/button.ts'
import { settingsPage } from './settings-frame.ts'

interface Exportable {
  count: number
  /** How many downloads they take. */
  parts: number
}

export function exportPage(call: PageCall, { count, parts }: Exportable): string {
  const { words, language } = call.reader
  const contents =
    count === 0 ? words.exportNone : words.exportCount(writeCount(language, words.files, count))
  const numbers = Array.from({ length: parts }, (_, index) => index + 1)
  return settingsPage(
    call,
    '/settings/export',
    html`<p>${words.exportText}</p>
<p>${contents}</p>
${numbers.map((part) => partForm(call, part, parts))}`,
  )
}

/** A form, so that no page of another site can begin a download of hours. */
function partForm({ reader }: PageCall, part: number, parts: number): Html {
  const { words, language } = reader
  const label =
    parts === 1
      ? words.exportDownload
      : words.exportPart(writeNumber(language, part), writeNumber(language, parts))
  return html`<form method="post">${tokenField(reader)}<input name="part" value="${part}" type="hidden">
<p>${submitButton(label, { icon: 'download', look: part === 1 ? 'main' : 'plain' })}</p></form>`
}
