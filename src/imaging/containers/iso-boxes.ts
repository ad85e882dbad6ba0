import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface IsoBox {
  type: string
  start: number
  dataAt: number
  end: number
}

/** The boxes that stand side by side in a range. */
export function boxesIn(bytes: Bytes, from: number, to: number): IsoBox[] {
  const boxes: IsoBox[] = []
  for (let at = from; at + 8 <= to; ) {
    const box = boxAt(bytes, at, to)
    boxes.push(box)
    at = box.end
  }
  return boxes
}

export function childrenOf(bytes: Bytes, { dataAt, end }: IsoBox, skip = 0): IsoBox[] {
  return boxesIn(bytes, dataAt + skip, end)
}

export function findBox(boxes: readonly IsoBox[], type: string): IsoBox | undefined {
  return boxes.find((box) => box.type === type)
}

/** The brands of a file of the ISO family, none for another file. */
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
  // Zero means up to the end, one that the size stands behind the name in eight bytes.
  const length = size === 0 ? to - at : size === 1 ? Number(bytes.read(at + 8, 8).readBigUInt64BE(0)) : size
  if (length < headBytes || at + length > to) throw notDecodable('a box goes beyond the end')
  return { type: head.toString('latin1', 4), start: at, dataAt: at + headBytes, end: at + length }
}
