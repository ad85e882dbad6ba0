import { type Html, html } from '../../../lib/html.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton, textField } from '../../../ui/parts/controls.ts'
import { table } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeNumber } from '../../../words/format.ts'
import { formFault } from '../../account/settings/settings-frame.ts'
import type { PageCall } from '../../page-call.ts'
import { dashboardPage, dashboardSection, searchForm } from '../dashboard-frame.ts'

interface Label {
  /** The number of a category, the name of a tag. */
  key: string
  name: string
  files: number
  address: string
}

interface Labels {
  part: '/dashboard/categories' | '/dashboard/tags'
  title: string
  labels: readonly Label[]
  empty: { title: string; text: string }
  /** What a new name does. */
  hint: string
  fault?: string | undefined
  /** Whether new ones are made here. */
  hasNew?: boolean
  mostCharacters: number
  /** The words of the search field, if there is one. */
  search?: string
  /** Of the limit of the site. */
  use: Html | undefined
  /** That the list goes on. */
  more?: string
}

/** Categories or tags: each can be renamed and deleted. */
export function labelsPage(call: PageCall, page: Labels): string {
  const { part, title, labels, empty, fault, hasNew = false, search, more } = page
  const content = html`${formFault(fault)}${page.use}${search === undefined ? undefined : searchForm(call, { action: part, label: search })}
${labels.length === 0 ? emptyState(empty) : list(call, page)}
${more === undefined ? undefined : html`<p class="soft">${more}</p>`}
${hasNew ? dashboardSection(call.reader.words.newCategory, newForm(call, page)) : undefined}`
  return dashboardPage(call, { part, title, content })
}

function list(call: PageCall, page: Labels): Html {
  const { words, language } = call.reader
  const columns = [{ name: words.keyName }, { name: words.filesTab, isNumber: true }, { name: words.action }]
  const rows = page.labels.map((label, index) => [
    html`<a href="${label.address}" dir="auto" class="breaks">${label.name}</a>`,
    html`${writeNumber(language, label.files)}`,
    actions(call, page, { ...label, id: `name-${index}` }),
  ])
  return table(page.title, columns, rows)
}

/** Folded parts, which work without script. */
function actions({ reader }: PageCall, page: Labels, label: Label & { id: string }): Html {
  const { words } = reader
  const { part, hint, mostCharacters } = page
  const { key, name, id } = label
  const path = part === '/dashboard/tags' ? part : `${part}/${key}`
  const fold = (title: string, verb: string, content: Html) =>
    html`<details class="fold"><summary class="button plain dense" aria-label="${title}: ${name}">${title}</summary><form method="post" action="${path}/${verb}">${tokenField(reader)}<input name="key" value="${key}" type="hidden">${content}</form></details>`
  const field = textField({
    label: words.newName,
    name: 'name',
    id,
    value: name,
    hint,
    more: { required: true, maxlength: mostCharacters, dir: 'auto', autocomplete: 'off' },
  })
  const rename = html`${field}${submitButton(words.rename, { isDense: true })}`
  const remove = html`<p>${words.labelDeleteText}</p>${submitButton(words.labelDelete, { look: 'danger', isDense: true })}`
  return html`<div class="folds">${fold(words.rename, 'rename', rename)}${fold(words.labelDelete, 'delete', remove)}</div>`
}

/** A refused name keeps its text. */
function newForm({ reader, form }: PageCall, { part, fault, mostCharacters }: Labels): Html {
  const { words } = reader
  const value = fault === undefined || form.has('key') ? '' : (form.get('name') ?? '')
  return html`<form method="post" action="${part}" class="stack">${tokenField(reader)}
${textField({ label: words.keyName, name: 'name', value, more: { required: true, maxlength: mostCharacters, dir: 'auto', autocomplete: 'off' } })}
<p>${submitButton(words.newCategory)}</p>
</form>`
}
