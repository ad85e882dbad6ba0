import { type Attributes, attributes, type Html, html } from '../../../lib/html.ts'
import { button } from './button.ts'

interface CodeForm {
  id: string
  label: string
  text: string
  copy: { label: string; name: string }
  more?: Attributes
}

/** A text to copy. The script shows the button; without it the field is selected and copied by hand. */
export const codeField = ({ id, label, text, copy, more = {} }: CodeForm): Html =>
  html`<div class="code"><label for="${id}">${label}</label><input class="input" id="${id}" readonly spellcheck="false"${attributes(more)} value="${text}">${button(
    copy.label,
    { look: 'plain', more: { 'data-copy': id, 'aria-label': copy.name, hidden: true } },
  )}</div>`
