import type { Bytes } from '../../containers/bytes.ts'
import type { Edit } from '../../containers/edits.ts'
import { withoutNestedLocation } from '../../metadata/unknown-block.ts'
import { zeros } from '../blank-ranges.ts'
import { type Element, elementsIn, segmentElements, WEBM } from './elements.ts'

/** Subtitles, buttons, control and metadata. */
const TEXT_TYPES = new Set([0x11, 0x12, 0x20, 0x21])
/** No caption is longer; a longer block is blanked. */
const MAX_BLOCK_BYTES = 1_048_576
/** Behind the number of the track: the time and the flags. */
const TIME_BYTES = 3

/** Removes coordinates from subtitles, in which drones write their position. */
export function subtitleEdits(bytes: Bytes, tracks: readonly Element[]): Edit[] {
  const numbers = new Set(tracks.flatMap((list) => textTracks(bytes, list)))
  if (numbers.size === 0) return []
  const edits: Edit[] = []
  for (const element of segmentElements(bytes, [WEBM.segment, WEBM.cluster])) {
    if (element.id === WEBM.simpleBlock) edits.push(...blockEdits(bytes, element, numbers))
    if (element.id === WEBM.blockGroup) edits.push(...groupEdits(bytes, element, numbers))
  }
  return edits
}

function textTracks(bytes: Bytes, list: Element): number[] {
  const tracks = (elementsIn(bytes, list.dataAt, list.end) ?? []).filter(({ id }) => id === WEBM.track)
  return tracks.flatMap(({ dataAt, end }) => {
    const fields = elementsIn(bytes, dataAt, end) ?? []
    const [type, number] = [WEBM.trackType, WEBM.trackNumber].map((id) =>
      numberOf(
        bytes,
        fields.find((field) => field.id === id),
      ),
    )
    return TEXT_TYPES.has(type ?? 0) && number !== undefined ? [number] : []
  })
}

function numberOf(bytes: Bytes, field: Element | undefined): number | undefined {
  const length = field === undefined ? 0 : field.end - field.dataAt
  return field === undefined || length < 1 || length > 6
    ? undefined
    : bytes.read(field.dataAt, length).readUIntBE(0, length)
}

/** A group has the block itself, and texts that belong to it, such as the settings of a WebVTT cue. */
function groupEdits(bytes: Bytes, group: Element, numbers: ReadonlySet<number>): Edit[] {
  const children = elementsIn(bytes, group.dataAt, group.end) ?? []
  const block = children.find(({ id }) => id === WEBM.block)
  if (!block || !numbers.has(trackOf(bytes, block)?.number ?? -1)) return []
  const additions = children.filter(({ id }) => id === WEBM.additions)
  const texts = additions.flatMap((list) =>
    (elementsIn(bytes, list.dataAt, list.end) ?? []).flatMap(
      ({ dataAt, end }) => elementsIn(bytes, dataAt, end) ?? [],
    ),
  )
  return [
    ...blockEdits(bytes, block, numbers),
    ...texts.flatMap(({ dataAt, end }) => textEdits(bytes, dataAt, end)),
  ]
}

function blockEdits(bytes: Bytes, block: Element, numbers: ReadonlySet<number>): Edit[] {
  const track = trackOf(bytes, block)
  if (!track || !numbers.has(track.number)) return []
  return textEdits(bytes, track.end + TIME_BYTES, block.end)
}

function textEdits(bytes: Bytes, start: number, end: number): Edit[] {
  if (end <= start) return []
  if (end - start > MAX_BLOCK_BYTES) return zeros({ start, end })
  const cleaned = withoutNestedLocation(bytes.read(start, end - start))
  return cleaned === undefined ? [] : [{ start, end, bytes: cleaned }]
}

/** The number of the track with which a block begins, of one to eight bytes. */
function trackOf(bytes: Bytes, { dataAt, end }: Element): { number: number; end: number } | undefined {
  const head = bytes.read(dataAt, Math.min(8, end - dataAt))
  const length = head.length === 0 ? 9 : Math.clz32(head.readUInt8(0)) - 23
  if (length > Math.min(6, head.length)) return undefined
  const marked = head.readUIntBE(0, length)
  return { number: marked - 2 ** (7 * length), end: dataAt + length }
}
