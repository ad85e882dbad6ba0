import { type Attributes, attributes, type Html, href, html } from '../../lib/html.ts'
import { type IconName, icon } from './icon.ts'

interface ButtonForm {
  /** One `main` button on a page; `plain` for what stands beside it; `quiet` in bars and rows. */
  look?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  /** In rows of a table. */
  isDense?: boolean
  /** The label is read aloud and not seen. */
  hasOnlyIcon?: boolean
  more?: Attributes
}

/** `type` is `button` unless `more` says otherwise: a form names its submit button. */
export const button = (label: string, form: ButtonForm = {}): Html =>
  html`<button${attributes({ type: 'button', class: classOf(form), ...nameOf(label, form), ...form.more })}>${contentOf(label, form)}</button>`

export const submitButton = (label: string, form: ButtonForm = {}): Html =>
  button(label, { ...form, more: { type: 'submit', ...form.more } })

export const linkButton = (label: string, address: string, form: ButtonForm = {}): Html =>
  html`<a${attributes({ class: classOf(form), href: href(address), ...nameOf(label, form), ...form.more })}>${contentOf(label, form)}</a>`

/** Buttons that belong together, such as one action and its variants. */
export const joined = (...buttons: readonly Html[]): Html => html`<span class="joined">${buttons}</span>`

function classOf({ look = 'main', isDense, hasOnlyIcon }: ButtonForm): string {
  const names = [
    'button',
    look === 'main' ? '' : look,
    isDense ? 'dense' : '',
    hasOnlyIcon ? 'only-icon' : '',
  ]
  return names.filter((name) => name !== '').join(' ')
}

const nameOf = (label: string, { hasOnlyIcon }: ButtonForm): Attributes =>
  hasOnlyIcon ? { 'aria-label': label, title: label } : {}

const contentOf = (label: string, { icon: name, hasOnlyIcon }: ButtonForm): Html =>
  html`${name && icon(name)}${hasOnlyIcon ? undefined : label}`

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
    // The first of several has the focus: that is what is to be corrected.
    autofocus: fault !== undefined,
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

interface ChoiceForm {
  legend: string
  name: string
  options: readonly (readonly [value: string, text: string])[]
  chosen: string
}

/** One of a few, all of them seen: radio buttons side by side. */
export function choice({ legend, name, options, chosen }: ChoiceForm): Html {
  const labels = options.map(
    ([value, text]) =>
      html`<label><input${attributes({ type: 'radio', name, value, checked: value === chosen, autocomplete: 'off' })}>${text}</label>`,
  )
  return html`<fieldset class="choice"><legend class="only-read">${legend}</legend>${labels}</fieldset>`
}

interface CodeForm {
  id: string
  label: string
  text: string
  copy: { label: string; name: string }
  more?: Attributes
}

/** A text to copy. The script shows the button; without it the field is selected and copied by hand. */
export const codeField = ({ id, label, text, copy, more = {} }: CodeForm): Html =>
  html`<div class="code"><label for="${id}">${label}</label><input class="input" id="${id}" readonly${attributes(more)} value="${text}">${button(
    copy.label,
    { look: 'plain', more: { 'data-copy': id, 'aria-label': copy.name, hidden: true } },
  )}</div>`

export interface MenuEntry {
  label: string
  icon?: IconName
  /** A link; without an address a button that submits the form around the menu. */
  address?: string
  value?: string
  isDangerous?: boolean
}

interface MenuForm {
  id: string
  label: string
  icon?: IconName
  hasOnlyIcon?: boolean
  /** In place of the icon, such as the picture of a person; the label is then its name alone. */
  face?: Html
  entries: readonly MenuEntry[]
}

/** A popover: the browser opens it, closes it and leads the focus, without script. */
export function menu({ id, label, icon: name = 'down', hasOnlyIcon, face, entries }: MenuForm): Html {
  const opener = face
    ? html`<button${attributes({ type: 'button', class: 'button quiet face', popovertarget: id, 'aria-label': label, title: label })}>${face}</button>`
    : button(label, {
        look: hasOnlyIcon ? 'quiet' : 'plain',
        icon: name,
        ...(hasOnlyIcon && { hasOnlyIcon }),
        more: { popovertarget: id },
      })
  return html`${opener}<div class="menu" id="${id}" popover><ul>${entries.map(entryOf)}</ul></div>`
}

function entryOf({ label, icon: name, address, value, isDangerous }: MenuEntry): Html {
  const content = html`${name && icon(name)}${label}`
  const common = { class: isDangerous ? 'danger' : undefined }
  return address === undefined
    ? html`<li><button${attributes({ ...common, name: 'action', value })}>${content}</button></li>`
    : html`<li><a${attributes({ ...common, href: href(address) })}>${content}</a></li>`
}

interface DialogForm {
  /** A button opens it with `command="show-modal" commandfor="ID"`. */
  id: string
  title: string
  /** The words of the button that closes it. */
  close: string
  content: Html
  actions?: Html
}

export const dialog = ({ id, title, close, content, actions }: DialogForm): Html =>
  html`<dialog class="dialog" id="${id}" aria-labelledby="${id}-title" closedby="any">
<header><h2 id="${id}-title">${title}</h2>${button(close, { look: 'quiet', icon: 'close', hasOnlyIcon: true, more: { commandfor: id, command: 'close' } })}</header>
${content}
${actions && html`<footer class="actions">${actions}</footer>`}
</dialog>`

interface DropZoneForm {
  title: string
  text: string
  choose: string
  name: string
  /** Content types, as `accept` takes them. */
  accept: string
  actions?: Html
}

/** A file field in the size of a target for dragged files. Without script it is the file field of its form. */
export const dropZone = ({ title, text, choose, name, accept, actions }: DropZoneForm): Html =>
  html`<div class="drop-zone" data-drop-zone>
<h1 class="hero">${title}</h1>
<p class="soft">${text}</p>
<p class="actions"><label class="button">${icon('upload')}${choose}<input${attributes({ type: 'file', name, accept, multiple: true })}></label>${actions}</p>
</div>`
