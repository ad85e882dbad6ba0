import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { endOfPicture } from '../../src/formats/containers/jpeg-segments.ts'
import { writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { googleMotionPhoto } from '../support/fixtures/imaging-hidden-data.ts'
import {
  drawQuarters,
  jpegSegment,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'
import {
  COORDINATE_TRACES,
  COORDINATES,
  DIGITS,
  gpsExif,
  LOCATION_FILES,
} from '../support/fixtures/location-files.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

/** The bytes, and what is compressed or encoded in them. */
function unpacked(file: Buffer): Buffer {
  const encoded = [...file.toString('latin1').matchAll(/;base64,([\w+/=]+)/g)]
  const parts = [file, ...encoded.map(([, text = '']) => Buffer.from(text, 'base64'))]
  return Buffer.concat([...parts, ...inflated(file)])
}

/** Whatever begins as zlib's output does. */
function inflated(file: Buffer): Buffer[] {
  const parts: Buffer[] = []
  const start = Buffer.from([0x78, 0x9c])
  for (let at = file.indexOf(start); at !== -1; at = file.indexOf(start, at + 1)) {
    try {
      parts.push(inflateSync(file.subarray(at)))
    } catch {
      // Two bytes that only look like it.
    }
  }
  return parts
}

/** Stray bytes are a fault that decoders report and skip. */
const pixelsOf = (file: Buffer) => sharp(file, { failOn: 'none' }).raw().toBuffer()

const END_MARKS: Record<string, Buffer> = {
  jpeg: Buffer.from([0xff, 0xd9]),
  png: Buffer.from('0000000049454e44ae426082', 'hex'),
  gif: Buffer.from([0, 0x3b]),
}

describe('the place is nowhere in what is served, and every pixel stays:', () => {
  for (const [what, make] of Object.entries(LOCATION_FILES)) {
    test(what, async () => {
      const before = await make()
      const hasLocation = (bytes: Buffer) =>
        COORDINATE_TRACES.some((trace) => unpacked(bytes).includes(trace))
      assert.ok(hasLocation(before) || before.includes('51.507'), 'the file has the location')
      const seen = await it.examine(before, { allowSvg: true })
      const after = readFileSync(seen.file.path)
      assert.equal(hasLocation(after), false)
      const shown = `${seen.title} ${seen.description} ${seen.metadata}`
      for (const digits of DIGITS) assert.ok(!shown.includes(digits), shown)
      if (seen.kind !== 'heic') assert.deepEqual(await pixelsOf(after), await pixelsOf(before))
      const mark = END_MARKS[seen.kind]
      if (mark) assert.deepEqual(after.subarray(-mark.length), mark)
      assert.ok((await it.examine(after, { allowSvg: true })).file.isUnchanged, 'nothing is left to do')
    })
  }
})

test('the words around coordinates stay, in the file and in its title and description', async () => {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Our pier (${COORDINATES})</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
  const exif = {
    IFD0: { ImageDescription: `A swim at ${COORDINATES}, in June`, Artist: COORDINATES, Software: '12.1.4' },
  }
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const file = await drawQuarters(64, 48)[format]().withExif(exif).withXmp(xmp).toBuffer()
    const seen = await it.examine(file)
    assert.deepEqual([seen.title, seen.description], ['Our pier', 'A swim at, in June'], format)
    const { ImageDescription, Artist, Software } = JSON.parse(seen.metadata ?? '')
    assert.deepEqual([ImageDescription, Artist, Software], ['A swim at, in June', undefined, '12.1.4'])
    assert.ok(readFileSync(seen.file.path).includes('A swim at'))
    const kept = await it.examine(file, { policy: 'keep' })
    assert.deepEqual([kept.title, kept.file.isUnchanged], [`Our pier (${COORDINATES})`, true])
  }
})

test('a motion photo keeps its video where it is, and loses what follows it', async () => {
  const photo = await googleMotionPhoto()
  const seen = await it.examine(Buffer.concat([photo, Buffer.from(`appended ${COORDINATES}`)]))
  const after = readFileSync(seen.file.path)
  assert.equal(after.length, photo.length)
  assert.ok(after.includes('moving pictures'))
  assert.ok(!after.includes('+37.3349'))
})

test('the pictures that a multi-picture file lists stay, cleaned, and the bytes between them are blank', async () => {
  const first = await drawQuarters(64, 48).jpeg().toBuffer()
  const second = await drawQuarters(32, 24).jpeg().toBuffer()
  const inner = Buffer.concat([
    second.subarray(0, 2),
    jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), gpsExif()])),
    second.subarray(2),
  ])
  const list = jpegSegment(0xe2, Buffer.from('MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1'))
  const picture = Buffer.concat([first.subarray(0, 2), list, first.subarray(2)])
  const seen = await it.examine(
    Buffer.concat([picture, Buffer.from(COORDINATES), inner, Buffer.from(COORDINATES)]),
  )
  const after = readFileSync(seen.file.path)
  assert.equal(after.length, picture.length + COORDINATES.length + inner.length)
  const behind = after.subarray(picture.length + COORDINATES.length)
  assert.equal(endOfPicture(bytesOf(behind)), behind.length)
  assert.deepEqual(await sharp(behind).raw().toBuffer(), await sharp(second).raw().toBuffer())
  for (const trace of COORDINATE_TRACES) assert.equal(after.includes(trace), false)
})

test('a text that unpacks to far too much is removed unread, and thousands of blocks are cleaned', async () => {
  const file = await drawQuarters(64, 48).png().toBuffer()
  const bomb = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(50_000_000, COORDINATES))])
  const texts = Array.from({ length: 3000 }, (_, index) =>
    writeChunk('tEXt', Buffer.from(`Note ${index}\0at ${COORDINATES}`)),
  )
  const chunks = [writeChunk('zTXt', bomb), writeChunk('vpAg', bomb), ...texts]
  const seen = await it.examine(Buffer.concat([file.subarray(0, 33), ...chunks, file.subarray(33)]))
  const after = readFileSync(seen.file.path)
  assert.ok(!unpacked(after).includes('507412'))
  assert.deepEqual(await sharp(after).raw().toBuffer(), await sharp(file).raw().toBuffer())
})
