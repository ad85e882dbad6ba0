import { type Html, html } from '../../../lib/html.ts'
import { mostBodyBytes, type Page } from '../../../media/index.ts'
import { conflictPart } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { areaField, checkField, linkButton, submitButton, textField } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import type { Words } from '../../../words/en.ts'
import { writeSize } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'

export const templateKeys = ['terms', 'privacy', 'contact'] as const
type TemplateKey = (typeof templateKeys)[number]

export const isTemplateKey = (text: string): text is TemplateKey => templateKeys.some((key) => key === text)

/** A page to begin with: its headings, and a question under each that the site has to answer for itself. */
export function pageOfTemplate({ pageStarters }: Words, key: TemplateKey): { title: string; body: string } {
  const { title, parts } = pageStarters[key]
  return { title, body: parts.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n') }
}

/** The fields of the form as they were sent, or as the page has them. */
export interface PageFormFields {
  urlKey: string
  title: string
  body: string
  isVisible: boolean
  /** The version that the form was written for; empty for a new page. */
  version: string
}

export const fieldsOfForm = (form: URLSearchParams): PageFormFields => ({
  urlKey: form.get('url_key')?.trim() ?? '',
  title: form.get('title')?.trim() ?? '',
  body: (form.get('body') ?? '').replaceAll('\r\n', '\n'),
  isVisible: form.get('is_visible') === '1',
  version: form.get('version') ?? '',
})

export const fieldsOfPage = ({ urlKey, title, body, isVisible, version }: Page): PageFormFields => ({
  urlKey,
  title,
  body,
  isVisible,
  version: String(version),
})

export type PageFaults = Partial<Record<'urlKey' | 'title' | 'body' | 'form', string>>

interface PageForm {
  fields: PageFormFields
  faults: PageFaults
  /** Fields that another person has changed meanwhile, and how they are now. */
  open?: readonly string[] | undefined
  theirs?: PageFormFields | undefined
  /** What has been written so far, as a page shows it. */
  preview: Html | undefined
}

export function pageForm(
  { reader, site }: PageCall,
  { fields, faults, open = [], theirs = fields, preview }: PageForm,
): Html {
  const { words, language } = reader
  const faulty = (['title', 'urlKey', 'body'] as const).find((name) => faults[name] !== undefined)
  const focus = (name: keyof PageFaults) => ({ autofocus: name === faulty })
  return html`${faults.form === undefined ? undefined : banner(html`<p>${faults.form}</p>`, 'danger')}
<form method="post" class="stack wide-form">${tokenField(reader)}<input name="version" value="${fields.version}" type="hidden">
${conflictPart(words, {
  open,
  mine: fields,
  theirs,
  shown: {
    title: [words.pageTitle],
    urlKey: [words.pageKey],
    body: [words.pageBody],
    isVisible: [words.pageVisible, (isOn) => (isOn ? words.switchOn : words.switchOff)],
  },
})}
${textField({
  label: words.pageTitle,
  name: 'title',
  value: fields.title,
  fault: faults.title,
  more: { maxlength: 100, required: true, dir: 'auto', autocomplete: 'off', ...focus('title') },
})}
${textField({
  label: words.pageKey,
  name: 'url_key',
  value: fields.urlKey,
  fault: faults.urlKey,
  hint: words.pageKeyHint(`${site.hostname}/page/`),
  more: {
    maxlength: 64,
    required: true,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    ...focus('urlKey'),
  },
})}
${areaField({
  label: words.pageBody,
  name: 'body',
  value: fields.body,
  fault: faults.body,
  hint: words.pageBodyHint(writeSize(language, mostBodyBytes)),
  more: { rows: 18, dir: 'auto', class: 'input mono', ...focus('body') },
})}
${checkField({ label: words.pageVisible, name: 'is_visible', isOn: fields.isVisible })}
<p class="actions">${submitButton(words.save, { more: { name: 'action', value: 'save' } })}${submitButton(words.pagePreview, { look: 'plain', icon: 'eye', more: { name: 'action', value: 'preview', formnovalidate: true } })}${linkButton(words.cancel, '/dashboard/pages', { look: 'quiet' })}</p>
</form>
${preview && previewPart(reader, preview)}`
}

const previewPart = ({ words }: Reader, preview: Html): Html =>
  html`<section class="settings-part" aria-labelledby="preview"><h2 id="preview" tabindex="-1">${words.pagePreview}</h2>
<div class="text preview">${preview}</div></section>`
