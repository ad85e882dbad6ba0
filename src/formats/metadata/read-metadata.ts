import ExifReader from 'exifreader'
import { writeTiff } from './exif/tiff-writer.ts'
import type { FoundMetadata, MetadataPolicy } from './found-metadata.ts'
import { isHarmless } from './location/names.ts'
import { tidy, withoutCoordinates } from './location/texts.ts'

const MAX_JSON_BYTES = 65_536
const MAX_VALUE_CHARACTERS = 1000
const MAX_TITLE_CHARACTERS = 1000
const MAX_DESCRIPTION_CHARACTERS = 5000

/** Longer packets contain thumbnails and edit histories, and take long to parse. */
const MAX_XMP_BYTES = 262_144

const IPTC_TAG = 0x83bb
const XMP_START = Buffer.from('<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>')

/** Tags about the file's structure, or of use only to the program that wrote them. */
const UNWANTED =
  /^(MakerNote|Thumbnail|Exif IFD Pointer|GPS Info IFD Pointer|Interoperability IFD Pointer|ApplicationNotes|PrintIM|Padding|OffsetSchema|_raw|about|xmptk|Strip(Offsets|ByteCounts)|Tile(Offsets|ByteCounts)|JPEGInterchangeFormat(Length)?)$/

export interface ReadMetadata {
  title?: string | undefined
  description?: string | undefined
  takenAt?: string | undefined
  is360: boolean
  /** One JSON object of names and values, without nesting. */
  json?: string | undefined
}

interface Tag {
  value?: unknown
  description?: unknown
}

type Tags = Record<string, Tag>

/** Reads the metadata that is shown with a picture. Damaged metadata is ignored: it is no reason to refuse the picture. */
export function readMetadata(
  { exif, xmp, iptc }: FoundMetadata,
  policy: MetadataPolicy = 'keep',
): ReadMetadata {
  const exifTags = exif === undefined ? {} : load(exif).exif
  const xmpTags = xmp === undefined || xmp.length > MAX_XMP_BYTES ? {} : load(asXmpFile(xmp)).xmp
  const iptcTags = iptc === undefined ? {} : load(asTiffFile(iptc)).iptc
  const shown = (value: string) => (policy === 'keep' ? value : withoutRemains(value))
  const text = (tag: Tag | undefined, most: number) => cut(shown(String(plain(tag) ?? '')), most) || undefined

  return {
    title: text(xmpTags.title, MAX_TITLE_CHARACTERS) ?? text(iptcTags['Object Name'], MAX_TITLE_CHARACTERS),
    description:
      text(exifTags.ImageDescription, MAX_DESCRIPTION_CHARACTERS) ??
      text(xmpTags.description, MAX_DESCRIPTION_CHARACTERS) ??
      text(iptcTags['Caption/Abstract'], MAX_DESCRIPTION_CHARACTERS),
    takenAt: readTaken(exifTags.DateTimeOriginal) ?? readTaken(exifTags.DateTime),
    is360: isSphere(xmpTags),
    json: writeJson({ ...xmpTags, ...iptcTags, ...exifTags }, shown),
  }
}

function load(file: Buffer): { exif: Tags; xmp: Tags; iptc: Tags } {
  try {
    const { exif, xmp, iptc } = ExifReader.load(file, { expanded: true })
    return { exif: (exif ?? {}) as Tags, xmp: (xmp ?? {}) as unknown as Tags, iptc: (iptc ?? {}) as Tags }
  } catch {
    return { exif: {}, xmp: {}, iptc: {} }
  }
}

const asXmpFile = (packet: Buffer) => Buffer.concat([XMP_START, packet])

const asTiffFile = (iptc: Buffer) => writeTiff([{ tag: IPTC_TAG, type: 7, count: iptc.length, value: iptc }])

function isSphere({ ProjectionType, UsePanoramaViewer }: Tags): boolean {
  const isTrue = String(UsePanoramaViewer?.value).toLowerCase() === 'true'
  return String(ProjectionType?.value).toLowerCase() === 'equirectangular' || isTrue
}

/** Exif's format is 2024:05:06 07:08:09; zeros or spaces mean that the clock was never set. */
function readTaken(tag: Tag | undefined): string | undefined {
  const match = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)/.exec(String(tag?.description ?? ''))
  if (match === null) return undefined
  const [, year, month, day, hours, minutes, seconds] = match
  const text = `${year}-${month}-${day} ${hours}:${minutes}:${seconds}`
  const at = new Date(`${text.replace(' ', 'T')}Z`)
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19).replace('T', ' ') === text
  return isReal && year !== '0000' ? text : undefined
}

/** Coordinates were replaced by spaces in the bytes; those that only the decoded text shows are removed here. */
function withoutRemains(value: string): string {
  const text = withoutCoordinates(value)
  return /\s{4}/.test(text) ? tidy(text) : text
}

function writeJson(tags: Tags, shown: (value: string) => string): string | undefined {
  const lines: string[] = []
  let bytes = 2
  for (const [name, tag] of Object.entries(tags)) {
    const found = UNWANTED.test(name) || name.length > 200 ? undefined : plain(tag)
    const isText = typeof found === 'string'
    const value = isText ? cut(isHarmless(name) ? found : shown(found), MAX_VALUE_CHARACTERS) : found
    if (value === undefined || value === '') continue
    const line = `${JSON.stringify(cut(name, 200))}:${JSON.stringify(value)}`
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MAX_JSON_BYTES) break
    lines.push(line)
  }
  return lines.length === 0 ? undefined : `{${lines.join(',')}}`
}

/** The readable description of a tag, or its value if that is a number or text. */
function plain(tag: Tag | undefined): string | number | undefined {
  const shown = tag?.description
  if (typeof shown === 'number') return Number.isFinite(shown) ? shown : undefined
  if (typeof shown === 'string' && shown !== '') return shown
  const value = tag?.value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' ? value : undefined
}

/** Removes control characters and unpaired surrogates, and shortens the text. */
function cut(text: string, most: number): string {
  const clean = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufffd]/g, '')
    .trim()
  return clean.slice(0, most).toWellFormed().trim()
}
