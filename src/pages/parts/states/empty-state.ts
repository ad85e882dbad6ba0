import { type Html, html } from '../../../lib/html.ts'
import { mark } from '../mark.ts'

interface EmptyState {
  title: string
  /** What would be here. */
  text: string
  /** One next step. */
  action?: Html
}

export const emptyState = ({ title, text, action }: EmptyState): Html =>
  html`<div class="empty">${mark('steps')}<h2>${title}</h2><p>${text}</p>${action}</div>`
