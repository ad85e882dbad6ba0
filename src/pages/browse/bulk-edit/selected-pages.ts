import { type Html, html } from '../../../lib/html.ts'
import type { BulkResult, ShownFile, UploadChoices } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { areaField, linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import { type FormFaults, refusalText, textsBesides } from '../../../ui/refusal-words.ts'
import { writeCount } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { listPage } from '../lists/list-page.ts'
import { addressesFor } from '../lists/tiles.ts'
import { embedGroups } from '../viewer/embed-codes.ts'
import { changeFields, type FieldedAction } from './change-fields.ts'
import { saveOf, titleOf } from './selectable.ts'

/** What was selected, and where the form came from. */
export interface Selected {
  ids: readonly string[]
  back: string
}

const carried = ({ reader }: PageCall, { ids, back }: Selected, action: string): Html =>
  html`${tokenField(reader)}<input type="hidden" name="to" value="${back}"><input type="hidden" name="action" value="${action}">${ids.map(
    (id) => html`<input type="hidden" name="id" value="${id}">`,
  )}`

const countOf = ({ reader: { words, language } }: PageCall, { ids }: Selected): string =>
  writeCount(language, words.selectedFiles, ids.length)

interface Question {
  action: FieldedAction
  choices: UploadChoices
  faults: FormFaults
}

/** The fields of a change; what is wrong with none of them is shown above the form. */
const namesOfFields = [
  'album_id',
  'new_album',
  'add_tags',
  'remove_tags',
  'category_id',
  'is_nsfw',
  'expiration',
]

/** Asks for the values of a change. */
export function fieldsPage(
  call: PageCall,
  selected: Selected,
  { action, choices, faults }: Question,
): string {
  const { reader } = call
  const { words } = reader
  const given = call.form.has('save') ? call.form : undefined
  const body = html`${textsBesides(faults, namesOfFields).map((text) => banner(html`${text}`, 'danger'))}
<form method="post" action="/mine/selected" class="ask">${carried(call, selected, action)}<input type="hidden" name="save" value="1">
<p>${countOf(call, selected)}</p>
${changeFields({ action, choices, reader, given, faults })}
<p class="actions">${submitButton(saveOf(words, action))}${linkButton(words.cancel, selected.back, { look: 'plain' })}</p>
</form>`
  return listPage(call, { title: titleOf(words, action), body })
}

/** Asks before files are removed for good. */
export function removalPage(call: PageCall, selected: Selected): string {
  const { words } = call.reader
  const body = html`<form method="post" action="/mine/selected" class="ask">${carried(call, selected, 'remove')}<input type="hidden" name="save" value="1">
<p>${countOf(call, selected)}</p>
<p>${words.removeText}</p>
<p class="actions">${submitButton(words.removeYes, { look: 'danger', icon: 'delete' })}${linkButton(words.cancel, selected.back, { look: 'plain' })}</p>
</form>`
  return listPage(call, { title: words.removeTitle, body })
}

/** The links of files in the format and size that the account has chosen, to be copied by hand. */
export function linksPage(call: PageCall, { back }: Selected, files: readonly ShownFile[]): string {
  const { words, account } = call.reader
  const { copyFormat = 'link', copySize = 'full', copyTemplate } = account?.preferences ?? {}
  const links = files.map((shown) => {
    const codes = embedGroups(shown.file, addressesFor(call, shown), words, {
      template: copyTemplate,
    }).flatMap(({ size, codes }) => codes.map(({ format, text }) => ({ size, format, text })))
    const fitting = codes.filter(({ format }) => format === copyFormat)
    return (fitting.find(({ size }) => size === copySize) ?? fitting[0])?.text ?? ''
  })
  const rows = Math.min(20, links.length + 1)
  const body = html`<div class="ask">${areaField({ label: words.linksLabel, name: 'links', value: links.join('\n'), more: { rows, readonly: true, spellcheck: 'false' } })}
<p class="actions">${linkButton(words.backToList, back, { look: 'plain' })}</p></div>`
  return listPage(call, { title: words.linksTitle, body })
}

/** Says why some files were left as they are. */
export function resultPage(call: PageCall, { back }: Selected, results: readonly BulkResult[]): string {
  const { words } = call.reader
  const body = html`<div class="ask">
${changeReport(call, results)}
<p class="actions">${linkButton(words.backToList, back, { look: 'plain' })}</p></div>`
  return listPage(call, { title: words.notAllChanged, body })
}

/** How many files were changed, how many were left, and why. */
export function changeReport({ reader }: PageCall, results: readonly BulkResult[]): Html {
  const { words, language } = reader
  const refusals = results.flatMap(({ refusal }) => (refusal ? [refusalText(reader, refusal)] : []))
  const changed = results.length - refusals.length
  return html`${changed > 0 ? html`<p>${writeCount(language, words.filesChanged, changed)}</p>` : undefined}
${
  refusals.length > 0
    ? html`<p>${writeCount(language, words.filesLeft, refusals.length)}</p>
<ul>${[...new Set(refusals)].map((message) => html`<li>${message}</li>`)}</ul>`
    : undefined
}`
}
