import { coordinatesIn } from '../location/coordinates.ts'
import { isLocationName } from '../location/names.ts'
import { XmpScrubber } from './scrubber.ts'
import { readWideText } from './wide-text.ts'
import { xmlTokens } from './xml-tokens.ts'

/** Anything that looks like a tag or an attribute. */
const PROPERTY = /<([^\s<>/="'&]+)|\s([^\s<>/="'&]+)\s*=/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: text never contains them
const IS_BINARY = /[\0-\x08]/

/** A copy of the packet with its location replaced by spaces, of equal length; undefined if it has no location. */
export function withoutXmpLocation(packet: Buffer): Buffer | undefined {
  return scrub(packet, 'packet')
}

/** The same for an SVG file, in which only `metadata` is judged by value: other numbers are the drawing. */
export function withoutSvgLocation(file: Buffer): Buffer | undefined {
  return scrub(file, 'drawing')
}

/** An empty packet of that length, for containers in which a block must keep its length. */
export function emptyXmp(length: number): Buffer {
  const packet = spaces(length)
  const empty = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
  if (length >= empty.length) packet.write(empty, 'latin1')
  return packet
}

function scrub(packet: Buffer, form: 'packet' | 'drawing'): Buffer | undefined {
  const { text, blanked } = readWideText(packet)
  if (!text.includes('<') && IS_BINARY.test(text)) return undefined
  const scrubber = new XmpScrubber(text, form)
  for (const token of xmlTokens(text)) {
    scrubber.take(token)
    if (token.type !== 'broken' && !scrubber.isTooDeep) continue
    if (looksLikeLocation(text, form)) return unlessBlank(packet)
    break
  }
  const spans = scrubber.end()
  if (spans.some(({ isWhole }) => isWhole)) return unlessBlank(packet)
  return spans.length === 0 ? undefined : blanked(spans)
}

/** We cannot parse a packet that is not well-formed, but some readers can, so it is judged by its looks. */
function looksLikeLocation(text: string, form: 'packet' | 'drawing'): boolean {
  const isNamed = text
    .matchAll(PROPERTY)
    .some(([, tag, attribute]) => isSuspicious(tag ?? attribute ?? '', form))
  return isNamed || (form === 'packet' && coordinatesIn(text).length > 0)
}

const isSuspicious = (name: string, form: 'packet' | 'drawing') =>
  isLocationName(name) && (form === 'packet' || name.includes(':'))

function unlessBlank(packet: Buffer): Buffer | undefined {
  const blank = spaces(packet.length)
  return packet.equals(blank) ? undefined : blank
}

const spaces = (length: number) => Buffer.alloc(length, ' ')
