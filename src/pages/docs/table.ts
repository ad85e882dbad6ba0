import { type Html, html } from '../../lib/html.ts'

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
