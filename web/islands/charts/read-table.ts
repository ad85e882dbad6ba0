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

/** Of the columns of numbers: the storage at the end of each day, and the traffic behind it. */
const levelAt = 2
const sizesAt = [2, 3]

/** The columns of the table of days, which has the newest day first. */
export function columnsOf(table: HTMLTableElement): { days: string[]; columns: Column[] } {
  const rows = [...(table.tBodies[0]?.rows ?? [])].reverse()
  const [, ...names] = [...(table.tHead?.rows[0]?.cells ?? [])].map(textOf)
  const columns = names.map((name, index) => {
    const cells = rows.map((row) => row.cells[index + 1]?.querySelector('data') ?? undefined)
    return {
      name,
      isLevel: index === levelAt,
      isSize: sizesAt.includes(index),
      texts: cells.map(textOf),
      values: cells.map((cell) => (cell === undefined || cell.value === '' ? null : Number(cell.value))),
    }
  })
  return { days: rows.map((row) => textOf(row.cells[0])), columns }
}

const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''
