import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import ExifReader from 'exifreader'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { dataOfItem, type IsoItem, itemsOf } from '../../src/formats/containers/iso/items.ts'
import { endOfPicture } from '../../src/formats/containers/jpeg-segments.ts'
import { chunksOf, dataOf } from '../../src/formats/containers/png-chunks.ts'
import { withoutNestedLocation } from '../../src/formats/metadata/unknown-block.ts'
import { withoutXmpLocation } from '../../src/formats/metadata/xmp/strip-xmp.ts'
import { exifItem, heicWith, xmpItem } from '../support/fixtures/imaging-heic.ts'
import {
  drawQuarters,
  EXIF,
  elaborateJpeg,
  elaboratePng,
  gifWithXmp,
  jpegSegment,
  startTestImaging,
  type TestImaging,
  TRACES,
  tiffWithLocation,
  XMP,
} from '../support/fixtures/imaging-pictures.ts'
import { runsOf } from '../support/tiers.ts'

let it: TestImaging
let exif: Buffer
beforeAll(async () => {
  it = startTestImaging()
  const { exif: block } = await sharp(await drawQuarters(8, 8).jpeg().withExif(EXIF).toBuffer()).metadata()
  exif = (block ?? Buffer.alloc(0)).subarray(6)
})
afterAll(() => it[Symbol.asyncDispose]())

const idats = (file: Buffer) =>
  Buffer.concat(
    chunksOf(bytesOf(file))
      .filter(({ type }) => type === 'IDAT')
      .map((chunk) => dataOf(bytesOf(file), chunk)),
  )
const fromScan = (file: Buffer) =>
  file.subarray(file.indexOf(Buffer.from([0xff, 0xda])), endOfPicture(bytesOf(file)))
const webpData = (file: Buffer) =>
  file.subarray(file.indexOf('VP8 '), file.indexOf('VP8 ') + 8 + file.readUInt32LE(file.indexOf('VP8 ') + 4))
const firstItem = (file: Buffer) =>
  dataOfItem(bytesOf(file), itemsOf(bytesOf(file)).primary as IsoItem) ?? file

/** Each kind that can carry a location, and where its compressed picture is. */
const KINDS = [
  {
    name: 'jpeg',
    picture: fromScan,
    make: () => drawQuarters(160, 120).jpeg().withExif(EXIF).withXmp(XMP).toBuffer(),
  },
  { name: 'jpeg with all there is', picture: fromScan, make: elaborateJpeg },
  {
    name: 'png',
    picture: idats,
    make: () => drawQuarters(160, 120).png().withExif(EXIF).withXmp(XMP).toBuffer(),
  },
  { name: 'png with all there is', picture: idats, make: () => elaboratePng(exif) },
  {
    name: 'webp',
    picture: webpData,
    make: () => drawQuarters(160, 120).webp().withExif(EXIF).withXmp(XMP).toBuffer(),
  },
  {
    name: 'avif',
    picture: firstItem,
    make: () => drawQuarters(160, 120).avif({ effort: 0 }).withExif(EXIF).withXmp(XMP).toBuffer(),
  },
  { name: 'heic', picture: firstItem, make: async () => heicWith([exifItem(exif), xmpItem(XMP)]) },
  {
    name: 'tiff',
    picture: (file: Buffer) => file.subarray(8, 160 * 120 * 3),
    make: async () =>
      tiffWithLocation(await drawQuarters(160, 120).tiff({ compression: 'none' }).toBuffer(), XMP),
  },
  {
    name: 'gif',
    picture: (file: Buffer) => file.subarray(0, file.indexOf('XMP Data')),
    make: async () => gifWithXmp(await drawQuarters(160, 120).gif().toBuffer(), XMP),
  },
]

/** A PNG packs its text; all others have it in plain sight. */
async function packetOf(name: string, file: Buffer): Promise<string> {
  return String(name.startsWith('png') ? (await sharp(file).metadata()).xmp : file)
}

