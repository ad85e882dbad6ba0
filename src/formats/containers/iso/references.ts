import { ByteCursor } from '../byte-cursor.ts'
import type { Bytes } from '../bytes.ts'
import { childrenOf, findBox, outerBoxes } from './boxes.ts'

/** A reference from one item to another. `toAt` is the offset of the other's id. */
export interface IsoReference {
  type: string
  from: number
  to: number
  toAt: number
  width: 2 | 4
}

/** The references between the items of a HEIF file. */
export function referencesOf(bytes: Bytes): IsoReference[] {
  const meta = findBox(outerBoxes(bytes).boxes, 'meta')
  const list = meta && findBox(childrenOf(bytes, meta, 4), 'iref')
  if (list === undefined) return []
  const width = bytes.read(list.dataAt, 1).readUInt8(0) === 0 ? 2 : 4
  return childrenOf(bytes, list, 4).flatMap(({ type, dataAt, end }) => {
    const cursor = new ByteCursor(bytes, dataAt, end)
    const from = cursor.take(width)
    const firstAt = dataAt + width + 2
    return Array.from({ length: cursor.take(2) }, (_, index) => ({
      type,
      from,
      to: cursor.take(width),
      toAt: firstAt + index * width,
      width,
    }))
  })
}
