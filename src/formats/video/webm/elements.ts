import type { Bytes } from '../../containers/bytes.ts'
import { notDecodable } from '../../errors.ts'

const MAX_ELEMENTS = 5_000_000
const MAX_KEPT = 10_000
const MAX_DAMAGES = 1000
const PIECE_BYTES = 1_048_576
/** Shorter ones can hide nothing. */
const MIN_VOID_BYTES = 8

export interface Element {
  id: number
  start: number
  dataAt: number
  end: number
  /** Its size is unknown: it ends at the first element that it cannot contain. */
  isOpen: boolean
}

export const WEBM = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  void: 0xec,
  checksum: 0xbf,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  additions: 0x75a1,
  addition: 0xa6,
  trackNumber: 0xd7,
  trackType: 0x83,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  info: 0x1549a966,
  title: 0x7ba9,
  date: 0x4461,
  fileName: 0x7384,
  muxer: 0x4d80,
  writer: 0x5741,
  tracks: 0x1654ae6b,
  track: 0xae,
  chapters: 0x1043a770,
  edition: 0x45b9,
  chapter: 0xb6,
  display: 0x80,
  tags: 0x1254c367,
  tag: 0x7373,
  simpleTag: 0x67c8,
  tagName: 0x45a3,
  attachments: 0x1941a469,
  attachment: 0x61a7,
} as const

/** The top-level elements of a segment with these ids, also between clusters. */
export function segmentParts(bytes: Bytes, ids: readonly number[]): Element[] {
  const parts: Element[] = []
  for (const element of segmentElements(bytes, [WEBM.segment])) {
    const isEmpty = element.id === WEBM.void && element.end - element.dataAt < MIN_VOID_BYTES
    if (ids.includes(element.id) && !isEmpty) parts.push(element)
    if (parts.length > MAX_KEPT) throw notDecodable(`more than ${MAX_KEPT} parts`)
  }
  return parts
}

/** The elements of a file in order. Those with an id of `entered`, and those of unknown size, are followed by what is in them. */
export function* segmentElements(bytes: Bytes, entered: readonly number[]): Generator<Element> {
  let damages = 0
  let at = 0
  for (let count = 0; at < bytes.size; count++) {
    if (count >= MAX_ELEMENTS) throw notDecodable(`more than ${MAX_ELEMENTS} elements`)
    const element = elementAt(bytes, at, bytes.size)
    if (element === undefined) {
      // Players continue at the next element that they know, so later elements count too.
      if (damages++ >= MAX_DAMAGES) throw notDecodable(`more than ${MAX_DAMAGES} damaged parts`)
      at = nextPart(bytes, at + 1)
      continue
    }
    const mayBeOpen = element.id === WEBM.segment || element.id === WEBM.cluster
    if (element.isOpen && !mayBeOpen) throw notDecodable('an element of unknown size')
    yield element
    at = entered.includes(element.id) || element.isOpen ? element.dataAt : element.end
  }
}

/** The sibling elements in a range; undefined if a size is invalid. */
export function elementsIn(bytes: Bytes, from: number, to: number): Element[] | undefined {
  const elements: Element[] = []
  for (let at = from; at < to; ) {
    const element = elementAt(bytes, at, to)
    if (element === undefined || element.isOpen || elements.length >= MAX_KEPT) return undefined
    elements.push(element)
    at = element.end
  }
  return elements
}

function elementAt(bytes: Bytes, at: number, to: number): Element | undefined {
  const head = bytes.read(at, Math.min(12, to - at))
  const idBytes = Math.clz32(head.readUInt8(0)) - 23
  if (idBytes > 4 || idBytes >= head.length) return undefined
  const first = head.readUInt8(idBytes)
  const sizeBytes = Math.clz32(first) - 23
  if (sizeBytes > 8 || idBytes + sizeBytes > head.length) return undefined
  let size = first & (0xff >> sizeBytes)
  let isOpen = size === 0xff >> sizeBytes
  for (let index = 1; index < sizeBytes; index++) {
    const byte = head.readUInt8(idBytes + index)
    size = size * 256 + byte
    isOpen &&= byte === 0xff
  }
  const dataAt = at + idBytes + sizeBytes
  // A truncated recording plays up to its end.
  const end = isOpen ? to : Math.min(dataAt + size, to)
  return { id: head.readUIntBE(0, idBytes), start: at, dataAt, end, isOpen }
}

function nextPart(bytes: Bytes, from: number): number {
  const names = [WEBM.cluster, WEBM.tags].map((id) => {
    const name = Buffer.alloc(4)
    name.writeUInt32BE(id)
    return name
  })
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes.size))
  for (let at = from; at < bytes.size; at += PIECE_BYTES - 3) {
    const piece = buffer.subarray(0, Math.min(PIECE_BYTES, bytes.size - at))
    bytes.readInto(piece, at)
    const found = names.map((name) => piece.indexOf(name)).filter((index) => index >= 0)
    if (found.length > 0) return at + Math.min(...found)
  }
  return bytes.size
}
