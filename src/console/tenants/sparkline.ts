import { attributes, type Html, html } from '../../lib/html.ts'

const [step, height, margin] = [12, 20, 2]

/** A few numbers as a line, with their words for those who do not see it. All zeros is a line at the bottom. */
export function sparkline(values: readonly number[], label: string): Html {
  const most = Math.max(...values, 1)
  const points = values.map(
    (value, index) =>
      `${index * step},${Math.round(height - margin - (value / most) * (height - 2 * margin))}`,
  )
  return html`<svg${attributes({ class: 'sparkline', role: 'img', 'aria-label': label })}><polyline points="${points.join(' ')}"/></svg>`
}
