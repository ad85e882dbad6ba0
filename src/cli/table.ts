import { cut, plain, widthOf } from './cells.ts'
import type { Sheet, Style } from './sheet.ts'

export interface Column<T> {
  title: string
  value: (row: T) => string
  isRight?: boolean
  style?: (row: T) => Style | undefined
}

const gap = '  '
const narrowest = 5

/** Aligned, painted and cut to the terminal's width for people; whole cells between tabs for programs. */
export function tableOf<T>(sheet: Sheet, columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map((column) => plain(column.value(row))))
  const titles = columns.map((column) => column.title)
  if (!sheet.isTerminal) return [titles, ...cells].map((line) => line.join('\t')).join('\n')

  const widths = narrowed(
    columns.map((_, place) =>
      [titles, ...cells].reduce((widest, line) => Math.max(widest, widthOf(line[place] ?? '')), 0),
    ),
    sheet.columns,
  )
  const shown = (place: number, text: string, style: Style | undefined) => {
    const room = widths[place] ?? 0
    const kept = cut(text, room)
    const filler = ' '.repeat(room - widthOf(kept))
    const painted = style === undefined ? kept : sheet.paint(style, kept)
    return columns[place]?.isRight ? filler + painted : painted + filler
  }
  const heading = titles.map((title, place) => shown(place, title, 'bold'))
  const lines = rows.map((row, line) =>
    columns.map((column, place) => shown(place, cells[line]?.[place] ?? '', column.style?.(row))),
  )
  return [heading, ...lines].map((line) => line.join(gap).trimEnd()).join('\n')
}

/** Takes from the widest column until all have room. */
function narrowed(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths]
  let excess = fitted.reduce((sum, width) => sum + width, 0) + gap.length * (fitted.length - 1) - columns
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...fitted)
    if (widest <= narrowest) break
    fitted[fitted.indexOf(widest)] = widest - 1
  }
  return fitted
}

export interface Section {
  title?: string
  rows: readonly (readonly [label: string, value: string])[]
}

/** One thing with its values by name, in sections; `section.name` before a tab for programs. */
export function recordOf(sheet: Sheet, sections: readonly Section[]): string {
  if (!sheet.isTerminal) {
    return sections
      .flatMap(({ title, rows }) =>
        rows.map(([label, value]) => `${prefixOf(title)}${label}\t${plain(value)}`),
      )
      .join('\n')
  }
  const width = Math.max(...sections.flatMap(({ rows }) => rows.map(([label]) => widthOf(label))))
  return sections
    .map(({ title, rows }) => {
      const lines = rows.map(
        ([label, value]) => `  ${sheet.paint('dim', label.padEnd(width))}${gap}${plain(value)}`,
      )
      const body = lines.length > 0 ? lines : [sheet.paint('dim', '  none')]
      return [...(title === undefined ? [] : [sheet.paint('bold', title)]), ...body].join('\n')
    })
    .join('\n\n')
}

const prefixOf = (title: string | undefined) => (title === undefined ? '' : `${title.toLowerCase()}.`)