const pixelsOf = (file: Buffer) => sharp(file).raw().toBuffer()

describe('the location is taken out and everything else stays:', () => {
  for (const { name, make, picture } of KINDS) {
    test(name, async () => {
      const before = await make()
      const seen = await it.examine(before)
      assert.equal(seen.file.isUnchanged, false)
      const after = readFileSync(seen.file.path)

      for (const trace of TRACES) assert.equal(after.includes(trace, 0, 'latin1'), false, `${trace} is left`)
      const tags = await ExifReader.load(after, { expanded: true, async: true })
      assert.equal(tags.gps, undefined)
      assert.deepEqual(
        Object.keys({ ...tags.exif, ...tags.xmp }).filter((tag) => /gps/i.test(tag)),
        [],
      )
      if (name !== 'gif') assert.equal(tags.exif?.Make?.description, 'Camera Works')
      const xmp = await packetOf(name, after)
      for (const kept of ['xmp:Rating="4"', 'Roses', '<?xpacket end="w"?>']) assert.ok(xmp.includes(kept))
      assert.doesNotMatch(xmp, /gps|51,30|7\.727/i)

      assert.deepEqual(picture(after), picture(before))
      if (name !== 'heic') assert.deepEqual(await pixelsOf(after), await pixelsOf(before))
      assert.doesNotMatch(seen.metadata ?? '', /gps|51,30|51\.5/i)
      assert.match(seen.metadata ?? '', /Roses/)
      assert.deepEqual([seen.file.sizeBytes, seen.title], [after.length, 'Roses'])
      assert.ok((await it.examine(after)).file.isUnchanged, 'nothing is left to do')
    })

    test(`${name} with the policy keep is left as it is`, async () => {
      const seen = await it.examine(await make(), { policy: 'keep' })
      assert.ok(seen.file.isUnchanged)
      assert.match(seen.metadata ?? '', /GPSLatitude/)
    })

    test(`${name} with the policy strip_all has nothing left but its picture`, async () => {
      const before = await make()
      const seen = await it.examine(before, { policy: 'strip_all' })
      const after = readFileSync(seen.file.path)
      for (const trace of [...TRACES, 'Camera Works', 'Roses', 'A garden', 'a note', 'stays']) {
        assert.equal(after.includes(trace, 0, 'latin1'), false, `${trace} is left`)
      }
      assert.deepEqual(picture(after).subarray(0, 500), picture(before).subarray(0, 500))
      if (name !== 'heic') assert.deepEqual(await pixelsOf(after), await pixelsOf(before))
      assert.deepEqual([seen.metadata, seen.title], [undefined, 'Roses'])
      assert.ok((await it.examine(after, { policy: 'strip_all' })).file.isUnchanged, 'nothing is left to do')
    })
  }

  test('without a location the file is left as it is', async () => {
    const { IFD3: _, ...rest } = EXIF
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const seen = await it.examine(await drawQuarters(64, 48)[format]().withExif(rest).toBuffer())
      assert.ok(seen.file.isUnchanged, format)
    }
  })
})

test('strip_all leaves which way is up and the colour profile', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const sideways = drawQuarters(60, 40, 6)[format]().withExif(EXIF).withMetadata({ orientation: 6 })
    const picture = await sideways.withIccProfile('p3').toBuffer()
    const seen = await it.examine(picture, { policy: 'strip_all' })
    const { orientation, icc } = await sharp(seen.file.path).metadata()
    assert.deepEqual([seen.width, seen.height, orientation], [60, 40, 6], format)
    assert.deepEqual(icc, (await sharp(picture).metadata()).icc)
    const again = await it.examine(readFileSync(seen.file.path), { policy: 'strip_all' })
    assert.ok(again.file.isUnchanged, format)
  }
})

test('title, description and date come from the metadata', async () => {
  const seen = await it.examine(await drawQuarters(64, 48).jpeg().withExif(EXIF).withXmp(XMP).toBuffer())
  assert.deepEqual([seen.title, seen.description, seen.takenAt], ['Roses', 'A garden', '2024-05-06 07:08:09'])
  assert.deepEqual([seen.is360, JSON.parse(seen.metadata ?? '').Make], [false, 'Camera Works'])
})

