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
import { samplesOf } from './tiff/samples.ts'

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
