import { deflateSync } from 'node:zlib'
import { writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { type NewEntry, writeTiff } from '../../src/formats/metadata/exif/tiff-writer.ts'
import { heicWith } from './imaging-heic.ts'
import { drawQuarters, jpegSegment, tiffWithLocation } from './imaging-pictures.ts'
import { box } from './video-boxes.ts'

/** A place, and a text that has it. Its digits appear nowhere else. */
export const PLACE = '51.507412, -0.127856'
const TEXT = `The pier, ${PLACE}, in June`
export const DIGITS = ['507412', '127856']

const entry = (tag: number, type: number, value: Buffer): NewEntry => ({
  tag,
  type,
  count: value.length,
  value,
})
const ascii = (tag: number, text: string) => entry(tag, 2, Buffer.from(`${text}\0`))

/** Degrees, minutes and seconds, with the digits of the place in the last number. */
const degrees = (tag: number, digits: string): NewEntry => {
  const value = Buffer.alloc(24)
  for (const [index, number] of [51, 1, 30, 1, Number(digits), 10_000].entries())
    value.writeUInt32BE(number, index * 4)
  return { tag, type: 5, count: 3, value }
}

const GPS = [ascii(1, 'N'), degrees(2, '507412'), ascii(3, 'W'), degrees(4, '127856')]

/** Exif with a GPS directory, and these entries. */
export const gpsExif = (...entries: NewEntry[]): Buffer =>
  writeTiff([ascii(0x010f, 'Camera Works'), ...entries], [{ pointer: 0x8825, entries: GPS }])
const textExif = (...entries: NewEntry[]) => writeTiff([ascii(0x010f, 'Camera Works'), ...entries])

const wide = (text: string) => Buffer.from(text, 'utf16le')
const wideBig = (text: string) => wide(text).swap16()
const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')
const exifSegment = (exif: Buffer) => jpegSegment(0xe1, Buffer.concat([EXIF_PREFIX, exif]))

const drawn = () => drawQuarters(64, 48)
const jpegFile = () => drawn().jpeg().toBuffer()
const jpegWith = async (...segments: Buffer[]) => {
  const file = await jpegFile()
  return Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)])
}
const pngWith = async (...chunks: Buffer[]) => {
  const file = await drawn().png().toBuffer()
  return Buffer.concat([file.subarray(0, 33), ...chunks, file.subarray(33)])
}

/** One IPTC record; 120 is the caption, 92 the sub-location. */
function iptcRecord(number: number, text: string): Buffer {
  const head = Buffer.from([0x1c, 2, number, 0, 0])
  head.writeUInt16BE(Buffer.byteLength(text), 3)
  return Buffer.concat([head, Buffer.from(text)])
}

function photoshop(id: number, data: Buffer): Buffer {
  const head = Buffer.from('8BIM\0\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16BE(id, 4)
  head.writeUInt32BE(data.length, 8)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
const photoshopSegment = (block: Buffer) =>
  jpegSegment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0', 'latin1'), block]))

/** A JPEG with Exif, XMP and a comment that have the place; nested as often as told. */
async function thumbnail(depth = 1): Promise<Buffer> {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:li exif:GPSLatitude="${PLACE}"/></rdf:RDF></x:xmpmeta>`
  const inner = depth > 1 ? exifWithThumbnail(await thumbnail(depth - 1)) : gpsExif()
  return jpegWith(
    exifSegment(inner),
    jpegSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`)),
    jpegSegment(0xfe, Buffer.from(TEXT)),
  )
}

/** Exif whose second directory points at the thumbnail, which follows it. */
function exifWithThumbnail(picture: Buffer): Buffer {
  const first = writeTiff([ascii(0x010f, 'Camera Works')])
  const at = first.length
  const directory = Buffer.alloc(2 + 2 * 12 + 4)
  directory.writeUInt16BE(2, 0)
  for (const [index, [tag, value]] of [
    [0x0201, at + directory.length],
    [0x0202, picture.length],
  ].entries()) {
    directory.writeUInt16BE(tag ?? 0, 2 + index * 12)
    directory.writeUInt16BE(4, 4 + index * 12)
    directory.writeUInt32BE(1, 6 + index * 12)
    directory.writeUInt32BE(value ?? 0, 10 + index * 12)
  }
  const linked = Buffer.from(first)
  linked.writeUInt32BE(at, 8 + 2 + 12)
  return Buffer.concat([linked, directory, picture])
}

