import { type Bytes, bytesOf } from '../../containers/bytes.ts'
import { type Edit, withoutOverlaps } from '../../containers/edits.ts'
import { isLocationField } from '../../metadata/location/video-fields.ts'
import { withoutNestedLocation } from '../../metadata/unknown-block.ts'
import { zeros } from '../blank-ranges.ts'
import type { Strip } from '../strip/user-boxes.ts'
import { type Element, elementsIn, segmentParts, WEBM } from './elements.ts'
import { subtitleEdits } from './subtitles.ts'

const MAX_TAGS_BYTES = 16_777_216
const MAX_DEPTH = 8
const DESCRIBING = [WEBM.tags, WEBM.info, WEBM.tracks, WEBM.chapters, WEBM.attachments, WEBM.void] as number[]
const PARTS = [...DESCRIBING, WEBM.seekHead]
/** Elements that contain elements, and no data of their own. */
const LISTS = new Set<number>([
  WEBM.tags,
  WEBM.tag,
  WEBM.simpleTag,
  WEBM.info,
  WEBM.tracks,
  WEBM.track,
  WEBM.attachments,
  WEBM.attachment,
  WEBM.chapters,
  WEBM.edition,
  WEBM.chapter,
  WEBM.display,
])
/** The shortest text with coordinates, such as 5N 3E. */
const MIN_TEXT_BYTES = 5

/** Edits that remove the location, or all metadata, from a WebM file and keep its length. */
export function stripWebm(bytes: Bytes, policy: Strip): Edit[] {
  const parts = segmentParts(bytes, PARTS)
  const removed = new Set<number>()
  const edits = parts.flatMap((part) => {
    const isAll = policy === 'strip_all' && (part.id === WEBM.tags || part.id === WEBM.attachments)
    const changes = isAll ? 'all' : policy === 'strip_location' ? locationEdits(bytes, part) : []
    if (changes !== 'all') return changes
    removed.add(part.id)
    return voidElement(part)
  })
  const infos = policy === 'strip_all' ? parts.filter(({ id }) => id === WEBM.info) : []
  const seekHeads = removed.size > 0 ? parts.filter(({ id }) => id === WEBM.seekHead) : []
  return [
    ...edits,
    ...subtitleEdits(
      bytes,
      parts.filter(({ id }) => id === WEBM.tracks),
    ),
    ...infos.flatMap((info) => infoEdits(bytes, info)),
    ...seekHeads.flatMap((list) => seekHeadEdits(bytes, list, removed)),
  ]
}

type Changes = Edit[] | 'all'

function locationEdits(bytes: Bytes, part: Element): Changes {
  const changes = part.id === WEBM.tags ? tagEdits(bytes, part) : []
  if (changes === 'all' || !DESCRIBING.includes(part.id) || part.end - part.start > MAX_TAGS_BYTES)
    return changes
  return withoutOverlaps([...changes, ...textEdits(bytes, part, 0)])
}

/** Coordinates in the texts of an element: values of tags, names of tracks, chapters, attached pictures. */
function textEdits(bytes: Bytes, element: Element, depth: number): Edit[] {
  const { id, dataAt, end } = element
  const children = LISTS.has(id) && depth <= MAX_DEPTH ? elementsIn(bytes, dataAt, end) : undefined
  if (children !== undefined) {
    const edits = children.flatMap((child) => textEdits(bytes, child, depth + 1))
    return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
  }
  const cleaned =
    end - dataAt < MIN_TEXT_BYTES ? undefined : withoutNestedLocation(bytes.read(dataAt, end - dataAt))
  return cleaned === undefined ? [] : [{ start: dataAt, end, bytes: cleaned }]
}

