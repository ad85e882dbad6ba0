import { notDecodable } from '../errors.ts'
import { type Bytes, readHead } from './bytes.ts'

const HEADER = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const DATE = 0x4461
const HEAD_BYTES = 65_536
/** Dates count billionths of a second from here. */
const EPOCH = Date.UTC(2001, 0, 1)

interface Element {
  id: number
  dataAt: number
  /** Nothing where the length was not known when it was written, as in a recording that goes on. */
  end: number | undefined
}

/** The name that an EBML file gives its kind, none for another file. */
export function docTypeOf(head: Buffer): string | undefined {
  const header = elementAt(head, 0)
  const docType = header?.id === HEADER ? childOf(head, header, DOC_TYPE) : undefined
  // Such a text may be filled up with zeros.
  return docType && head.toString('latin1', docType.dataAt, docType.end).replace(/\0+$/, '')
}

/** When it was recorded, where the first part of the file tells. */
export function dateOfSegment(bytes: Bytes): Date | undefined {
  const head = readHead(bytes, HEAD_BYTES)
  const segment = segmentOf(head)
  const about = segment && childOf(head, segment, INFO)
  const date = about && childOf(head, about, DATE)
  if (date?.end !== (date?.dataAt ?? 0) + 8) return undefined
  return new Date(EPOCH + Number(head.readBigInt64BE(date?.dataAt) / 1_000_000n))
}

/** Refuses a file that ends before what it says to hold. */
export function checkSegment(bytes: Bytes): void {
  const segment = segmentOf(readHead(bytes, HEAD_BYTES))
  if (segment === undefined) throw notDecodable('no segment behind the header')
  if ((segment.end ?? 0) > bytes.size) throw notDecodable('the segment goes beyond the end')
}

/** A cluster's number, and those of all that may stand in a segment or in a cluster. */
const CLUSTER = 0x1f43b675
const KNOWN = new Set([
  ...[CLUSTER, INFO, 0x114d9b74, 0x1654ae6b, 0x1c53bb6b, 0x1043a770, 0x1254c367, 0x1941a469, 0xec, 0xbf],
  ...[0xe7, 0xa7, 0xab, 0xa0, 0xa3, 0xaf, 0x5854],
])
const LONGEST_START = 12

/** Where the first thing stands that is no element of a segment. A parser that goes on there may look for the next for ever. */
export function endOfElements(bytes: Bytes): number {
  let at = segmentOf(readHead(bytes, HEAD_BYTES))?.dataAt ?? bytes.size
  while (at < bytes.size) {
    const element = elementAt(bytes.read(at, Math.min(LONGEST_START, bytes.size - at)), 0)
    if (element === undefined || !KNOWN.has(element.id)) return at
    // What a cluster of unknown length holds is walked like what stands beside it.
    if (element.end === undefined && element.id !== CLUSTER) return at
    at += element.end ?? element.dataAt
  }
  return bytes.size
}

function segmentOf(head: Buffer): Element | undefined {
  const segment = elementAt(head, elementAt(head, 0)?.end ?? head.length)
  return segment?.id === SEGMENT ? segment : undefined
}

/** Looks no further than an element that goes beyond what was read. */
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

/** A number whose own length is told by the zeros that it begins with; an id keeps the bit that ends them. */
function numberAt(
  head: Buffer,
  at: number,
  longest: number,
  keepsMark: boolean,
): { value: number; length: number } | undefined {
  const first = head[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > longest || at + length > head.length) return undefined
  let value = keepsMark ? first : first & (0xff >> length)
  for (const byte of head.subarray(at + 1, at + length)) value = value * 256 + byte
  return { value, length }
}