const packed = (exif: Buffer) => {
  const length = Buffer.alloc(5)
  length.writeUInt32BE(exif.length, 1)
  return Buffer.concat([length, deflateSync(exif)])
}
const pngText = (type: string, ...parts: (string | Buffer)[]) =>
  writeChunk(type, Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))))

function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
const webpWith = async (...chunks: Buffer[]) => {
  const file = Buffer.concat([await drawn().webp().toBuffer(), ...chunks])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

/** A block of a GIF in sub-blocks of 255 bytes, so that the place lies across a border. */
const gifWith = async (label: number, data: Buffer, head = Buffer.alloc(0)) => {
  const file = await drawn().gif().toBuffer()
  const blocks: Buffer[] = []
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255)
    blocks.push(Buffer.from([part.length]), part)
  }
  const extension = Buffer.concat([Buffer.from([0x21, label]), head, ...blocks, Buffer.from([0])])
  return Buffer.concat([file.subarray(0, -1), extension, file.subarray(-1)])
}

const tiffWith = async (...entries: NewEntry[]) =>
  tiffWithLocation(await drawn().tiff().toBuffer(), '<a/>', entries)
const iptcBlock = photoshop(0x0404, Buffer.concat([iptcRecord(120, TEXT), iptcRecord(92, PLACE)]))
const xmpIn = (encode: (text: string) => Buffer) =>
  encode(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:li a:b="${PLACE}"/></rdf:RDF></x:xmpmeta>`,
  )

const svg = (inside: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}<path d="M1,2L3,4"/></svg>`,
  )

