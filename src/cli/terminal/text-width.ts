import { createRequire } from 'node:module'

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
