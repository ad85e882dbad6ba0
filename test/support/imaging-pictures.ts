import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { readTiff } from '../../src/formats/containers/tiff-directories.ts'
import { type NewEntry, writeTiff } from '../../src/formats/metadata/exif/tiff-writer.ts'
import {
  type ExaminedPicture,
  type ExamineRequest,
  type Imaging,
  type ImagingOptions,
  startImaging,
} from '../../src/imaging/index.ts'

/** Imaging that takes pictures as buffers and cleans up after itself. */
export interface TestImaging extends AsyncDisposable {
  imaging: Imaging
  examine(picture: Buffer, request?: Partial<ExamineRequest>): Promise<ExaminedPicture>
}

export function startTestImaging(options: ImagingOptions = {}): TestImaging {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-imaging-'))
  const imaging = startImaging({ children: 1, ...options })
  let count = 0
  return {
    imaging,
    async examine(picture, request = {}) {
      const outputFolder = join(folder, String(count++))
      const path = `${outputFolder}.upload`
      mkdirSync(outputFolder)
      writeFileSync(path, picture)
      const asked = { tenantKey: 'a', policy: 'strip_location', outputFolder, ...request } as const
      const seen = await imaging.examine(path, asked)
      if (seen.type !== 'image') throw new Error(`This is a ${seen.type}.`)
      return seen
    },
    async [Symbol.asyncDispose]() {
      await imaging[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Red, green, blue and yellow quarters, so that which way is up can be seen. */
export const CORNERS = [
  [230, 30, 30],
  [30, 200, 30],
  [30, 30, 230],
  [230, 220, 30],
] as const

/** A picture whose stored rows and columns lie as that Exif orientation says. */
export function drawQuarters(width: number, height: number, orientation = 1): Sharp {
  const [columns, rows] = orientation < 5 ? [width, height] : [height, width]
  const quarterAt = (row: number, column: number) => {
    const [x, y] = seenAt(row, column, { width, height, orientation })
    return (y * 2 >= height ? 2 : 0) + (x * 2 >= width ? 1 : 0)
  }
  // A row has one of two looks, by the quarter in which it begins.
  const drawn = new Map<number, Buffer>()
  const drawRow = (row: number) =>
    Buffer.from(Array.from({ length: columns }, (_, column) => CORNERS[quarterAt(row, column)] ?? []).flat())
  const lines = Array.from({ length: rows }, (_, row) => {
    const first = quarterAt(row, 0)
    const line = drawn.get(first) ?? drawRow(row)
    drawn.set(first, line)
    return line
  })
  const data = Buffer.concat(lines)
  return sharp(data, { raw: { width: columns, height: rows, channels: 3 } })
}

/** Exif names the sides of the picture where row 0 and column 0 are. */
function seenAt(
  row: number,
  column: number,
  { width, height, orientation }: { width: number; height: number; orientation: number },
): [number, number] {
  const [right, bottom] = [width - 1, height - 1]
  const places: [number, number][] = [
    [column, row],
    [right - column, row],
    [right - column, bottom - row],
    [column, bottom - row],
    [row, column],
    [right - row, column],
    [right - row, bottom - column],
    [row, bottom - column],
  ]
  return places[orientation - 1] ?? [column, row]
}

/** What the four quarters of a picture look like, as numbers of CORNERS. */
export async function quartersOf(file: string): Promise<number[]> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return [
    [0.2, 0.2],
    [0.8, 0.2],
    [0.2, 0.8],
    [0.8, 0.8],
  ].map(([x = 0, y = 0]) => {
    const at = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * 3
    const distance = (colour: readonly number[]) =>
      colour.reduce((sum, part, index) => sum + Math.abs(part - (data[at + index] ?? 0)), 0)
    return CORNERS.findIndex((colour) => distance(colour) < 60)
  })
}

export const EXIF = {
  IFD0: { Make: 'Camera Works', ImageDescription: 'A garden' },
  IFD2: { DateTimeOriginal: '2024:05:06 07:08:09' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 323012/10000',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 436613/10000',
  },
}

export const XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:drone-dji="http://www.dji.com/drone-dji/1.0/" exif:GPSLatitude="51,30.538N" drone-dji:GpsLongtitude='0.128' xmp:Rating="4">
<exif:GPSLongitude>0,7.727W</exif:GPSLongitude><exif:GPSAltitude
 rdf:parseType="Resource"><rdf:value>33/1</rdf:value></exif:GPSAltitude>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Roses</rdf:li></rdf:Alt></dc:title>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

/** Texts of the location above that must not be left anywhere. */
export const TRACES = [
  '51,30.538N',
  '0,7.727W',
  '0.128',
  '33/1',
  'GpsLongtitude',
  ...rationals(323012, 436613),
]

function rationals(...numbers: number[]): string[] {
  return numbers.flatMap((number) => {
    const [little, big] = [Buffer.alloc(4), Buffer.alloc(4)]
    little.writeUInt32LE(number)
    big.writeUInt32BE(number)
    return [little.toString('latin1'), big.toString('latin1')]
  })
}

const jpeg = () => drawQuarters(640, 480).jpeg().withExif(EXIF).withXmp(XMP).toBuffer()

/** A JPEG with more XMP than fits one segment, a second picture behind it, and a note. */
export async function elaborateJpeg(): Promise<Buffer> {
  const extension = Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description
 exif:GPSLongitude="0,7.727W" note="${'n'.repeat(70_000)}" exif:GPSLatitude="51,30.538N"/></rdf:RDF></x:xmpmeta>`)
  const guid = 'A'.repeat(32)
  const segments = [extension.subarray(0, 40_000), extension.subarray(40_000)].map((part, index) => {
    const place = Buffer.alloc(8)
    place.writeUInt32BE(extension.length, 0)
    place.writeUInt32BE(index * 40_000, 4)
    return jpegSegment(
      0xe1,
      Buffer.concat([Buffer.from(`http://ns.adobe.com/xmp/extension/\0${guid}`), place, part]),
    )
  })
  const xmp = XMP.replace('xmp:Rating="4"', `xmp:Rating="4" xmpNote:HasExtendedXMP="${guid}"`)
  const first = await drawQuarters(640, 480).jpeg().withExif(EXIF).withXmp(xmp).toBuffer()
  const note = jpegSegment(0xfe, Buffer.from('a note'))
  return Buffer.concat([first.subarray(0, 2), ...segments, note, first.subarray(2), await jpeg()])
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** A TIFF with a new first directory at its end, which has these entries too and a GPS directory. */
export function tiffWithLocation(file: Buffer, xmp: string, others: NewEntry[] = []): Buffer {
  const tiff = readTiff(bytesOf(file))
  const entries: NewEntry[] = (tiff.directories[0]?.entries ?? []).map(
    ({ tag, type, count, at, length }) => ({
      tag,
      type,
      count,
      value: file.subarray(at, at + length),
    }),
  )
  const text = (tag: number, words: string) => ({
    tag,
    type: 2,
    count: words.length + 1,
    value: Buffer.from(`${words}\0`),
  })
  const degrees = (tag: number, seconds: number) => {
    const value = Buffer.alloc(24)
    for (const [index, number] of [51, 1, 30, 1, seconds, 10_000].entries())
      value.writeUInt32LE(number, index * 4)
    return { tag, type: 5, count: 3, value }
  }
  const block = Buffer.from(xmp)
  const added = [text(0x010f, 'Camera Works'), { tag: 0x02bc, type: 1, count: block.length, value: block }]
  const gps = [text(1, 'N'), degrees(2, 323_012), text(3, 'W'), degrees(4, 436_613)]
  const written = writeTiff([...entries, ...added, ...others], [{ pointer: 0x8825, entries: gps }], true)
  // Everything in it was placed as if it stood at the start of the file: it is moved behind the picture.
  const start = file.length + (file.length % 2)
  const moved = Buffer.from(written.subarray(8))
  for (const { at, entries: rows } of readTiff(bytesOf(written)).directories) {
    for (const [index, { tag, isInline }] of rows.entries()) {
      const row = at - 8 + 2 + index * 12 + 8
      if (!isInline || tag === 0x8825) moved.writeUInt32LE(moved.readUInt32LE(row) + start - 8, row)
    }
  }
  const head = Buffer.from(file)
  head.writeUInt32LE(start, 4)
  return Buffer.concat([head, Buffer.alloc(file.length % 2), moved])
}

/** A GIF with XMP where Adobe puts it. */
export function gifWithXmp(file: Buffer, xmp: string): Buffer {
  const ramp = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0])
  const block = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from(`XMP DataXMP${xmp}`), ramp])
  return Buffer.concat([file.subarray(0, -1), block, file.subarray(-1)])
}

