import { type Html, html } from '../../lib/html.ts'

const steps = html`<path d="M0 11h6v5H0z"/><path d="M6 6h6v10H6z"/><path d="M12 0h6v16h-6z"/>`

/** The mark: three rising steps. */
export const mark = (name = 'mark'): Html =>
  html`<svg class="${name}" aria-hidden="true" viewBox="0 0 18 16">${steps}</svg>`
