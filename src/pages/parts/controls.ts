import { type Attributes, attributes, type Html, html } from '../../lib/html.ts'
import { icon } from './icon.ts'

interface FieldForm {
  label: string
  name: string
  /** Unique on the page; the name by default. */
  id?: string
  value?: string
  hint?: string
  /** Why the value was refused. It keeps its text, and the message stands below it. */
  fault?: string | undefined
  more?: Attributes
}

export const textField = (form: FieldForm): Html =>
  field(form, html`<input${attributes({ type: 'text', ...shared(form), value: form.value })}>`)

/** A browser drops the first line break behind the tag, so there is one that is not part of the text. */
export const areaField = (form: FieldForm): Html =>
  field(
    form,
    html`<textarea${attributes(shared(form))}>
${form.value ?? ''}</textarea>`,
  )

export function selectField(form: FieldForm & { options: readonly (readonly [string, string])[] }): Html {
  const options = form.options.map(
    ([value, text]) => html`<option${attributes({ value, selected: value === form.value })}>${text}</option>`,
  )
  return field(form, html`<select${attributes(shared(form))}>${options}</select>`)
}

/** Tags separated by commas; an island may show them as chips. */
export const tagsField = (form: FieldForm): Html =>
  textField({ ...form, more: { autocapitalize: 'off', 'data-tags': true, ...form.more } })

interface SwitchForm {
  label: string
  name: string
  isOn?: boolean
}

/** Takes effect at once. */
export const switchField = ({ label, name, isOn }: SwitchForm): Html =>
  html`<label class="check"><input${attributes({ type: 'checkbox', role: 'switch', name, checked: isOn })}>${label}</label>`

/** Takes effect when its form is sent. */
export const checkField = ({ label, name, isOn }: SwitchForm): Html =>
  html`<label class="check"><input${attributes({ type: 'checkbox', name, value: '1', checked: isOn })}>${label}</label>`

const idOf = ({ id, name }: FieldForm) => id ?? name

function shared(form: FieldForm): Attributes {
  const { name, hint, fault, more } = form
  const notes = [
    hint === undefined ? '' : `${idOf(form)}-hint`,
    fault === undefined ? '' : `${idOf(form)}-fault`,
  ]
  const describedBy = notes.filter((note) => note !== '').join(' ')
  return {
    class: 'input',
    id: idOf(form),
    name,
    'aria-invalid': fault === undefined ? undefined : 'true',
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    ...more,
  }
}

function field(form: FieldForm, input: Html): Html {
  const { label, hint, fault } = form
  return html`<div class="field"><label for="${idOf(form)}">${label}</label>
${input}
${hint === undefined ? undefined : html`<p class="hint" id="${idOf(form)}-hint">${hint}</p>`}
${fault === undefined ? undefined : html`<p class="fault" id="${idOf(form)}-fault" role="alert">${icon('warning')}<span>${fault}</span></p>`}
</div>`
}