/** A PNG with metadata in each of the ways that programs have found. */
export async function elaboratePng(exif: Buffer): Promise<Buffer> {
  const file = await drawQuarters(640, 480).png().withExif(EXIF).toBuffer()
  const hex = (name: string, bytes: Buffer) => {
    const lines = bytes.toString('hex').replace(/.{72}/g, '$&\n')
    return Buffer.from(`\n${name}\n${String(bytes.length).padStart(8)}\n${lines}\n`)
  }
  const keyword = (name: string, ...rest: Buffer[]) => Buffer.concat([Buffer.from(`${name}\0`), ...rest])
  const packed = (text: Buffer) => Buffer.concat([Buffer.from([0]), deflateSync(text)])
  const chunks = [
    writeChunk(
      'iTXt',
      keyword('XML:com.adobe.xmp', Buffer.from([1, 0, 0, 0]), deflateSync(Buffer.from(XMP))),
    ),
    writeChunk('zTXt', keyword('Raw profile type exif', packed(hex('exif', exif)))),
    writeChunk('tEXt', keyword('Raw profile type xmp', hex('xmp', Buffer.from(XMP)))),
    writeChunk('tEXt', keyword('exif:GPSLatitude', Buffer.from('51,30.538N'))),
    writeChunk('tEXt', keyword('Comment', Buffer.from('stays'))),
  ]
  return Buffer.concat([file.subarray(0, 33), ...chunks, file.subarray(33)])
}
