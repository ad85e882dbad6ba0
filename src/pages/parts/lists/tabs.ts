import { attributes, type Html, href, html } from '../../../lib/html.ts'

export interface Tab {
  label: string
  address: string
  isCurrent?: boolean
}

/** Links between pages that belong together. */
export const tabs = (label: string, list: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${list.map(
    (tab) =>
      html`<a${attributes({ href: href(tab.address), 'aria-current': tab.isCurrent ? 'page' : undefined })}>${tab.label}</a>`,
  )}</nav>`
