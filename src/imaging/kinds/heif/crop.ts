import type { Bytes } from '../../../formats/containers/bytes.ts'
import type { IsoBox } from '../../../formats/containers/iso/boxes.ts'
import { itemsOf } from '../../../formats/containers/iso/items.ts'
import { notDecodable } from '../../errors.ts'

export interface Crop {
  left: number
  top: number
  width: number
  height: number
}

interface Shown {
  /** Before the crop. */
  width: number
  height: number
  crop: Crop
}

/** The rectangle that a picture's `clap` property keeps, in the rotated and mirrored picture. Undefined if there is no `clap`. */
export function cropOf(bytes: Bytes): Crop | undefined {
  const properties = itemsOf(bytes).primary?.properties ?? []
  const size = properties.find(({ type }) => type === 'ispe')
  if (size === undefined || !properties.some(({ type }) => type === 'clap')) return undefined
  const [width, height] = longs(bytes, size, 3).slice(1) as [number, number]
  const whole = { width, height, crop: { left: 0, top: 0, width, height } }
  // "Transformative item properties are applied in the order of their association."
  return properties.reduce((shown, property) => applied(bytes, property, shown), whole).crop
}

function applied(bytes: Bytes, property: IsoBox, shown: Shown): Shown {
  switch (property.type) {
    case 'clap':
      return { ...shown, crop: cropped(longs(bytes, property, 8), shown.crop) }
    case 'irot':
      return turned(shown, bytes.read(property.dataAt, 1).readUInt8(0) & 3)
    case 'imir':
      return mirrored(shown, (bytes.read(property.dataAt, 1).readUInt8(0) & 1) === 1)
    default:
      return shown
  }
}

/** `clap` has the width, the height and the offset of the crop's centre from the picture's centre, each as a fraction. */
function cropped(fractions: number[], { left, top, width, height }: Crop): Crop {
  const [wide = 0, high = 0, right = 0, down = 0] = [0, 2, 4, 6].map((index) => {
    // Offsets are signed, sizes are not.
    const numerator = index < 4 ? (fractions[index] ?? 0) : (fractions[index] ?? 0) | 0
    return numerator / (fractions[index + 1] || 1)
  })
  const from = (whole: number, part: number, offset: number) =>
    Math.min(Math.max(0, Math.round((whole - part) / 2 + offset)), whole - 1)
  const [x, y] = [from(width, wide, right), from(height, high, down)]
  const crop = {
    left: left + x,
    top: top + y,
    width: Math.min(Math.round(wide), width - x),
    height: Math.min(Math.round(high), height - y),
  }
  if (!(crop.width > 0 && crop.height > 0)) throw notDecodable('an empty crop')
  return crop
}

/** Counter-clockwise, in steps of 90 degrees. */
function turned(shown: Shown, quarters: number): Shown {
  if (quarters === 0) return shown
  const { width, height, crop } = shown
  const once = {
    width: height,
    height: width,
    crop: { left: crop.top, top: width - crop.left - crop.width, width: crop.height, height: crop.width },
  }
  return turned(once, quarters - 1)
}

function mirrored(shown: Shown, isSideways: boolean): Shown {
  const { width, height, crop } = shown
  const left = isSideways ? width - crop.left - crop.width : crop.left
  const top = isSideways ? crop.top : height - crop.top - crop.height
  return { ...shown, crop: { ...crop, left, top } }
}

function longs(bytes: Bytes, { dataAt, end }: IsoBox, count: number): number[] {
  if (end - dataAt < count * 4) throw notDecodable('a property is truncated')
  const data = bytes.read(dataAt, count * 4)
  return Array.from({ length: count }, (_, index) => data.readUInt32BE(index * 4))
}
