import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface GifBlock {
  /** 0x2c is a picture, 0x21 an extension. */
  introducer: number
  /** The type of an extension: 0xf9 control, 0xfe comment, 0xff application, 0x01 plain text. */
  label: number
  /** The eleven characters of an application extension. */
  application: string
  start: number
  /** The offset of the first sub-block. */
  dataAt: number
  end: number
}

export const GIF = {
  extension: 0x21,
  picture: 0x2c,
  trailer: 0x3b,
  application: 0xff,
  comment: 0xfe,
  control: 0xf9,
} as const

/** All blocks up to the trailer. Throws if there is no trailer: then the file is truncated. */
export function* gifBlocks(bytes: Bytes): Generator<GifBlock> {
  let at = 13 + colourTableBytes(byteAt(bytes, 10))
  for (;;) {
    const introducer = byteAt(bytes, at)
    if (introducer === GIF.trailer) return
    if (introducer !== GIF.picture && introducer !== GIF.extension) throw notDecodable('an unknown GIF block')
    const block = introducer === GIF.picture ? pictureAt(bytes, at) : extensionAt(bytes, at)
    yield block
    at = block.end
  }
}

function pictureAt(bytes: Bytes, start: number): GifBlock {
  // After the descriptor, the colour table and the minimum code size.
  const dataAt = start + 10 + colourTableBytes(byteAt(bytes, start + 9)) + 1
  const end = endOfSubBlocks(bytes, dataAt)
  return { introducer: GIF.picture, label: 0, application: '', start, dataAt, end }
}

function extensionAt(bytes: Bytes, start: number): GifBlock {
  const label = byteAt(bytes, start + 1)
  const isApplication = label === GIF.application && byteAt(bytes, start + 2) === 11
  const application = isApplication ? bytes.read(start + 3, 11).toString('latin1') : ''
  const dataAt = isApplication ? start + 14 : start + 2
  return { introducer: GIF.extension, label, application, start, dataAt, end: endOfSubBlocks(bytes, dataAt) }
}

function endOfSubBlocks(bytes: Bytes, from: number): number {
  let at = from
  for (let length = byteAt(bytes, at); length !== 0; length = byteAt(bytes, at)) at += 1 + length
  return at + 1
}

const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

const byteAt = (bytes: Bytes, at: number) => bytes.read(at, 1).readUInt8(0)
