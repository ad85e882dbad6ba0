import { type Html, html } from '../../../lib/html.ts'
import { icon } from '../icon.ts'

type BannerLook = 'info' | 'good' | 'warn' | 'danger'

const icons = { info: 'info', good: 'check', warn: 'warning', danger: 'warning' } as const

/** A message about the whole page. */
export const banner = (content: Html, look: BannerLook = 'info'): Html =>
  html`<div class="banner${look === 'info' ? undefined : ` ${look}`}"${look === 'danger' ? html` role="alert"` : undefined}>${icon(icons[look])}<div>${content}</div></div>`
