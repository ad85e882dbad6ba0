import type { Bytes } from '../../containers/bytes.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { notDecodable } from '../../errors.ts'

const MAX_BOXES = 500_000
const MAX_HEADER_BYTES = 67_108_864

/** The top-level boxes of a video file. */
export interface VideoLayout {
  boxes: IsoBox[]
  /** The first `moov`, which players read. */
  header: IsoBox
  /** The offset of the first `mdat`. */
  firstMedia: number
  /** Fragments (`moof`) describe samples too, not the header alone. */
  isFragmented: boolean
  /** The offset of trailing bytes that are not boxes; the file's size if there are none. */
  tailAt: number
}

/** Bytes that are not boxes may follow: trailers of cameras, or the end of a truncated file. */
export function readLayout(bytes: Bytes): VideoLayout {
  const boxes: IsoBox[] = []
  let at = 0
  while (at + 8 <= bytes.size) {
    const box = boxAt(bytes, at)
    if (box === undefined) break
    if (boxes.length >= MAX_BOXES) throw notDecodable(`more than ${MAX_BOXES} boxes`)
    boxes.push(box)
    at = box.end
  }

  const headers = boxes.filter(({ type }) => type === 'moov')
  const headerBytes = headers.reduce((sum, { start, end }) => sum + end - start, 0)
  const [header] = headers
  if (header === undefined) throw notDecodable('no video header (moov)')
  if (headerBytes > MAX_HEADER_BYTES) throw notDecodable(`a video header of ${headerBytes} bytes`)
  const media = boxes.find(({ type }) => type === 'mdat')
  const isFragmented = boxes.some(({ type }) => type === 'moof')
  return { boxes, header, firstMedia: media?.start ?? bytes.size, isFragmented, tailAt: at }
}

function boxAt(bytes: Bytes, at: number): IsoBox | undefined {
  const head = bytes.read(at, 8)
  const type = head.toString('latin1', 4)
  const size = head.readUInt32BE(0)
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type) || (size === 1 && at + 16 > bytes.size)) return undefined
  const headBytes = size === 1 ? 16 : 8
  const length =
    size === 0 ? bytes.size - at : size === 1 ? Number(bytes.read(at + 8, 8).readBigUInt64BE(0)) : size
  if (length < headBytes) return undefined
  const box = { type, start: at, dataAt: at + headBytes, end: at + length }
  if (box.end <= bytes.size) return box
  if (type === 'moov') throw notDecodable('the video header extends beyond the end of the file')
  // A truncated recording plays up to its end.
  return type === 'mdat' ? { ...box, end: bytes.size } : undefined
}
