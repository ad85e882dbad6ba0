import { attributes, type Html, href, html } from '../../../lib/html.ts'

type ChipLook = 'plain' | 'good' | 'warn' | 'danger' | 'accent'

/** A short fact. Its colour repeats what its words say. */
export const chip = (text: string, look: ChipLook = 'plain'): Html =>
  html`<span class="chip${look === 'plain' ? undefined : ` ${look}`}">${text}</span>`

/** A filter; the current one is filled. */
export const linkChip = (text: string, address: string, isCurrent = false): Html =>
  html`<a${attributes({ class: 'chip', href: href(address), 'aria-current': isCurrent ? 'true' : undefined })}>${text}</a>`
