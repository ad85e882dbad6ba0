import type { Bytes } from '../../../formats/containers/bytes.ts'
import { dataOfItem } from '../../../formats/containers/iso/items.ts'
import { notDecodable } from '../../errors.ts'
import type { HevcTiles } from '../../kinds/heif/tiles.ts'
import type { HevcContext, HevcFrame, HevcLibrary } from './hevc-library.ts'

/** A picture in YUV 4:2:0: luma in full size, two chroma planes in half of it. */
export interface Planes {
  width: number
  height: number
  planes: [Buffer, Buffer, Buffer]
  matrix: number
  isFullRange: boolean
}

// Constants of FFmpeg's headers: AV_CODEC_ID_HEVC, AV_PIX_FMT_YUV420P and YUVJ420P, AVCOL_RANGE_*, AV_FRAME_FLAG_CORRUPT.
const HEVC = 173
const YUV420 = [0, 12]
const LIMITED_RANGE = 1
const FULL_RANGE = 2
const IS_CORRUPT = 1

/** Decodes all tiles into one picture. Throws at anything unusual: then libheif decodes the picture. */
export function decodeTiles(
  library: HevcLibrary,
  bytes: Bytes,
  picture: HevcTiles,
  maxPixels: number,
): Planes {
  const { width, height, tiles, configuration } = picture
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const planes: Planes['planes'] = [
    Buffer.alloc(width * height),
    Buffer.alloc(half.width * half.height),
    Buffer.alloc(half.width * half.height),
  ]
  const codec = library.Codec.findDecoder(HEVC)
  if (codec === null) throw notDecodable('no HEVC decoder')
  const context = new library.CodecContext()
  const frame = new library.Frame()
  frame.alloc()
  let colours: Pick<Planes, 'matrix' | 'isFullRange'> | undefined
  let done = 0
  const take = () => {
    while (context.receiveFrameSync(frame) >= 0) {
      colours ??= coloursOf(frame, picture)
      copyTile(frame, picture, planes)
      done++
      frame.unref()
    }
  }
  try {
    context.allocContext3(codec)
    context.extraData = configuration
    const options = {
      threads: '1',
      err_detect: 'explode',
      max_pixels: String(Math.min(maxPixels, 2 ** 31 - 1)),
    }
    for (const [name, value] of Object.entries(options)) library.Option.set(context, name, value, 0)
    if (context.open2Sync(codec, null) < 0) throw notDecodable('the HEVC decoder does not start')
    for (const [index, tile] of tiles.entries()) {
      send(library, context, dataOfItem(bytes, tile), index)
      take()
    }
    context.sendPacketSync(null)
    take()
  } finally {
    frame.free()
    context.freeContext()
  }
  if (done !== tiles.length || colours === undefined) throw notDecodable(`${done} of ${tiles.length} tiles`)
  return { width, height, planes, ...colours }
}

function send(library: HevcLibrary, context: HevcContext, data: Buffer | undefined, index: number): void {
  if (data === undefined) throw notDecodable('a tile without data')
  const packet = new library.Packet()
  packet.alloc()
  packet.data = data
  packet.pts = BigInt(index)
  const code = context.sendPacketSync(packet)
  packet.free()
  if (code < 0) throw notDecodable(`tile ${index} cannot be decoded`)
}

/** From the file, or else from the coded picture. If neither has them, decoders differ, so libheif decides. */
function coloursOf({ colorSpace, colorRange }: HevcFrame, { colours }: HevcTiles) {
  if (colours !== undefined) return colours
  if (colorRange !== LIMITED_RANGE && colorRange !== FULL_RANGE)
    throw notDecodable('an unknown range of colours')
  return { matrix: colorSpace, isFullRange: colorRange === FULL_RANGE }
}

function copyTile(frame: HevcFrame, picture: HevcTiles, planes: Planes['planes']): void {
  const { tileWidth, tileHeight, columns, width, height } = picture
  const isWhole = frame.decodeErrorFlags === 0 && (frame.flags & IS_CORRUPT) === 0
  const isSized = frame.width === tileWidth && frame.height === tileHeight
  // Read once: each access of these properties copies them from native memory.
  const { data, linesize } = frame
  if (!isWhole || !isSized || !YUV420.includes(frame.format) || data === null)
    throw notDecodable('a tile of another size or format')
  const index = Number(frame.pts)
  const [left, top] = [(index % columns) * tileWidth, Math.floor(index / columns) * tileHeight]
  for (const [number, plane] of planes.entries()) {
    const scale = number === 0 ? 1 : 2
    const source = data[number]
    const stride = linesize[number] ?? 0
    const across = Math.ceil(width / scale)
    const [x, y] = [left / scale, top / scale]
    const rowBytes = Math.min(Math.ceil(tileWidth / scale), across - x)
    const rows = Math.min(Math.ceil(tileHeight / scale), Math.ceil(height / scale) - y)
    if (source === undefined || rowBytes <= 0) continue
    for (let row = 0; row < rows; row++) {
      plane.set(source.subarray(row * stride, row * stride + rowBytes), (y + row) * across + x)
    }
  }
}
