/** The first table of a page as a reader sees it: names of columns, and the cells behind each row header. */
export function cellsOfTable(page: string): { columns: string[]; byHeader: Map<string, string[]> } {
  const [, table = ''] = /<table[^>]*>([\s\S]*?)<\/table>/.exec(page) ?? []
  const rows = [...table.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => textOf(cell)),
  )
  const [columns = [], ...body] = rows
  return { columns, byHeader: new Map(body.map(([name = '', ...cells]) => [name, cells])) }
}

/** Without markup, and without what only buttons say. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim()
