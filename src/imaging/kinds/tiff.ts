import type { Bytes } from '../../formats/containers/bytes.ts'
import {
  isTiff,
  numbersOf,
  readTiff,
  type Tiff,
  type TiffDirectory,
} from '../../formats/containers/tiff-directories.ts'
import { tiffLocationEdits, tiffMetadataEdits } from '../../formats/metadata/exif/tiff-edits.ts'
import { tiffTrailerEdits } from '../../formats/metadata/exif/tiff-trailer.ts'
import { rebuildExif } from '../../formats/metadata/exif/tiff-writer.ts'
import { iptcOfPhotoshop } from '../../formats/metadata/photoshop.ts'
import { cleaners } from '../../formats/metadata/unknown-block.ts'
import { notDecodable, notMedia } from '../errors.ts'
import type { FoundMetadata, Header, PictureKind } from './kind.ts'

const TAGS = {
  width: 0x0100,
  height: 0x0101,
  xmp: 0x02bc,
  iptc: 0x83bb,
  photoshop: 0x8649,
  dng: 0xc612,
} as const
const MAX_BLOCK_BYTES = 4_194_304

export const tiff: PictureKind<'tiff'> = {
  type: 'image',
  name: 'tiff',
  mime: 'image/tiff',
  extensions: ['tiff', 'tif'],
  decoder: { by: 'libvips', loader: 'Tiff', format: 'tiff' },
  shownIn: [],
  variantFormat: 'webp',
  resizedAs: 'png',
  hasPages: true,

  // Canon's raw files (CR2) are TIFF files with "CR" after the header.
  matches: (head) => isTiff(head) && head.length >= 8 && head.toString('latin1', 8, 10) !== 'CR',
  header: readHeader,
  metadata: findMetadata,
  strip: (bytes, policy) => {
    const file = readTiff(bytes, Number.POSITIVE_INFINITY)
    if (policy === 'strip_all')
      return [...tiffMetadataEdits(bytes, file), ...tiffTrailerEdits(bytes, file, cleaners)]
    return [...tiffLocationEdits(bytes, file, cleaners), ...tiffTrailerEdits(bytes, file, cleaners)]
  },
}

function readHeader(bytes: Bytes, maxFrames: number): Header {
  const file = readTiff(bytes, maxFrames + 1)
  const pages = file.directories.filter(({ role }) => role === 'page')
  const sizeOf = (page: TiffDirectory) => {
    const [width = 0, height = 0] = [TAGS.width, TAGS.height].map((tag) => numberAt(bytes, file, page, tag))
    return { width, height }
  }
  const [first] = pages
  if (first === undefined) throw notDecodable('no page in the TIFF file')
  // Read as a TIFF, a DNG shows only its thumbnail.
  if (first.entries.some(({ tag }) => tag === TAGS.dng)) throw notMedia('a raw photograph')
  const largest = pages
    .map(sizeOf)
    .sort((one, other) => other.width * other.height - one.width * one.height)[0]
  return { ...(largest ?? sizeOf(first)), frames: pages.length, samples: samplesOf(bytes, file, first) }
}

function numberAt(bytes: Bytes, file: Tiff, { entries }: TiffDirectory, wanted: number): number | undefined {
  const entry = entries.find(({ tag }) => tag === wanted)
  return entry && numbersOf(bytes, file, entry)[0]
}

function findMetadata(bytes: Bytes): FoundMetadata {
  const file = readTiff(bytes, 1)
  const photoshop = blockOf(bytes, file, TAGS.photoshop)
  return {
    exif: rebuildExif(bytes, file),
    xmp: blockOf(bytes, file, TAGS.xmp),
    iptc: blockOf(bytes, file, TAGS.iptc) ?? (photoshop && iptcOfPhotoshop(photoshop)),
  }
}

function blockOf(bytes: Bytes, file: Tiff, wanted: number): Buffer | undefined {
  const entry = file.directories[0]?.entries.find(({ tag }) => tag === wanted)
  const isReadable = entry && entry.length <= MAX_BLOCK_BYTES && entry.at + entry.length <= bytes.size
  return isReadable ? bytes.read(entry.at, entry.length) : undefined
}

const SAMPLE_TAGS = {
  bits: 0x0102,
  colours: 0x0106,
  samples: 0x0115,
  profile: 0x8773,
  format: 0x0153,
} as const
const CIE_LAB = 8
const ICC_LAB = 9
const RGB = 2
const UNSIGNED = 1
const SIGNED = 2

/** The type of a page's samples, if libvips would convert them wrongly; undefined otherwise. */
function samplesOf(bytes: Bytes, file: Tiff, page: TiffDirectory): Header['samples'] {
  const numberOf = (wanted: number) => {
    const entry = page.entries.find(({ tag }) => tag === wanted)
    return entry && numbersOf(bytes, file, entry)[0]
  }
  const [bits, colours, count] = [
    numberOf(SAMPLE_TAGS.bits),
    numberOf(SAMPLE_TAGS.colours),
    numberOf(SAMPLE_TAGS.samples) ?? 1,
  ]
  const format = numberOf(SAMPLE_TAGS.format) ?? UNSIGNED
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
  const colours = page?.entries.find(({ tag }) => tag === SAMPLE_TAGS.colours)
  if (page === undefined || colours === undefined) throw notDecodable('no colours in the TIFF file')
  const write = (value: number, at: number, width = 2) =>
    file.isLittleEndian ? copy.writeUIntLE(value, at, width) : copy.writeUIntBE(value, at, width)
  write(RGB, colours.at, colours.length === 1 ? 1 : colours.length >= 4 ? 4 : 2)
  // The colour profile is for L*a*b* and must not be applied: its tag is replaced by a private one.
  const index = page.entries.findIndex(({ tag }) => tag === SAMPLE_TAGS.profile)
  const [countBytes, entryBytes] = file.isBig ? [8, 20] : [2, 12]
  if (index !== -1) write(0xfde8, page.at + countBytes + index * entryBytes)
  return copy
}
