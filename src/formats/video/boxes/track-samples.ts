import type { IsoBox } from '../../containers/iso/boxes.ts'
import { notDecodable } from '../../errors.ts'
import type { BoxTree } from './box-tree.ts'
import { chunkTableOf, offsetAt } from './offset-tables.ts'
import { partOf, type Track } from './tracks.ts'

const MAX_RANGES = 200_000

export interface Range {
  start: number
  end: number
}

/** The byte ranges of a track's samples: its chunks, with adjacent chunks merged. */
export function sampleRanges(tree: BoxTree, track: Track, limit = MAX_RANGES): Range[] {
  const chunks = chunkTableOf(tree, track)
  const sizeOf = readSizes(tree, track)
  const samplesIn = readSamplesPerChunk(tree, track)
  const ranges: Range[] = []
  let sample = 0
  for (let index = 0; chunks !== undefined && index < chunks.count; index++) {
    const start = offsetAt(tree, chunks, index)
    const count = samplesIn(index + 1)
    const end = start + sizeOf(sample, count)
    sample += count
    const last = ranges.at(-1)
    if (last?.end === start) last.end = end
    else if (end > start) ranges.push({ start, end })
    if (ranges.length < limit) continue
    if (limit === MAX_RANGES) throw notDecodable(`samples in more than ${MAX_RANGES} ranges`)
    break
  }
  return ranges
}

/** Sorts and merges ranges; only forged files have overlapping ones. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const range of [...ranges].sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}

/** Returns a function that sums the sizes of consecutive samples. */
function readSizes({ bytes }: BoxTree, track: Track): (first: number, count: number) => number {
  const box = partOf(track, 'stsz') ?? partOf(track, 'stz2')
  if (box === undefined || box.end - box.dataAt < 12) return () => 0
  const isCompact = box.type === 'stz2'
  const fixedSize = isCompact ? 0 : bytes.readUInt32BE(box.dataAt + 4)
  const bits = isCompact ? bytes.readUInt8(box.dataAt + 7) : 32
  if (![4, 8, 16, 32].includes(bits)) return () => 0
  const room = Math.floor(((box.end - box.dataAt - 12) * 8) / bits)
  const total =
    fixedSize > 0 ? bytes.readUInt32BE(box.dataAt + 8) : Math.min(bytes.readUInt32BE(box.dataAt + 8), room)

  return (first, count) => {
    const last = Math.min(first + count, total)
    if (fixedSize > 0) return Math.max(0, last - first) * fixedSize
    let sum = 0
    for (let index = first; index < last; index++) sum += sizeAt(bytes, box, index, bits)
    return sum
  }
}

function sizeAt(bytes: Buffer, { dataAt }: IsoBox, index: number, bits: number): number {
  const at = dataAt + 12 + Math.floor((index * bits) / 8)
  if (bits === 4) return index % 2 === 0 ? bytes.readUInt8(at) >> 4 : bytes.readUInt8(at) & 15
  return bytes.readUIntBE(at, bits / 8)
}

/** Returns a function that gives the sample count of a chunk. It must be called for each chunk in order, from 1 on. */
function readSamplesPerChunk({ bytes }: BoxTree, track: Track): (chunk: number) => number {
  const box = partOf(track, 'stsc')
  if (box === undefined || box.end - box.dataAt < 8) return () => 0
  const { dataAt, end } = box
  const count = Math.min(bytes.readUInt32BE(dataAt + 4), Math.floor((end - dataAt - 8) / 12))
  let next = 0
  let samples = 0
  return (chunk) => {
    for (; next < count && bytes.readUInt32BE(dataAt + 8 + next * 12) <= chunk; next++) {
      samples = bytes.readUInt32BE(dataAt + 8 + next * 12 + 4)
    }
    return samples
  }
}
