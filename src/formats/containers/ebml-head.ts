import { notDecodable } from '../errors.ts'
import { type Bytes, readHead } from './bytes.ts'

const HEADER = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const DATE = 0x4461
const HEAD_BYTES = 65_536
/** Dates are nanoseconds since then. */
const EPOCH = Date.UTC(2001, 0, 1)

interface Element {
  id: number
  dataAt: number
  /** Undefined if the length is unknown, as in a live recording. */
  end: number | undefined
}

/** The DocType of an EBML file; undefined for other files. */
export function docTypeOf(head: Buffer): string | undefined {
  const header = elementAt(head, 0)
  const docType = header?.id === HEADER ? childOf(head, header, DOC_TYPE) : undefined
  // EBML text may be padded with zeros.
  return docType && head.toString('latin1', docType.dataAt, docType.end).replace(/\0+$/, '')
}

/** The recording date, if it is in the first 64 KiB of the file. */
export function dateOfSegment(bytes: Bytes): Date | undefined {
  const head = readHead(bytes, HEAD_BYTES)
  const segment = segmentOf(head)
  const info = segment && childOf(head, segment, INFO)
  const date = info && childOf(head, info, DATE)
  if (date?.end !== (date?.dataAt ?? 0) + 8) return undefined
  return new Date(EPOCH + Number(head.readBigInt64BE(date?.dataAt) / 1_000_000n))
}

/** Throws if the file is shorter than its segment claims. */
export function checkSegment(bytes: Bytes): void {
  const segment = segmentOf(readHead(bytes, HEAD_BYTES))
  if (segment === undefined) throw notDecodable('no segment after the header')
  if ((segment.end ?? 0) > bytes.size) throw notDecodable('the segment extends beyond the end of the file')
}

/** The ids of a cluster, and of all elements that a segment or a cluster may contain. */
const CLUSTER = 0x1f43b675
const KNOWN = new Set([
  CLUSTER,
  INFO,
  0x114d9b74,
  0x1654ae6b,
  0x1c53bb6b,
  0x1043a770,
  0x1254c367,
  0x1941a469,
  0xec,
  0xbf,
  0xe7,
  0xa7,
  0xab,
  0xa0,
  0xa3,
  0xaf,
  0x5854,
])
const LONGEST_START = 12

/** The offset of the first bytes that are not an element of a segment. A parser that continues there may search endlessly. */
export function endOfElements(bytes: Bytes): number {
  let at = segmentOf(readHead(bytes, HEAD_BYTES))?.dataAt ?? bytes.size
  while (at < bytes.size) {
    const element = elementAt(bytes.read(at, Math.min(LONGEST_START, bytes.size - at)), 0)
    if (element === undefined || !KNOWN.has(element.id)) return at
    // The children of a cluster of unknown length are walked like its siblings.
    if (element.end === undefined && element.id !== CLUSTER) return at
    at += element.end ?? element.dataAt
  }
  return bytes.size
}

function segmentOf(head: Buffer): Element | undefined {
  const segment = elementAt(head, elementAt(head, 0)?.end ?? head.length)
  return segment?.id === SEGMENT ? segment : undefined
}

/** Stops at an element that extends beyond `head`. */
function childOf(head: Buffer, parent: Element, id: number): Element | undefined {
  for (let at = parent.dataAt; at < (parent.end ?? head.length); ) {
    const element = elementAt(head, at)
    if (element?.end === undefined || element.end > head.length) return undefined
    if (element.id === id) return element
    at = element.end
  }
  return undefined
}

function elementAt(head: Buffer, at: number): Element | undefined {
  const id = numberAt(head, at, 4, true)
  const size = id && numberAt(head, at + id.length, 8, false)
  if (!id || !size) return undefined
  const dataAt = at + id.length + size.length
  const isUnknown = size.value === 2 ** (7 * size.length) - 1
  return { id: id.value, dataAt, end: isUnknown ? undefined : dataAt + size.value }
}

/** A variable-length integer: its leading zero bits give its length. An id keeps the marker bit after them, a size does not. */
function numberAt(
  head: Buffer,
  at: number,
  longest: number,
  keepsMarker: boolean,
): { value: number; length: number } | undefined {
  const first = head[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > longest || at + length > head.length) return undefined
  let value = keepsMarker ? first : first & (0xff >> length)
  for (const byte of head.subarray(at + 1, at + length)) value = value * 256 + byte
  return { value, length }
}
