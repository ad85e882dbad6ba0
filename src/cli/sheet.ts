import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** What of a stream we use; files and pipes have less than a terminal. */
export type Stream = Pick<WriteStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'hasColors'>>

/** Standard output or standard error, as a person at a terminal or a program behind a pipe sees it. */
export interface Sheet {
  readonly isTerminal: boolean
  readonly columns: number
  /** Gives the text back as it is where colours are not wanted. */
  paint(style: Style, text: string): string
  print(text: string): void
  /** Writes over the last line that was drawn; for terminals only. */
  redraw(text: string): void
}

const usualColumns = 80

export function sheetOf(stream: Stream, environment: Readonly<Record<string, string | undefined>>): Sheet {
  const isTerminal = stream.isTTY === true
  // An empty NO_COLOR counts as none, as no-color.org says.
  const hasColours = isTerminal && !environment.NO_COLOR && stream.hasColors?.() === true
  return {
    isTerminal,
    columns: stream.columns || usualColumns,
    paint: (style, text) => (hasColours ? styleText(style, text, { validateStream: false }) : text),
    print: (text) => void stream.write(`${text}\n`),
    redraw: (text) => void stream.write(`\r\x1b[2K${text}`),
  }
}
