import { attributes, type Html, html } from '../../lib/html.ts'
import { button } from './controls.ts'
import { icon, mark } from './icon.ts'

type BannerLook = 'info' | 'good' | 'warn' | 'danger'

const icons = { info: 'info', good: 'check', warn: 'warning', danger: 'warning' } as const

/** A message about the whole page. */
export const banner = (content: Html, look: BannerLook = 'info'): Html =>
  html`<div class="banner${look === 'info' ? undefined : ` ${look}`}"${look === 'danger' ? html` role="alert"` : undefined}>${icon(icons[look])}<div>${content}</div></div>`

interface EmptyState {
  title: string
  /** What would be here. */
  text: string
  /** One next step. */
  action?: Html | undefined
}

export const emptyState = ({ title, text, action }: EmptyState): Html =>
  html`<div class="empty">${mark('steps')}<h2>${title}</h2><p>${text}</p>${action}</div>`

interface Use {
  label: string
  used: number
  /** Without a limit there is no meter. */
  limit: number | undefined
  /** Both in words: `4.1 of 10 GB`. */
  text: string | Html
}

/** How much of a limit is used. From three quarters on it warns, from nine tenths on it is full. */
export function meter({ label, used, limit, text }: Use): Html {
  if (limit === undefined) return html`<div class="use"><span>${text}</span></div>`
  const own = { class: 'meter', 'aria-label': label, max: limit, value: used }
  const bounds = { low: limit * 0.75, high: limit * 0.9 }
  return html`<div class="use"><span>${text}</span><meter${attributes({ ...own, ...bounds })}></meter></div>`
}

/** Work that goes on; without a value it is not known how far it is. */
export const progress = (label: string, value?: number, most = 1): Html =>
  html`<progress${attributes({ class: 'progress', 'aria-label': label, value, max: most })}></progress>`

/** The mark, step by step. */
export const loading = (label: string): Html =>
  html`<span>${mark('loading')}<span class="only-read">${label}</span></span>`

/** What the last action did, with the way back. Pages after a form write it; `web/behaviour/toast.ts` adds others. */
export const toast = (text: string, undo?: string): Html =>
  html`<div class="toast"><span>${text}</span>${undo === undefined ? undefined : button(undo, { look: 'plain' })}</div>`
