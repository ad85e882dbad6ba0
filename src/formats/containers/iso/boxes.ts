import { notDecodable } from '../../errors.ts'
import type { Bytes } from '../bytes.ts'

export interface IsoBox {
  type: string
  start: number
  dataAt: number
  end: number
}

/** The sibling boxes in a range. */
export function boxesIn(bytes: Bytes, from: number, to: number): IsoBox[] {
  const boxes: IsoBox[] = []
  for (let at = from; at + 8 <= to; ) {
    const box = boxAt(bytes, at, to)
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** The top-level boxes of a file. Vendors append bytes that are not boxes: these begin at `tailAt`. */
export function outerBoxes(bytes: Bytes): { boxes: IsoBox[]; tailAt: number } {
  const boxes: IsoBox[] = []
  let at = 0
  for (; at + 8 <= bytes.size; ) {
    // A truncated box still has a type of printable characters, so it is an error and not a tail.
    if (!/^[\x20-\x7e\xa9]{4}$/.test(bytes.read(at + 4, 4).toString('latin1'))) break
    const box = boxAt(bytes, at, bytes.size)
    boxes.push(box)
    at = box.end
  }
  return { boxes, tailAt: at }
}

export function childrenOf(bytes: Bytes, { dataAt, end }: IsoBox, skip = 0): IsoBox[] {
  return boxesIn(bytes, dataAt + skip, end)
}

export function findBox(boxes: readonly IsoBox[], type: string): IsoBox | undefined {
  return boxes.find((box) => box.type === type)
}

/** The brands of an ISO base media file; empty for other files. */
export function brandsOf(head: Buffer): string[] {
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return []
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

function boxAt(bytes: Bytes, at: number, to: number): IsoBox {
  const head = bytes.read(at, 8)
  const size = head.readUInt32BE(0)
  const headBytes = size === 1 ? 16 : 8
  // A size of 0 means up to the end of the file; 1 means that a size of eight bytes follows the type.
  const length = size === 0 ? to - at : size === 1 ? Number(bytes.read(at + 8, 8).readBigUInt64BE(0)) : size
  if (length < headBytes || at + length > to) throw notDecodable('a box extends beyond the end')
  return { type: head.toString('latin1', 4), start: at, dataAt: at + headBytes, end: at + length }
}
