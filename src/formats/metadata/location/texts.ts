import { coordinatesIn, isCoordinate, type Span } from './coordinates.ts'

/** A run of text, between control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate texts
const RUN = /[^\0-\x08\x0b\x0c\x0e-\x1f\x7f]{3,}/g
/** Digits in units of two or four bytes. */
const WIDE_DIGITS = /\d\0[\d.,:\s\xb0]|\d\0\0\0[\d.,:\s\xb0]/
/** A shortcut for binary data: in every coordinate two digits, or a digit and a sign, are close to each other. */
const HINT = /\d[\s\S]{0,3}[\dNSEW\xb0\xba]|\/\/\//
const PIECE_BYTES = 1_048_576
/** Longer than any coordinate: pieces overlap by it. */
const OVERLAP_BYTES = 1024

/** A copy of the bytes in which coordinates are spaces, of equal length; undefined if they contain none. */
export function withoutTextLocation(bytes: Buffer): Buffer | undefined {
  let cleaned: Buffer | undefined
  for (let at = 0; at < bytes.length; at += PIECE_BYTES - OVERLAP_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES)
    for (const { start, end, space } of byteSpans(piece)) {
      cleaned ??= Buffer.from(bytes)
      cleaned.fill(space, at + start, at + end)
    }
    if (at + piece.length >= bytes.length) break
  }
  return cleaned
}

interface ByteSpan extends Span {
  space: Buffer
}

const SPACE = Buffer.from(' ')

/** The texts are read in every encoding that they may have: nothing in a comment says which. */
function byteSpans(bytes: Buffer): ByteSpan[] {
  const narrow = bytes.toString('latin1')
  if (!HINT.test(narrow)) return []
  const spans = spansOf(narrow).map((span) => ({ ...span, space: SPACE }))
  return WIDE_DIGITS.test(narrow) ? [...spans, ...wideSpans(bytes)] : spans
}

/** Big-endian text is read from the byte after the first zero: then its plain characters are little-endian. */
function wideSpans(bytes: Buffer): ByteSpan[] {
  return ([2, 4] as const).flatMap((width) => {
    const space = Buffer.alloc(width, 0)
    space[0] = 0x20
    return Array.from({ length: width }, (_, offset) => {
      const text = width === 2 ? bytes.toString('utf16le', offset) : readQuads(bytes, offset)
      return spansOf(text).map(({ start, end }) => ({
        start: offset + start * width,
        end: Math.min(offset + end * width, bytes.length),
        space,
      }))
    }).flat()
  })
}

/** Units with more than two bytes that count are no characters of coordinates: they become zeros, which end a text. */
function readQuads(bytes: Buffer, offset: number): string {
  const units = Math.floor((bytes.length - offset) / 4)
  const narrow = Buffer.alloc(units * 2)
  for (let index = 0; index < units; index++) {
    const at = offset + index * 4
    if (bytes[at + 2] === 0 && bytes[at + 3] === 0) bytes.copy(narrow, index * 2, at, at + 2)
  }
  return narrow.toString('utf16le')
}

function spansOf(text: string): Span[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    // The first character may be the length of the text, which is left alone if it looks like a sign.
    const hasSign = /^[+-]/.test(run)
    const isAmbiguous = hasSign || /^\d{2}/.test(run)
    const shorter = isAmbiguous ? spansOfRun(run.slice(1)).map((span) => shifted(span, 1)) : []
    return [...(hasSign ? [] : spansOfRun(run)), ...shorter].map((span) => shifted(span, index))
  })
}

const shifted = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by })

function spansOfRun(run: string): Span[] {
  if (!HINT.test(run)) return []
  const spans = coordinatesIn(run)
  return spans.length === 0 && isCoordinate(run) ? [{ start: 0, end: run.length }] : spans
}

/** The text without its coordinates; empty if nothing else is left to read. */
export function withoutCoordinates(text: string): string {
  const spans = spansOfRun(text)
  if (spans.length === 0) return text
  const characters = text.split('')
  for (const { start, end } of spans) characters.fill(' ', start, end)
  return tidy(characters.join(''))
}

/** A text whose coordinates are spaces: without the gaps, and without signs that stood between coordinates. */
export function tidy(text: string): string {
  const joined = text
    .replace(/\(\s*\)|\[\s*\]/g, '')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/ (?=[,.;:!?)])/g, '')
    .replace(/[\s,;:/|@(-]+$/, '')
    .trim()
  return /[\p{L}\p{N}]/u.test(joined) ? joined : ''
}
