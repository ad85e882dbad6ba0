import { attributes, type Html, html } from '../../lib/html.ts'

interface Use {
  label: string
  used: number
  /** Without a limit there is no meter. */
  limit: number | undefined
  /** Both in words: `4.1 of 10 GB`. */
  text: string
}

/** How much of a limit is used. From three quarters on it warns, from nine tenths on it is full. */
export function meter({ label, used, limit, text }: Use): Html {
  if (limit === undefined) return html`<div class="use"><span>${text}</span></div>`
  const own = { class: 'meter', 'aria-label': label, min: 0, max: limit, value: used }
  const bounds = { low: limit * 0.75, high: limit * 0.9, optimum: 0 }
  return html`<div class="use"><span>${text}</span><meter${attributes({ ...own, ...bounds })}>${text}</meter></div>`
}
