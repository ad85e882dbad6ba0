import { createRequire } from 'node:module'
import type { Style, Terminal } from './terminal.ts'

export interface Column<T> {
  title: string
  value: (row: T) => string
  isRight?: boolean
  style?: (row: T) => Style | undefined
}

const gap = '  '

/** A column of texts may become this narrow; dates, sizes and ids are shorter and keep their width. */
const minTextWidth = 20

/**
 * On a terminal: aligned and coloured. No value is cut: if the rows are too wide, long texts break between words, and if that
 * is not enough, each row becomes a list of its values. Behind a pipe: values separated by tabs.
 */
export function tableOf<T>(terminal: Terminal, columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map((column) => plain(column.value(row))))
  const titles = columns.map((column) => column.title)
  if (!terminal.isTerminal) return [titles, ...cells].map((line) => line.join('\t')).join('\n')

  const widths = fittedWidths([titles, ...cells], terminal.columns)
  if (!widths) {
    const labelled = (line: readonly string[]) =>
      titles.map((title, index) => [title, line[index] ?? ''] as const)
    return cells.map((line) => recordOf(terminal, [{ rows: labelled(line) }])).join('\n\n')
  }
  const shown = (index: number, text: string, style: Style | undefined) => {
    const filler = ' '.repeat((widths[index] ?? 0) - widthOf(text))
    const painted = style === undefined ? text : terminal.paint(style, text)
    return columns[index]?.isRight ? filler + painted : painted + filler
  }
  const lines = (line: readonly string[], styleOf: (index: number) => Style | undefined) => {
    const broken = line.map((text, index) => brokenIntoLines(text, widths[index] ?? 0))
    const height = Math.max(...broken.map((texts) => texts.length))
    return Array.from({ length: height }, (_, at) =>
      broken
        .map((texts, index) => shown(index, texts[at] ?? '', styleOf(index)))
        .join(gap)
        .trimEnd(),
    )
  }
  return [
    ...lines(titles, () => 'bold'),
    ...rows.flatMap((row, line) => lines(cells[line] ?? [], (index) => columns[index]?.style?.(row))),
  ].join('\n')
}

/** The width of each column, the widest of which are narrowed until a row fits; undefined if it cannot fit. */
function fittedWidths(lines: readonly (readonly string[])[], columns: number): number[] | undefined {
  const widest = (measure: (text: string) => number) =>
    (lines[0] ?? []).map((_, index) =>
      lines.reduce((most, line) => Math.max(most, measure(line[index] ?? '')), 0),
    )
  const widths = widest(widthOf)
  const least = widest((text) => Math.max(...text.split(' ').map(widthOf))).map((word, index) =>
    Math.max(word, Math.min(widths[index] ?? 0, minTextWidth)),
  )
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - columns
  for (; excess > 0; excess -= 1) {
    const [index = -1] = widths
      .map((_, at) => at)
      .filter((at) => (widths[at] ?? 0) > (least[at] ?? 0))
      .toSorted((one, two) => (widths[two] ?? 0) - (widths[one] ?? 0))
    if (index === -1) return undefined
    widths[index] = (widths[index] ?? 0) - 1
  }
  return widths
}

function brokenIntoLines(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

export type Rows = readonly (readonly [label: string, value: string])[]

interface Section {
  title?: string
  rows: Rows
}

/** The values of one record by label, in sections. Behind a pipe: `section.label`, a tab, the value. */
export function recordOf(terminal: Terminal, sections: readonly Section[]): string {
  if (!terminal.isTerminal) {
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
        ([label, value]) => `  ${terminal.paint('dim', label.padEnd(width))}${gap}${plain(value)}`,
      )
      const body = lines.length > 0 ? lines : [terminal.paint('dim', '  none')]
      return [...(title === undefined ? [] : [terminal.paint('bold', title)]), ...body].join('\n')
    })
    .join('\n\n')
}

const prefixOf = (title: string | undefined) => (title === undefined ? '' : `${title.toLowerCase()}.`)

/** Labels and values in a frame; without the frame behind a pipe, or if it does not fit the terminal. */
export function framedTable(terminal: Terminal, rows: Rows): string {
  const widest = (column: 0 | 1) => Math.max(...rows.map((row) => widthOf(row[column])))
  const [left, right] = [widest(0), widest(1)]
  const line = (ends: readonly [string, string, string]) =>
    terminal.paint('dim', `${ends[0]}${'─'.repeat(left + 2)}${ends[1]}${'─'.repeat(right + 2)}${ends[2]}`)
  const filled = (text: string, width: number) => text + ' '.repeat(width - widthOf(text))
  if (!terminal.isTerminal || left + right + 7 > terminal.columns)
    return rows
      .map(([label, value]) => `  ${terminal.paint('dim', filled(label, left))}  ${value}`)
      .join('\n')

  const bar = terminal.paint('dim', '│')
  return [
    line(['┌', '┬', '┐']),
    ...rows.map(
      ([label, value]) =>
        `${bar} ${terminal.paint('bold', filled(label, left))} ${bar} ${filled(value, right)} ${bar}`,
    ),
    line(['└', '┴', '┘']),
  ].join('\n')
}

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth()(text)

/** Loaded for the first text beyond ASCII: its patterns take 40 ms to compile, which every command would wait for. */
function stringWidth(): typeof import('string-width').default {
  return createRequire(import.meta.url)('string-width').default
}

/** The text if it fits the columns, else its beginning and an ellipsis. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment)
    if (width > columns) break
    kept += segment
  }
  return `${kept}…`
}

/** Escapes control characters: a line break or an escape code in a tenant's value must not act on the terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return escapes[character] ?? `\\u{${code.toString(16)}}`
  })
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`
