import type { Bytes } from '../../containers/bytes.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { notDecodable } from '../../errors.ts'

const MAX_BOXES = 200_000
const MAX_DEPTH = 12
const PIECE_BYTES = 1_048_576
const ZEROS = Buffer.alloc(PIECE_BYTES)

/** A box with its children in memory, edited in place. Lengths never change, so offsets found before stay valid. */
export interface BoxTree {
  readonly bytes: Buffer
  isChanged: boolean
  /** How many more boxes may be read; forged files have millions. */
  remaining: number
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf'])

/** Reads a box into a new buffer, because it will be changed. */
export function readTree(source: Bytes, { start, end }: Pick<IsoBox, 'start' | 'end'>): BoxTree {
  const bytes = Buffer.allocUnsafe(end - start)
  source.readInto(bytes, start)
  return { bytes, isChanged: false, remaining: MAX_BOXES }
}

/** The outermost box. Resets the limit of boxes, since every walk begins here. */
export function rootOf(tree: BoxTree): IsoBox {
  tree.remaining = MAX_BOXES
  const [root] = listBoxes(tree, 0, tree.bytes.length) ?? []
  if (root === undefined) throw notDecodable('a box without a valid size')
  return root
}

/** The sibling boxes in a range; undefined if a size is invalid. */
export function listBoxes(tree: BoxTree, from: number, to: number): IsoBox[] | undefined {
  const boxes: IsoBox[] = []
  for (let at = from; at + 8 <= to; ) {
    if (tree.remaining-- <= 0) throw notDecodable(`more than ${MAX_BOXES} boxes`)
    const box = boxAt(tree.bytes, at, to)
    if (box === undefined) return undefined
    boxes.push(box)
    at = box.end
  }
  return boxes
}

export function childBoxes(tree: BoxTree, { type, dataAt, end }: IsoBox): IsoBox[] {
  const boxes = listBoxes(tree, dataAt, end)
  if (boxes === undefined) throw notDecodable(`a box in ${type} extends beyond its end`)
  return boxes
}

/** Every box of the video's structure. `path` has its ancestors, the outermost first. */
export function* walkBoxes(
  tree: BoxTree,
  box: IsoBox,
  path: readonly IsoBox[] = [],
): Generator<{ box: IsoBox; path: readonly IsoBox[] }> {
  yield { box, path }
  // The type is read again, because the caller may have blanked the box.
  if (!CONTAINERS.has(typeAt(tree.bytes, box.start))) return
  if (path.length >= MAX_DEPTH) throw notDecodable(`boxes are nested more than ${MAX_DEPTH} deep`)
  for (const child of childBoxes(tree, box)) yield* walkBoxes(tree, child, [...path, box])
}

/** Turns the box into a `free` box of equal length, filled with zeros. */
export function freeBox(tree: BoxTree, { type, start, dataAt, end }: IsoBox): void {
  const isSpace = type === 'free' || type === 'skip'
  if (isSpace && isZero(tree.bytes.subarray(dataAt, end))) return
  if (!isSpace) tree.bytes.write('free', start + 4, 'latin1')
  tree.bytes.fill(0, dataAt, end)
  tree.isChanged = true
}

export function overwrite(tree: BoxTree, at: number, bytes: Buffer): void {
  if (tree.bytes.subarray(at, at + bytes.length).equals(bytes)) return
  bytes.copy(tree.bytes, at)
  tree.isChanged = true
}

export function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES)
    if (!piece.equals(ZEROS.subarray(0, piece.length))) return false
  }
  return true
}

export const typeAt = (bytes: Buffer, start: number) => bytes.toString('latin1', start + 4, start + 8)

function boxAt(bytes: Buffer, at: number, to: number): IsoBox | undefined {
  const size = bytes.readUInt32BE(at)
  const headBytes = size === 1 ? 16 : 8
  if (at + headBytes > to) return undefined
  // A size of 0 means up to the end; 1 means that a size of eight bytes follows the type.
  const length = size === 0 ? to - at : size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size
  if (length < headBytes || at + length > to) return undefined
  return { type: typeAt(bytes, at), start: at, dataAt: at + headBytes, end: at + length }
}
