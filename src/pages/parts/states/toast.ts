import { type Html, html } from '../../../lib/html.ts'
import { button } from '../controls/button.ts'

/** What the last action did, with the way back. Pages after a form write it; `web/behaviour/toast.ts` adds others. */
export const toast = (text: string, undo?: string): Html =>
  html`<div class="toast"><span>${text}</span>${undo === undefined ? undefined : button(undo, { look: 'plain' })}</div>`
