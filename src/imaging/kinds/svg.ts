import { type Bytes, readHead } from '../../formats/containers/bytes.ts'
import type { Edit } from '../../formats/containers/edits.ts'
import { withoutNestedLocation } from '../../formats/metadata/unknown-block.ts'
import { withoutSvgLocation } from '../../formats/metadata/xmp/strip-xmp.ts'
import { notDecodable } from '../errors.ts'
import { HEAD_BYTES, type Header, type PictureKind } from './kind.ts'

/** What may precede the root element: declaration, comments, document type. */
const PROLOGUE = /^(?:\s+|<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\])?[^>]*>)*/i
const ROOT = /^<(?:[\w.-]+:)?svg(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*/

const MAX_SVG_BYTES = 10_000_000

/** The size that librsvg uses for a drawing without one. */
const DEFAULT_SIZE = 100

export const svg: PictureKind<'svg'> = {
  type: 'image',
  name: 'svg',
  mime: 'image/svg+xml',
  extensions: ['svg'],
  decoder: { by: 'librsvg' },
  shownIn: ['browsers'],
  variantFormat: 'webp',
  // A vector drawing has no pixels to reduce.
  resizedAs: 'none',
  allowedBy: 'allowSvg',

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
    width: Math.ceil(length('width') ?? finite(boxWidth) ?? DEFAULT_SIZE),
    height: Math.ceil(length('height') ?? finite(boxHeight) ?? DEFAULT_SIZE),
    frames: 1,
  }
}

const finite = (value: number | undefined) => (Number.isFinite(value) ? Math.max(1, value ?? 1) : undefined)

/** Descriptions belong to the drawing's text, so `strip_all` too removes only the location. */
function locationEdits(bytes: Bytes): Edit[] {
  const file = bytes.read(0, bytes.size)
  const cleaned = withoutSvgLocation(file)
  const edited = withCleanPictures(cleaned ?? file) ?? cleaned
  return edited === undefined ? [] : [{ start: 0, end: bytes.size, bytes: edited }]
}

/** A picture in the drawing, as a `data:` address. */
const PICTURE = /(data:image\/[\w.+-]{1,40};base64,)([A-Za-z\d+/\s]{8,}=*)/g

/** Pictures in the drawing are cleaned like files. They keep their length, and so does the drawing. */
function withCleanPictures(file: Buffer): Buffer | undefined {
  let isChanged = false
  const text = file.toString('latin1').replace(PICTURE, (whole, head: string, encoded: string) => {
    const cleaned = withoutNestedLocation(Buffer.from(encoded, 'base64'))
    if (cleaned === undefined) return whole
    isChanged = true
    const characters = cleaned.toString('base64')
    let at = 0
    return head + encoded.replace(/\S/g, () => characters.charAt(at++))
  })
  return isChanged ? Buffer.from(text, 'latin1') : undefined
}
