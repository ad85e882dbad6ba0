import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** The members of a stream that we use; files and pipes lack those of a terminal. */
export type Stream = Pick<WriteStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'hasColors'>>

/** Standard output or standard error: a terminal with colours and a width, or a pipe. */
export interface Terminal {
  readonly isTerminal: boolean
  readonly columns: number
  /** Returns the text unchanged if colours are off. */
  paint(style: Style, text: string): string
  print(text: string): void
  /** Resolves when the reader of a pipe has room for more. */
  write(bytes: Uint8Array): Promise<void>
  /** Overwrites the current line; for terminals only. */
  redraw(text: string): void
}

const defaultColumns = 80

export function terminalOf(
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isTerminal = stream.isTTY === true
  // no-color.org: an empty NO_COLOR counts as not set.
  const hasColours = isTerminal && !environment.NO_COLOR && stream.hasColors?.() === true
  return {
    isTerminal,
    columns: stream.columns || defaultColumns,
    paint: (style, text) => (hasColours ? styleText(style, text, { validateStream: false }) : text),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error?: Error | null) => (error ? reject(error) : resolve()))
      }),
    print: (text) => void stream.write(`${text}\n`),
    redraw: (text) => void stream.write(`\r\x1b[2K${text}`),
  }
}
