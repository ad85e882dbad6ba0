import type { Bytes } from '../../containers/bytes.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { notDecodable } from '../../errors.ts'
import { type BoxTree, childBoxes, readTree, rootOf } from './box-tree.ts'
import type { VideoLayout } from './layout.ts'
import type { Range } from './track-samples.ts'
import { partOf, type Track } from './tracks.ts'

const MAX_FRAGMENT_BYTES = 16_777_216
const MAX_RANGES = 200_000

/** The byte ranges of samples in a fragmented video, in which each fragment has its own sample table. */
export function fragmentRanges(source: Bytes, layout: VideoLayout, tree: BoxTree, tracks: Track[]): Range[] {
  const wanted = new Set(tracks.map((track) => idOf(tree, track)))
  const sizes = defaultSizes(tree)
  const ranges: Range[] = []
  for (const box of wanted.size === 0 ? [] : layout.boxes) {
    if (box.type !== 'moof') continue
    if (box.end - box.start > MAX_FRAGMENT_BYTES)
      throw notDecodable(`a fragment of ${box.end - box.start} bytes`)
    for (const { id, range } of rangesIn(readTree(source, box), box.start, sizes)) {
      if (wanted.has(id) && range.end > range.start) ranges.push(range)
    }
    if (ranges.length > MAX_RANGES) throw notDecodable(`samples in more than ${MAX_RANGES} ranges`)
  }
  return ranges
}

function idOf({ bytes }: BoxTree, track: Track): number | undefined {
  const head = partOf(track, 'tkhd')
  if (head === undefined || head.end - head.dataAt < 24) return undefined
  return bytes.readUInt32BE(head.dataAt + (bytes.readUInt8(head.dataAt) === 1 ? 20 : 12))
}

/** The default sample size of each track, by track id. */
function defaultSizes(tree: BoxTree): Map<number, number> {
  const lists = childBoxes(tree, rootOf(tree)).filter(({ type }) => type === 'mvex')
  const defaults = lists.flatMap((list) => childBoxes(tree, list)).filter(({ type }) => type === 'trex')
  const whole = defaults.filter(({ dataAt, end }) => end - dataAt >= 20)
  return new Map(
    whole.map(({ dataAt }) => [tree.bytes.readUInt32BE(dataAt + 4), tree.bytes.readUInt32BE(dataAt + 16)]),
  )
}

interface Head {
  id: number
  base: number
  size: number
}

function rangesIn(tree: BoxTree, start: number, sizes: Map<number, number>): { id: number; range: Range }[] {
  const found: { id: number; range: Range }[] = []
  let done = start
  for (const fragment of childBoxes(tree, rootOf(tree)).filter(({ type }) => type === 'traf')) {
    const parts = childBoxes(tree, fragment)
    const box = parts.find(({ type }) => type === 'tfhd')
    const head = box && readHead(tree.bytes, box, { start, done, sizes })
    if (head === undefined) throw notDecodable('a fragment without a track')
    done = head.base
    for (const run of parts.filter(({ type }) => type === 'trun')) {
      const range = readRun(tree.bytes, run, { ...head, done })
      done = range.end
      found.push({ id: head.id, range })
    }
  }
  return found
}

type FragmentContext = { start: number; done: number; sizes: Map<number, number> }

function readHead(
  bytes: Buffer,
  { dataAt, end }: IsoBox,
  { start, done, sizes }: FragmentContext,
): Head | undefined {
  if (end - dataAt < 8) return undefined
  const flags = bytes.readUInt32BE(dataAt) & 0xffffff
  const id = bytes.readUInt32BE(dataAt + 4)
  const sizeAt = dataAt + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0) + (flags & 8 ? 4 : 0)
  if (sizeAt + (flags & 0x10 ? 4 : 0) > end) return undefined
  const ownBase = flags & 1 ? Number(bytes.readBigUInt64BE(dataAt + 8)) : undefined
  // Without a base offset, samples follow those of the previous track.
  const base = ownBase ?? (flags & 0x20000 ? start : done)
  return { id, base, size: flags & 0x10 ? bytes.readUInt32BE(sizeAt) : (sizes.get(id) ?? 0) }
}

function readRun(
  bytes: Buffer,
  { dataAt, end }: IsoBox,
  { base, size, done }: Head & { done: number },
): Range {
  const flags = end - dataAt < 8 ? 0 : bytes.readUInt32BE(dataAt) & 0xffffff
  const count = end - dataAt < 8 ? 0 : bytes.readUInt32BE(dataAt + 4)
  const at = dataAt + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
  const width = [0x100, 0x200, 0x400, 0x800].reduce((sum, flag) => sum + (flags & flag ? 4 : 0), 0)
  if (at + count * width > end) throw notDecodable(`a fragment has fewer than its ${count} samples`)
  const start = flags & 1 ? base + bytes.readInt32BE(dataAt + 8) : done
  if ((flags & 0x200) === 0) return { start, end: start + count * size }
  let sum = 0
  for (let index = 0; index < count; index++) {
    sum += bytes.readUInt32BE(at + index * width + (flags & 0x100 ? 4 : 0))
  }
  return { start, end: start + sum }
}
