import type { Edit } from '../../containers/edits.ts'
import { zeros } from '../blank-ranges.ts'
import { type Element, WEBM } from './elements.ts'

const LONG_SIZE_FROM = 129

/** Edits that turn an element into a Void element of equal length. */
export function voidElement({ start, end }: Element): Edit[] {
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