/** Files that have the place where a camera, a program or a person may have left it, by what is told about them. */
export const LOCATION_PLACES: Record<string, () => Promise<Buffer>> = {
  'jpeg: a Photoshop block split over two segments': () =>
    jpegWith(photoshopSegment(iptcBlock.subarray(0, 30)), photoshopSegment(iptcBlock.subarray(30))),
  'jpeg: IPTC caption and sub-location': () => jpegWith(photoshopSegment(iptcBlock)),
  'jpeg: Exif behind the scan': async () => {
    const file = await jpegFile()
    return Buffer.concat([file.subarray(0, -2), exifSegment(gpsExif()), file.subarray(-2)])
  },
  'jpeg: Exif behind the end': async () => Buffer.concat([await jpegFile(), exifSegment(gpsExif())]),
  'jpeg: a text behind the end': async () => Buffer.concat([await jpegFile(), Buffer.from(TEXT)]),
  'jpeg: a picture behind the end': async () => Buffer.concat([await jpegFile(), await thumbnail()]),
  'jpeg: the thumbnail of Exif': async () => jpegWith(exifSegment(exifWithThumbnail(await thumbnail()))),
  'jpeg: a thumbnail in thumbnails': async () => jpegWith(exifSegment(exifWithThumbnail(await thumbnail(6)))),
  'jpeg: the thumbnail of Photoshop': async () =>
    jpegWith(photoshopSegment(photoshop(0x040c, Buffer.concat([Buffer.alloc(28), await thumbnail()])))),
  'jpeg: a thumbnail of JFIF': async () =>
    jpegWith(jpegSegment(0xe0, Buffer.concat([Buffer.from('JFXX\0\x10', 'latin1'), await thumbnail()]))),
  'jpeg: Exif in a segment that nobody knows': () =>
    jpegWith(jpegSegment(0xe5, Buffer.concat([Buffer.from('VENDOR\0'), gpsExif()]))),
  'jpeg: XMP in a segment that nobody knows': () =>
    jpegWith(jpegSegment(0xe7, Buffer.concat([Buffer.from('VENDOR\0\0'), xmpIn(wide)]))),
  'jpeg: a compressed segment': () =>
    jpegWith(jpegSegment(0xe9, Buffer.concat([Buffer.from('ZIP\0'), deflateSync(Buffer.from(TEXT))]))),
  'jpeg: a comment': () => jpegWith(jpegSegment(0xfe, Buffer.from(TEXT))),
  'jpeg: a comment split over two segments': () =>
    jpegWith(
      jpegSegment(0xfe, Buffer.from(TEXT.slice(0, 15))),
      jpegSegment(0xfe, Buffer.from(TEXT.slice(15))),
    ),
  'jpeg: ImageDescription, Artist and Copyright': () =>
    jpegWith(exifSegment(textExif(ascii(0x010e, TEXT), ascii(0x013b, TEXT), ascii(0x8298, TEXT)))),
  'jpeg: UserComment in UTF-16': () =>
    jpegWith(
      exifSegment(textExif(entry(0x9286, 7, Buffer.concat([Buffer.from('UNICODE\0'), wideBig(TEXT)])))),
    ),
  'jpeg: XPTitle, XPComment and XPKeywords': () =>
    jpegWith(
      exifSegment(textExif(...[0x9c9b, 0x9c9c, 0x9c9e].map((tag) => entry(tag, 1, wide(`${TEXT}\0`))))),
    ),
  'jpeg: a text in UTF-8 of Exif 3': () =>
    jpegWith(exifSegment(textExif(entry(0xa436, 129, Buffer.from(TEXT))))),
  'jpeg: Exif in a tag that nobody knows': () => jpegWith(exifSegment(textExif(entry(0xfde8, 7, gpsExif())))),
  'jpeg: the name of a colour profile': () =>
    jpegWith(
      jpegSegment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x02\x02', 'latin1'), wideBig(TEXT)])),
    ),
  'jpeg: bytes between segments': async () => {
    const file = await jpegFile()
    const at = 4 + file.readUInt16BE(4)
    return Buffer.concat([file.subarray(0, at), Buffer.from(TEXT), file.subarray(at)])
  },
  'png: Exif as exIf': () => pngWith(writeChunk('exIf', gpsExif())),
  'png: Exif as zxIf': () => pngWith(writeChunk('zxIf', packed(gpsExif()))),
  'png: compressed Exif as eXIf': () => pngWith(writeChunk('eXIf', packed(gpsExif()))),
  'png: the texts of Exif': () => pngWith(writeChunk('eXIf', textExif(ascii(0x010e, TEXT)))),
  'png: texts': () =>
    pngWith(
      pngText('tEXt', 'Comment\0', TEXT),
      pngText('zTXt', 'Description\0\0', deflateSync(Buffer.from(TEXT))),
      pngText('iTXt', `Author\0\x01\0en\0${PLACE}\0`, deflateSync(Buffer.from(TEXT))),
      pngText('iTXt', 'Title\0\0\0\0\0', Buffer.from(TEXT)),
    ),
  'png: IPTC in hexadecimal': () =>
    pngWith(
      pngText('tEXt', `Raw profile type iptc\0\niptc\n${iptcBlock.length}\n${iptcBlock.toString('hex')}\n`),
    ),
  'png: a text in a chunk that nobody knows': () => pngWith(writeChunk('prVt', wide(TEXT))),
  'png: Exif in a chunk that nobody knows': () =>
    pngWith(writeChunk('veNd', Buffer.concat([Buffer.from('VENDOR\0'), gpsExif()]))),
  'png: XMP in a chunk that nobody knows': () =>
    pngWith(
      writeChunk(
        'veNd',
        xmpIn((text) => Buffer.from(text)),
      ),
    ),
  'png: a packed text in a chunk that nobody knows': () =>
    pngWith(writeChunk('veNd', deflateSync(Buffer.from(TEXT)))),
  'png: a text behind the end': async () =>
    Buffer.concat([await drawn().png().toBuffer(), pngText('tEXt', 'Comment\0', TEXT), Buffer.from(TEXT)]),
  'webp: Exif behind the end': async () =>
    Buffer.concat([await drawn().webp().toBuffer(), riffChunk('EXIF', gpsExif())]),
  'webp: the texts of Exif': () => webpWith(riffChunk('EXIF', textExif(ascii(0x010e, TEXT)))),
  'webp: Exif in a chunk that nobody knows': () => webpWith(riffChunk('MYEX', gpsExif())),
  'webp: XMP in a chunk that nobody knows': () => webpWith(riffChunk('MYXP', xmpIn(wide))),
  'webp: a packed text in a chunk that nobody knows': () =>
    webpWith(riffChunk('MYZP', deflateSync(Buffer.from(TEXT)))),
  'gif: Exif of a program that nobody knows': () =>
    gifWith(0xff, gpsExif(), Buffer.from('\x0bMYPROGRAM10', 'latin1')),
  'gif: a comment over two blocks': () => gifWith(0xfe, Buffer.from('x'.repeat(240) + TEXT)),
  'gif: a comment in UTF-16': () => gifWith(0xfe, wide('x'.repeat(120) + TEXT)),
  'gif: a text of a program that nobody knows': () =>
    gifWith(0xff, Buffer.from(TEXT), Buffer.from('\x0bMYPROGRAM10', 'latin1')),
  'gif: Exif behind the end': async () => Buffer.concat([await drawn().gif().toBuffer(), gpsExif()]),
  'tiff: texts': () =>
    tiffWith(
      ...[0x010e, 0x010d, 0x013b, 0x8298].map((tag) => ascii(tag, TEXT)),
      entry(0x83bb, 7, iptcRecord(120, TEXT)),
      entry(0x8649, 7, iptcBlock),
    ),
  'tiff: Exif and XMP in tags that nobody knows': () =>
    tiffWith(entry(0xfde8, 7, gpsExif()), entry(0xfde9, 7, xmpIn(wide))),
  'tiff: GDAL': () =>
    tiffWith(
      ascii(
        0xa480,
        '<GDALMetadata><Item name="lat">51.507412</Item><Item name="lon">-0.127856</Item></GDALMetadata>',
      ),
    ),
  'tiff: a text behind the end': async () =>
    Buffer.concat([await drawn().tiff({ compression: 'lzw' }).toBuffer(), Buffer.from(TEXT)]),
  'heic: the texts of Exif': async () =>
    heicWith([{ type: 'Exif', data: Buffer.concat([Buffer.alloc(4), textExif(ascii(0x010e, TEXT))]) }]),
  'heic: an item that nobody knows': async () =>
    heicWith([{ type: 'mime', contentType: 'x/y', data: Buffer.from(TEXT) }]),
  'heic: Exif in a box that nobody knows': async () => Buffer.concat([heicWith(), box('vend', gpsExif())]),
  'avif: the texts of Exif': () =>
    drawn()
      .avif({ effort: 0 })
      .withExif({ IFD0: { ImageDescription: TEXT, Artist: TEXT } })
      .toBuffer(),
  'svg: what is not drawn': async () =>
    svg(
      `<title>${TEXT}</title><desc>${PLACE}</desc><metadata><a>${PLACE}</a></metadata><!-- ${TEXT} --><g aria-label="${TEXT}" data-lat="51.507412" data-lon="-0.127856"/>`,
    ),
  'svg: a picture in it': async () =>
    svg(`<image href="data:image/jpeg;base64,${(await thumbnail()).toString('base64')}"/>`),
}

/** The digits in each encoding that a file may have, and as numbers of Exif. */
export const TRACES_OF_PLACE: readonly Buffer[] = DIGITS.flatMap((digits) => {
  const [little, big] = [Buffer.alloc(4), Buffer.alloc(4)]
  little.writeUInt32LE(Number(digits))
  big.writeUInt32BE(Number(digits))
  const text = Buffer.from(digits)
  return [
    text,
    Buffer.from(text.toString('hex')),
    Buffer.from(digits, 'utf16le'),
    wideBig(digits),
    little,
    big,
  ]
})
