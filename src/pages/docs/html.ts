import { escapeHtml } from '../../common/texts.ts'
import { type Html, html } from '../../lib/html.ts'

/** A sentence of a description; text in backticks is code. */
export function prose(text: string): Html {
  return { markup: escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') }
}

/** A long name that may be broken after its slashes and dots. */
export function breakable(name: string): Html {
  return { markup: escapeHtml(name).replaceAll(/[/.]+(?=.)/g, '$&<wbr>') }
}

export const codeBlock = (text: string): Html => html`<pre><code>${text}</code></pre>`

export const jsonBlock = (value: unknown): Html =>
  codeBlock(typeof value === 'string' ? value.trimEnd() : JSON.stringify(value, null, 2))

export const folded = (summary: string, content: Html): Html =>
  html`<details><summary>${summary}</summary>${content}</details>`

/** Open at first, and can be closed. */
export const unfolded = (summary: string, content: Html): Html =>
  html`<details open><summary>${summary}</summary>${content}</details>`

/**
 * A table whose rows become cards on a narrow screen. A changed `display` takes the table roles away, so they are written
 * out for screen readers.
 */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const names = columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${names}</tr></thead>
<tbody role="rowgroup">
${rows.map(rowOf)}
</tbody>
</table>`
}

function rowOf([first, ...others]: readonly Html[]): Html {
  const cells = others.map((cell) => html`<td role="cell">${cell}</td>`)
  return html`<tr role="row"><th scope="row" role="rowheader">${first}</th>${cells}</tr>`
}
