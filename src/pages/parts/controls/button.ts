import { type Attributes, attributes, type Html, href, html } from '../../../lib/html.ts'
import { type IconName, icon } from '../icon.ts'

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
