import { type Html, html } from '../../lib/html.ts'

const mostLarge = 9

/** A large number. One of more than nine characters would not fit beside the others: it is written smaller. */
export function figure(number: string | Html): Html {
  const text = typeof number === 'string' ? number : number.markup.replaceAll(/<[^>]*>/g, '')
  return html`<span class="figure${text.length > mostLarge ? ' long' : undefined}">${number}</span>`
}
