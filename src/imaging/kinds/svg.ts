import { type Bytes, readHead } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'
import { notDecodable } from '../errors.ts'
import { withoutXmpLocation } from '../metadata/xmp.ts'
import { HEAD_BYTES, type Header, type PictureKind } from './kind.ts'

/** What may stand before the root element: declaration, comments, document type. */
const PROLOGUE = /^(?:\s+|<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\])?[^>]*>)*/i
const ROOT = /^<(?:[\w.-]+:)?svg(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*/

const MAX_SVG_BYTES = 10_000_000

/** What librsvg and browsers take for pictures that do not say. */
const UNKNOWN_SIZE = 100

export const svg: PictureKind = {
  name: 'svg',
  mime: 'image/svg+xml',
  extensions: ['svg'],
  decodedBy: 'librsvg',
  variantFormat: 'webp',
  // It has the size one draws it in.
  resizedAs: 'none',
  isOffByDefault: true,

  matches: (head) => rootOf(head) !== undefined,
  header: readHeader,
  metadata: () => ({}),
  strip: locationEdits,
}

function rootOf(head: Buffer): string | undefined {
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  const prologue = PROLOGUE.exec(text)?.[0] ?? ''
  return ROOT.exec(text.slice(prologue.length))?.[0]
}

function readHeader(bytes: Bytes): Header {
  if (bytes.size > MAX_SVG_BYTES) throw notDecodable('an SVG file of that size takes too long')
  const root = rootOf(readHead(bytes, HEAD_BYTES)) ?? ''
  const attribute = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(root)?.[1]
  const length = (name: string) => {
    const text = attribute(name)
    return text?.endsWith('%') ? undefined : finite(Number.parseFloat(text ?? ''))
  }
  const [, , boxWidth, boxHeight] = (attribute('viewBox') ?? '').split(/[\s,]+/).map(Number.parseFloat)
  return {
    width: Math.ceil(length('width') ?? finite(boxWidth) ?? UNKNOWN_SIZE),
    height: Math.ceil(length('height') ?? finite(boxHeight) ?? UNKNOWN_SIZE),
    frames: 1,
  }
}

const finite = (value: number | undefined) => (Number.isFinite(value) ? Math.max(1, value ?? 1) : undefined)

/** Descriptions are part of a drawing's text, so that only what tells a place is taken away. */
function locationEdits(bytes: Bytes): Edit[] {
  const cleaned = withoutXmpLocation(bytes.read(0, bytes.size))
  return cleaned === undefined ? [] : [{ start: 0, end: bytes.size, bytes: cleaned }]
}
