import { type Bytes, bytesOf } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'
import { namesPlace } from './place-names.ts'
import type { Strip } from './user-boxes.ts'
import { type Element, elementsIn, segmentParts, WEBM } from './webm-elements.ts'
import { voidElement } from './webm-void.ts'

const MAX_TAGS_BYTES = 16_777_216
const MAX_DEPTH = 8
const PARTS = [WEBM.tags, WEBM.about, WEBM.places, WEBM.attachments]

/** Edits of the same length that take the location, or all that describes, out of a WebM file. */
export function stripWebm(bytes: Bytes, policy: Strip): Edit[] {
  const parts = segmentParts(bytes, PARTS)
  const gone = new Set<number>()
  const edits = parts.flatMap((part) => {
    const isAll = policy === 'strip_all' && (part.id === WEBM.tags || part.id === WEBM.attachments)
    const changes = isAll ? 'all' : part.id === WEBM.tags ? tagEdits(bytes, part) : []
    if (changes !== 'all') return changes
    gone.add(part.id)
    return voidElement(part)
  })
  const abouts = policy === 'strip_all' ? parts.filter(({ id }) => id === WEBM.about) : []
  const places = gone.size > 0 ? parts.filter(({ id }) => id === WEBM.places) : []
  return [
    ...edits,
    ...abouts.flatMap((about) => aboutEdits(bytes, about)),
    ...places.flatMap((list) => placeEdits(bytes, list, gone)),
  ]
}

type Changes = Edit[] | 'all'

/** Tags that tell a location go; so does what is left empty by that, or cannot be read. */
function tagEdits(bytes: Bytes, tags: Element): Changes {
  if (tags.end - tags.start > MAX_TAGS_BYTES) return 'all'
  // Read once: a list of many tags is gone through level by level.
  const held = Buffer.from(bytes.read(tags.start, tags.end - tags.start))
  const inside = { ...tags, start: 0, dataAt: tags.dataAt - tags.start, end: held.length }
  const changes = without(bytesOf(held), inside, 0)
  if (changes === 'all') return 'all'
  return changes.map((edit) => ({ ...edit, start: edit.start + tags.start, end: edit.end + tags.start }))
}

function without(bytes: Bytes, element: Element, depth: number): Changes {
  const children = depth > MAX_DEPTH ? undefined : elementsIn(bytes, element.dataAt, element.end)
  if (children === undefined) return 'all'
  const name = element.id === WEBM.simpleTag ? children.find(({ id }) => id === WEBM.tagName) : undefined
  if (name !== undefined && namesPlace(textOf(bytes, name))) return 'all'

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

/** The title and the date go; the names of programs have to be there, so they are emptied. */
function aboutEdits(bytes: Bytes, about: Element): Edit[] {
  const children = elementsIn(bytes, about.dataAt, about.end) ?? []
  const edits = children.flatMap((child) => {
    const isProgram = child.id === WEBM.muxer || child.id === WEBM.writer
    if (isProgram) return /^\0*$/.test(textOf(bytes, child)) ? [] : [emptied(child)]
    return [WEBM.title, WEBM.date, WEBM.fileName].includes(child.id as never) ? voidElement(child) : []
  })
  return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
}

/** Takes parts that are gone out of the list of places. */
function placeEdits(bytes: Bytes, list: Element, gone: ReadonlySet<number>): Edit[] {
  const children = elementsIn(bytes, list.dataAt, list.end) ?? []
  const edits = children.flatMap((child) => {
    if (child.id !== WEBM.place) return []
    const target = elementsIn(bytes, child.dataAt, child.end)?.find(({ id }) => id === WEBM.placeOf)
    const length = target === undefined ? 0 : target.end - target.dataAt
    const id = target !== undefined && length === 4 ? bytes.read(target.dataAt, 4).readUInt32BE(0) : 0
    return gone.has(id) ? voidElement(child) : []
  })
  return edits.length === 0 ? [] : [...edits, ...checksumEdits(children)]
}

/** A checksum over what has changed would be wrong, and none is needed. */
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
