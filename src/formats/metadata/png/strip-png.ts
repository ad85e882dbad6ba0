import type { Bytes } from '../../containers/bytes.ts'
import { type Edit, removal } from '../../containers/edits.ts'
import {
  chunksAfterEnd,
  chunksOf,
  dataOf,
  PNG_SIGNATURE,
  type PngChunk,
  writeChunk,
} from '../../containers/png-chunks.ts'
import { orientationExif, tiffOfExif } from '../exif/exif.ts'
import type { FoundMetadata } from '../found-metadata.ts'
import { withoutIptcLocation } from '../iptc.ts'
import { isLocationName } from '../location/names.ts'
import { withoutTextLocation } from '../location/texts.ts'
import { iptcOfPhotoshop, isWholePhotoshop, withoutPhotoshopLocation } from '../photoshop.ts'
import { cleaners, withoutNestedLocation, withoutUnknownLocation } from '../unknown-block.ts'
import { withoutXmpLocation } from '../xmp/strip-xmp.ts'
import { readPngText, readRawProfile } from './texts.ts'

const TEXTS = ['tEXt', 'zTXt', 'iTXt']
const XMP_KEYWORD = 'XML:com.adobe.xmp'
const RAW_PROFILE = 'Raw profile type '
const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0'

/** Ancillary chunks that change how the picture looks; all other ancillary (lower-case) chunks are metadata. */
const APPEARANCE = [
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'cICP',
  'mDCV',
  'cLLI',
  'sBIT',
  'bKGD',
  'pHYs',
  'hIST',
  'sPLT',
]
const ANIMATION = ['acTL', 'fcTL', 'fdAT']
const PIXELS = ['IHDR', 'PLTE', 'IDAT', 'IEND']
const PROFILE = 'iCCP'

type Clean = (block: Buffer) => Buffer | undefined

export function pngMetadata(bytes: Bytes): FoundMetadata {
  const found: FoundMetadata = {}
  for (const chunk of [...chunksOf(bytes), ...chunksAfterEnd(bytes)]) {
    if (chunk.type === 'eXIf') found.exif ??= tiffOfExif(dataOf(bytes, chunk))
    if (TEXTS.includes(chunk.type)) readTextInto(found, chunk.type, dataOf(bytes, chunk))
  }
  return found
}

/** Edits that remove the location, and what follows the end. A chunk that cannot be read and may contain a location is removed. */
export function pngLocationEdits(bytes: Bytes): Edit[] {
  const chunks = chunksOf(bytes)
  const edits = chunks.flatMap((chunk) => {
    if (TEXTS.includes(chunk.type)) return cleanText(bytes, chunk)
    if (chunk.type === PROFILE) return cleanProfileChunk(bytes, chunk)
    return isPlain(chunk) ? [] : replaceData(bytes, chunk, withoutUnknownLocation(dataOf(bytes, chunk)))
  })
  return [...edits, ...trailerEdits(bytes, chunks)]
}

function trailerEdits(bytes: Bytes, chunks: readonly PngChunk[]): Edit[] {
  const end = chunks.at(-1)?.end ?? bytes.size
  return end < bytes.size ? [removal(end, bytes.size)] : []
}

/** Chunks of pixels and of appearance. Others, such as vendors' own and `caBX`, may contain any metadata. */
const isPlain = ({ type }: PngChunk) => [...PIXELS, ...APPEARANCE, ...ANIMATION].includes(type)

/** Edits that remove all metadata but the orientation. */
export function pngMetadataEdits(bytes: Bytes, orientation: number): Edit[] {
  const chunks = chunksOf(bytes)
  const upright = orientationExif(orientation)
  const isKept = (chunk: PngChunk) =>
    /^[A-Z]/.test(chunk.type) ||
    [...APPEARANCE, ...ANIMATION].includes(chunk.type) ||
    (chunk.type === 'eXIf' && upright?.equals(dataOf(bytes, chunk)) === true)
  const dropped = chunks.filter((chunk) => !isKept(chunk)).map(({ start, end }) => removal(start, end))
  const edits = [...dropped, ...trailerEdits(bytes, chunks)]
  if (upright === undefined || chunks.some((chunk) => chunk.type === 'eXIf' && isKept(chunk))) return edits
  const afterHeader = PNG_SIGNATURE.length + 25
  return [{ start: afterHeader, end: afterHeader, bytes: writeChunk('eXIf', upright) }, ...edits]
}

function readTextInto(found: FoundMetadata, type: string, data: Buffer): void {
  const { keyword, text } = readPngText(type, data)
  if (text === undefined) return
  if (keyword === XMP_KEYWORD) found.xmp ??= text
  if (!keyword.startsWith(RAW_PROFILE)) return
  const profile = readRawProfile(text)?.bytes
  if (profile === undefined) return
  found.exif ??= tiffOfExif(profile)
  if (profile.toString('latin1', 0, XMP_PREFIX.length) === XMP_PREFIX) {
    found.xmp ??= profile.subarray(XMP_PREFIX.length)
  }
  if (keyword === `${RAW_PROFILE}xmp`) found.xmp ??= profile
  if (keyword === `${RAW_PROFILE}iptc`) found.iptc ??= iptcOfPhotoshop(profile)
}

function cleanText(bytes: Bytes, chunk: PngChunk): Edit[] {
  const data = dataOf(bytes, chunk)
  const { keyword, head, text, write } = readPngText(chunk.type, data)
  const isHeadClean = withoutTextLocation(head) === undefined
  if (isLocationName(keyword) || text === undefined || !isHeadClean) return [removal(chunk.start, chunk.end)]
  if (!keyword.startsWith(RAW_PROFILE)) {
    const clean: Clean = keyword === XMP_KEYWORD ? withoutXmpLocation : withoutNestedLocation
    const cleaned = clean(text)
    return replaceData(bytes, chunk, cleaned && write(cleaned))
  }
  const profile = readRawProfile(text)
  if (profile === undefined) return [removal(chunk.start, chunk.end)]
  const cleaned = cleanProfile(keyword.slice(RAW_PROFILE.length), profile.bytes)
  return replaceData(bytes, chunk, cleaned && write(profile.write(cleaned)))
}

function cleanProfile(name: string, profile: Buffer): Buffer | undefined {
  if (name === 'iptc' || name === '8bim') {
    return isWholePhotoshop(profile)
      ? withoutPhotoshopLocation(profile, cleaners)
      : withoutIptcLocation(profile)
  }
  return name === 'xmp' ? withoutXmpLocation(profile) : withoutNestedLocation(profile)
}

/** A colour profile is stored like a compressed text. One that cannot be read is left to the decoder. */
function cleanProfileChunk(bytes: Bytes, chunk: PngChunk): Edit[] {
  const { text, write } = readPngText('zTXt', dataOf(bytes, chunk))
  const cleaned = text && withoutTextLocation(text)
  return replaceData(bytes, chunk, cleaned && write(cleaned))
}

function replaceData(bytes: Bytes, chunk: PngChunk, data: Buffer | undefined): Edit[] {
  if (data === undefined || data.equals(dataOf(bytes, chunk))) return []
  return [{ start: chunk.start, end: chunk.end, bytes: writeChunk(chunk.type, data) }]
}
