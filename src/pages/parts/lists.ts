import { attributes, type Html, href, html } from '../../lib/html.ts'

export interface Column {
  name: string
  isNumber?: boolean
  /** The address of the same list sorted by this column. */
  sortAddress?: string
  sorted?: 'ascending' | 'descending'
}

/**
 * Sorts by links. On a phone each row is a block with the names of its columns; a changed `display` takes the table roles
 * away, so they are written out for screen readers.
 */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Html[])[]): Html {
  return html`<table class="table" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(headOf)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => rowOf(columns, cells))}
</tbody>
</table>`
}

function headOf({ name, isNumber, sortAddress, sorted }: Column): Html {
  const own = {
    scope: 'col',
    role: 'columnheader',
    class: isNumber ? 'number' : undefined,
    'aria-sort': sorted,
  }
  const text = sortAddress === undefined ? html`${name}` : html`<a href="${href(sortAddress)}">${name}</a>`
  return html`<th${attributes(own)}>${text}</th>`
}

function rowOf(columns: readonly Column[], [first, ...others]: readonly Html[]): Html {
  const cells = others.map((cell, index) => {
    const { name = '', isNumber } = columns[index + 1] ?? {}
    return html`<td${attributes({ role: 'cell', class: isNumber ? 'number' : undefined, 'data-name': name })}>${cell}</td>`
  })
  return html`<tr role="row"><th scope="row" role="rowheader">${first}</th>${cells}</tr>`
}
