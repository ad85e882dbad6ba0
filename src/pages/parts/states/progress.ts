import { attributes, type Html, html } from '../../../lib/html.ts'
import { mark } from '../mark.ts'

/** Work that goes on; without a value it is not known how far it is. */
export const progress = (label: string, value?: number, most = 1): Html =>
  html`<progress${attributes({ class: 'progress', 'aria-label': label, value, max: most })}></progress>`

/** The mark, step by step. */
export const loading = (label: string): Html =>
  html`<span>${mark('loading')}<span class="only-read">${label}</span></span>`
