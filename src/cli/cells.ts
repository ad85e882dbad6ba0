const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /\p{Emoji_Presentation}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u

const widthOfGrapheme = (grapheme: string) => (wide.test(grapheme) ? 2 : 1)

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOfGrapheme(segment), 0)
}

/** The text, or as much of it as has room, with a mark that it was longer. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const { segment } of graphemes.segment(text)) {
    width += widthOfGrapheme(segment)
    if (width > columns) break
    kept += segment
  }
  return `${kept}…`
}

/** Values are other people's: a line break or an escape code in one must not reach the terminal as such. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return escapes[character] ?? `\\u{${code.toString(16)}}`
  })
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
