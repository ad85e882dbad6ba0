import type { Span } from '../location/coordinates.ts'

/** The value of pieces of XML source, with entities decoded. */
export interface XmlValue {
  text: string
  /** The spans of the source that produce this span of the text. */
  sourceSpans(span: Span): Span[]
}

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

interface Piece {
  text: string
  start: number
  end: number
  isEntity: boolean
}

export function readXmlValue(source: string, spans: readonly Span[]): XmlValue {
  const pieces = spans.flatMap((span) => piecesOf(source, span))
  return {
    text: pieces.map(({ text }) => text).join(''),
    sourceSpans(span) {
      const found: Span[] = []
      let at = 0
      for (const { text, start, end, isEntity } of pieces) {
        const from = Math.max(span.start - at, 0)
        const to = Math.min(span.end - at, text.length)
        if (from < to) found.push(isEntity ? { start, end } : { start: start + from, end: start + to })
        at += text.length
      }
      return found
    },
  }
}

function piecesOf(source: string, { start, end }: Span): Piece[] {
  const text = source.slice(start, end)
  if (!text.includes('&')) return [{ text, start, end, isEntity: false }]
  const pieces: Piece[] = []
  let done = 0
  for (const { 0: entity, 1: decimal, 2: hexadecimal, 3: name, index } of text.matchAll(ENTITY)) {
    pieces.push({ text: text.slice(done, index), start: start + done, end: start + index, isEntity: false })
    done = index + entity.length
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16)
    const character =
      NAMED[name?.toLowerCase() ?? ''] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : ' ')
    pieces.push({ text: character, start: start + index, end: start + done, isEntity: true })
  }
  pieces.push({ text: text.slice(done), start: start + done, end, isEntity: false })
  return pieces
}
