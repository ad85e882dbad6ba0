export interface Column {
  name: string
  /** Oldest first; null where nothing was counted. */
  values: (number | null)[]
  /** As the server has written them. */
  texts: string[]
  /** A level is drawn as a line, and counts as bars. */
  isLevel: boolean
  isSize: boolean
}

/** The columns of the table of days, which has the newest day first, and what each of them counts. */
export function columnsOf(
  table: HTMLTableElement,
  kinds: readonly string[],
): { days: string[]; columns: Column[] } {
  const rows = [...(table.tBodies[0]?.rows ?? [])].reverse()
  const [, ...names] = [...(table.tHead?.rows[0]?.cells ?? [])].map(textOf)
  const columns = names.map((name, index) => {
    const cells = rows.map((row) => row.cells[index + 1]?.querySelector('data') ?? undefined)
    return {
      name,
      isLevel: kinds[index]?.includes('level') ?? false,
      isSize: kinds[index]?.includes('size') ?? false,
      texts: cells.map(textOf),
      values: cells.map((cell) => (cell === undefined || cell.value === '' ? null : Number(cell.value))),
    }
  })
  return { days: rows.map((row) => textOf(row.cells[0])), columns }
}

const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''
