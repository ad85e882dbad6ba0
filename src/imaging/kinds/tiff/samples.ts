import type { Bytes } from '../../../formats/containers/bytes.ts'
import {
  numbersOf,
  readTiff,
  type Tiff,
  type TiffDirectory,
} from '../../../formats/containers/tiff-directories.ts'
import { notDecodable } from '../../errors.ts'
import type { Header } from '../kind.ts'

const TAGS = { bits: 0x0102, colours: 0x0106, samples: 0x0115, profile: 0x8773, format: 0x0153 } as const
const CIE_LAB = 8
const ICC_LAB = 9
const RGB = 2
const UNSIGNED = 1
const SIGNED = 2

/** The type of a page's samples, if libvips would convert them wrongly; undefined otherwise. */
export function samplesOf(bytes: Bytes, file: Tiff, page: TiffDirectory): Header['samples'] {
  const numberOf = (wanted: number) => {
    const entry = page.entries.find(({ tag }) => tag === wanted)
    return entry && numbersOf(bytes, file, entry)[0]
  }
  const [bits, colours, count] = [numberOf(TAGS.bits), numberOf(TAGS.colours), numberOf(TAGS.samples) ?? 1]
  const format = numberOf(TAGS.format) ?? UNSIGNED
  if (bits === 8 && count >= 3 && colours === CIE_LAB) return 'lab'
  if (bits === 8 && count >= 3 && colours === ICC_LAB) return 'icc-lab'
  if (bits !== 32 || (colours !== 0 && colours !== 1 && colours !== RGB)) return undefined
  return format === UNSIGNED ? 'unsigned-32' : format === SIGNED ? 'signed-32' : undefined
}

/** A copy that declares its samples to be RGB, so that libvips returns them without conversion. */
export function asRgb(bytes: Bytes): Buffer {
  const copy = Buffer.from(bytes.read(0, bytes.size))
  const file = readTiff(bytes, 1)
  const [page] = file.directories
  const colours = page?.entries.find(({ tag }) => tag === TAGS.colours)
  if (page === undefined || colours === undefined) throw notDecodable('no colours in the TIFF file')
  const write = (value: number, at: number, width = 2) =>
    file.isLittleEndian ? copy.writeUIntLE(value, at, width) : copy.writeUIntBE(value, at, width)
  write(RGB, colours.at, colours.length === 1 ? 1 : colours.length >= 4 ? 4 : 2)
  // The colour profile is for L*a*b* and must not be applied: its tag is replaced by a private one.
  const index = page.entries.findIndex(({ tag }) => tag === TAGS.profile)
  const [countBytes, entryBytes] = file.isBig ? [8, 20] : [2, 12]
  if (index !== -1) write(0xfde8, page.at + countBytes + index * entryBytes)
  return copy
}