/** Removes location tags, lists that this empties, and lists that cannot be parsed. */
function tagEdits(bytes: Bytes, tags: Element): Changes {
  if (tags.end - tags.start > MAX_TAGS_BYTES) return 'all'
  // Read into memory once, because every level of nested tags is walked.
  const copy = Buffer.from(bytes.read(tags.start, tags.end - tags.start))
  const inside = { ...tags, start: 0, dataAt: tags.dataAt - tags.start, end: copy.length }
  const changes = without(bytesOf(copy), inside, 0)
  if (changes === 'all') return 'all'
  return changes.map((edit) => ({ ...edit, start: edit.start + tags.start, end: edit.end + tags.start }))
}

function without(bytes: Bytes, element: Element, depth: number): Changes {
  const children = depth > MAX_DEPTH ? undefined : elementsIn(bytes, element.dataAt, element.end)
  if (children === undefined) return 'all'
  const name = element.id === WEBM.simpleTag ? children.find(({ id }) => id === WEBM.tagName) : undefined
  if (name !== undefined && isLocationField(textOf(bytes, name))) return 'all'

  const inner = children.filter(({ id }) => id === WEBM.tag || id === WEBM.simpleTag)
  const changes = inner.map((child) => without(bytes, child, depth + 1))
  const isEmptied = inner.length > 0 && changes.every((change) => change === 'all')
  if (isEmptied && element.id !== WEBM.simpleTag) return 'all'
  const edits = inner.flatMap((child, index) => {
    const change = changes[index] ?? []
    return change === 'all' ? voidElement(child) : change
  })
  return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
}

/** Removes the title and the date. The names of muxer and writer are mandatory, so they are emptied. */
function infoEdits(bytes: Bytes, info: Element): Edit[] {
  const children = elementsIn(bytes, info.dataAt, info.end) ?? []
  const edits = children.flatMap((child) => {
    const isProgram = child.id === WEBM.muxer || child.id === WEBM.writer
    if (isProgram) return /^\0*$/.test(textOf(bytes, child)) ? [] : [emptied(child)]
    return [WEBM.title, WEBM.date, WEBM.fileName].includes(child.id as never) ? voidElement(child) : []
  })
  return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
}

/** Removes the entries of removed elements from the seek head. */
function seekHeadEdits(bytes: Bytes, list: Element, removed: ReadonlySet<number>): Edit[] {
  const children = elementsIn(bytes, list.dataAt, list.end) ?? []
  const edits = children.flatMap((child) => {
    if (child.id !== WEBM.seek) return []
    const target = elementsIn(bytes, child.dataAt, child.end)?.find(({ id }) => id === WEBM.seekId)
    const length = target === undefined ? 0 : target.end - target.dataAt
    const id = target !== undefined && length === 4 ? bytes.read(target.dataAt, 4).readUInt32BE(0) : 0
    return removed.has(id) ? voidElement(child) : []
  })
  return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
}

/** Removes the checksum of a changed element; checksums are optional. */
const checksumEdits = (children: readonly Element[]) =>
  children.filter(({ id }) => id === WEBM.checksum).flatMap(voidElement)

const emptied = ({ dataAt, end }: Element): Edit => ({
  start: dataAt,
  end,
  bytes: Buffer.alloc(end - dataAt),
})

const MAX_TEXT_BYTES = 4096

const textOf = (bytes: Bytes, { dataAt, end }: Element) =>
  bytes.read(dataAt, Math.min(end - dataAt, MAX_TEXT_BYTES)).toString('latin1')

const LONG_SIZE_FROM = 129

/** Edits that turn an element into a Void element of equal length. */
function voidElement({ start, end }: Element): Edit[] {
  const length = end - start
  if (length < 2) return []
  const head = Buffer.alloc(length < LONG_SIZE_FROM ? 2 : 9)
  head.writeUInt8(WEBM.void, 0)
  if (head.length === 2) head.writeUInt8(0x80 | (length - 2), 1)
  else {
    head.writeUIntBE(length - 9, 3, 6)
    head.writeUInt8(0x01, 1)
  }
  return [{ start, end: start + head.length, bytes: head }, ...zeros({ start: start + head.length, end })]
}
