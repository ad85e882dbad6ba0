import { attributes, type Html, href, html } from '../../../lib/html.ts'
import { type IconName, icon } from '../icon.ts'
import { button } from './button.ts'

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
