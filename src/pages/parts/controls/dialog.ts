import { type Html, html } from '../../../lib/html.ts'
import { button } from './button.ts'

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