test('an IPTC title is found, and the file name of a camera is not taken for a date', async () => {
  const record = (number: number, text: string) =>
    Buffer.from([0x1c, 2, number, 0, text.length, ...Buffer.from(text)])
  const iptc = Buffer.concat([record(5, 'From the agency'), record(120, 'What it shows')])
  const size = Buffer.from([0, 0, 0, iptc.length])
  const data = Buffer.concat([Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0', 'latin1'), size, iptc])
  const file = await drawQuarters(64, 48)
    .jpeg()
    .withExif({ IFD0: { DateTime: '0000:00:00 00:00:00' } })
    .toBuffer()
  const seen = await it.examine(
    Buffer.concat([file.subarray(0, 2), jpegSegment(0xed, data), file.subarray(2)]),
  )
  assert.deepEqual(
    [seen.title, seen.description, seen.takenAt],
    ['From the agency', 'What it shows', undefined],
  )
})

test('a sphere is known by its projection', async () => {
  const xmp = XMP.replace(
    'xmp:Rating="4"',
    'xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" GPano:ProjectionType="equirectangular"',
  )
  const seen = await it.examine(await drawQuarters(64, 32).jpeg().withXmp(xmp).toBuffer())
  assert.equal(seen.is360, true)
})

test('metadata that would harm a page or a log is made harmless', async () => {
  const nasty = 'a\r\n\x00\x1b[31m\u2028\x9b<script>'
  const long = { IFD0: { ImageDescription: nasty, Artist: 'x'.repeat(3000), Copyright: 'y'.repeat(60_000) } }
  const seen = await it.examine(await drawQuarters(64, 32).jpeg().withExif(long).toBuffer())
  assert.doesNotMatch(`${seen.description}${seen.metadata}`, /[\p{Cc}\u2028]/u)
  assert.ok(Buffer.byteLength(seen.metadata ?? '') <= 65_536)
  assert.equal(JSON.parse(seen.metadata ?? '').Artist.length, 1000)
})

/** A value that lies on the head of the structure, and another one over it. */
const valueOnHead: [number, number][] = [
  [23, 7],
  [36, 108],
  [30, 0],
  [24, 9],
  [14, 192],
  [47, 168],
  [18, 55],
  [17, 23],
  [338, 194],
  [105, 94],
]

test('whatever stands in an Exif block, cleaning it keeps its length and never fails', () => {
  const changes = fc.array(fc.tuple(fc.nat(exif.length - 1), fc.integer({ min: 0, max: 255 })), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(changes, fc.nat(exif.length), (bytes, cut) => {
      const block = Buffer.from(exif)
      for (const [at, byte] of bytes) block[at] = byte
      const cleaned = withoutNestedLocation(block.subarray(0, cut))
      if (cleaned === undefined) return
      assert.equal(cleaned.length, cut)
      assert.equal(withoutNestedLocation(cleaned), undefined)
    }),
    { numRuns: runsOf(2000), examples: [[valueOnHead, 374]] },
  )
})

test('whatever stands in XMP, cleaning it keeps its length and leaves no GPS property', () => {
  const piece = fc.constantFrom(
    '<a:b ',
    '<exif:GPSLatitude>',
    '</exif:GPSLatitude>',
    ' exif:GPSLongitude="1"',
    '/>',
    '>',
    '<',
    '"',
    "'",
    ' é ',
    '<rdf:li>',
    'x',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const packet = Buffer.from(pieces.join(''))
      const cleaned = withoutXmpLocation(packet)
      assert.equal((cleaned ?? packet).length, packet.length)
      assert.doesNotMatch((cleaned ?? packet).toString(), /<exif:GPS|\sexif:GPS\w+=/)
    }),
    { numRuns: runsOf(2000) },
  )
})
