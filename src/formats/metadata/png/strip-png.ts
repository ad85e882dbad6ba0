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
import { orientationExif, tiffOfExif, withoutExifLocation } from '../exif/exif.ts'
import type { FoundMetadata } from '../found-metadata.ts'
import { isLocationName } from '../location/names.ts'
import { iptcOfPhotoshop, withoutPhotoshopLocation } from '../photoshop.ts'
import { withoutUnknownLocation } from '../unknown-block.ts'
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

type Clean = (block: Buffer) => Buffer | undefined

export function pngMetadata(bytes: Bytes): FoundMetadata {
  const found: FoundMetadata = {}
  for (const chunk of [...chunksOf(bytes), ...chunksAfterEnd(bytes)]) {
    if (chunk.type === 'eXIf') found.exif ??= tiffOfExif(dataOf(bytes, chunk))
    if (TEXTS.includes(chunk.type)) readTextInto(found, chunk.type, dataOf(bytes, chunk))
  }
  return found
}

/** Edits that remove the location. A chunk that cannot be read and may contain a location is removed. */
export function pngLocationEdits(bytes: Bytes): Edit[] {
  return [...chunksOf(bytes), ...chunksAfterEnd(bytes)].flatMap((chunk) => {
    if (chunk.type === 'eXIf') return replaceData(bytes, chunk, withoutExifLocation(dataOf(bytes, chunk)))
    if (TEXTS.includes(chunk.type)) return cleanText(bytes, chunk)
    return isPlain(chunk) ? [] : replaceData(bytes, chunk, withoutUnknownLocation(dataOf(bytes, chunk)))
  })
}

/** Critical chunks and chunks of appearance. Others, such as vendors' own and `caBX`, may contain any metadata. */
const isPlain = ({ type }: PngChunk) => /^[A-Z]/.test(type) || [...APPEARANCE, ...ANIMATION].includes(type)

/** Edits that remove all metadata but the orientation. */
export function pngMetadataEdits(bytes: Bytes, orientation: number): Edit[] {
  const chunks = chunksOf(bytes)
  const upright = orientationExif(orientation)
  const isKept = (chunk: PngChunk) =>
    /^[A-Z]/.test(chunk.type) ||
    [...APPEARANCE, ...ANIMATION].includes(chunk.type) ||
    (chunk.type === 'eXIf' && upright?.equals(dataOf(bytes, chunk)) === true)
  const edits = chunks.filter((chunk) => !isKept(chunk)).map(({ start, end }) => removal(start, end))
  const last = chunks.at(-1)
  if (last !== undefined && last.end < bytes.size) edits.push(removal(last.end, bytes.size))
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
  const { keyword, text, write } = readPngText(chunk.type, dataOf(bytes, chunk))
  const isProfile = keyword.startsWith(RAW_PROFILE)
  if (isLocationName(keyword)) return [removal(chunk.start, chunk.end)]
  if (keyword !== XMP_KEYWORD && !isProfile) return []
  if (text === undefined) return [removal(chunk.start, chunk.end)]
  if (!isProfile) {
    const cleaned = withoutXmpLocation(text)
    return replaceData(bytes, chunk, cleaned && write(cleaned))
  }
  const profile = readRawProfile(text)
  if (profile === undefined) return [removal(chunk.start, chunk.end)]
  const cleaned = cleanProfile(profile.bytes)
  return replaceData(bytes, chunk, cleaned && write(profile.write(cleaned)))
}

const cleanProfile: Clean = (profile) =>
  withoutExifLocation(profile) ?? withoutPhotoshopLocation(profile) ?? withoutXmpLocation(profile)

function replaceData(bytes: Bytes, chunk: PngChunk, data: Buffer | undefined): Edit[] {
  if (data === undefined || data.equals(dataOf(bytes, chunk))) return []
  return [{ start: chunk.start, end: chunk.end, bytes: writeChunk(chunk.type, data) }]
}
