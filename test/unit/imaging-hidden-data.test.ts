import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { exifItem, heicWith } from '../support/fixtures/imaging-heic.ts'
import {
  exifBlock,
  FLIR_TRACES,
  flirJpeg,
  googleMotionPhoto,
  heicMotionPhoto,
  manifestJpeg,
  moment,
  oddlyHeadedJpeg,
  pngWithExifBehind,
  SPOT,
  samsungMotionPhoto,
} from '../support/fixtures/imaging-hidden-data.ts'
import {
  drawQuarters,
  startTestImaging,
  type TestImaging,
  TRACES,
  tiffWithLocation,
  XMP,
} from '../support/fixtures/imaging-pictures.ts'
import { box } from '../support/fixtures/video-boxes.ts'

let it: TestImaging
let exif: Buffer
beforeAll(async () => {
  it = startTestImaging()
  exif = await exifBlock()
})
afterAll(() => it[Symbol.asyncDispose]())

interface HiddenData {
  make: () => Promise<Buffer>
  gone: string[]
  /** Words beside it that have nothing to do with a location. */
  kept: string[]
  /** It was behind the end of the picture. */
  isShorter?: boolean
}

const LATITUDE = '51,30.538N'

const HIDDEN: Record<string, HiddenData> = {
  'the FLIR segments of a JPEG': { make: flirJpeg, gone: FLIR_TRACES, kept: ['ThermaCam P25', 'FFF\0MAKER'] },
  'Exif under another header': {
    make: () => oddlyHeadedJpeg(exif),
    gone: TRACES,
    kept: ['Camera Works', '2024:05:06'],
  },
  'Exif behind the end of a PNG': {
    make: () => pngWithExifBehind(exif),
    gone: [...TRACES, '51.50897', 'eXIf'],
    kept: ['IEND'],
    isShorter: true,
  },
  'a video behind a JPEG, as Google puts it': {
    make: googleMotionPhoto,
    gone: [SPOT],
    kept: ['moving pictures', 'Lens', 'GCamera:MotionPhotoPresentationTimestampUs="501234"', 'Item:Length='],
  },
  'a video in a Samsung trailer': {
    make: samsungMotionPhoto,
    gone: [SPOT],
    kept: ['moving pictures', 'Lens', 'MotionPhoto_Data', 'SEFT'],
  },
  'a video in a HEIC': {
    make: async () => heicMotionPhoto(exif),
    gone: [SPOT, ...TRACES],
    kept: ['moving pictures', 'Lens', 'mpvd', 'Camera Works'],
  },
  'a HEIC with a trailer that is no box': {
    make: async () => Buffer.concat([heicWith([exifItem(exif)]), Buffer.from('SEFH\x6b\0\0\0'), moment()]),
    gone: [SPOT, ...TRACES],
    kept: ['moving pictures', 'SEFH', 'Camera Works'],
  },
  'the manifest of a JPEG': { make: manifestJpeg, gone: [LATITUDE], kept: [] },
  'a chunk of a WebP that nobody knows': {
    make: async () => {
      const file = await drawQuarters(64, 48).webp().toBuffer()
      const chunk = Buffer.from('MYGP\x14\0\0\0GPSLatitude=51.50897', 'latin1')
      const grown = Buffer.concat([file, chunk])
      grown.writeUInt32LE(grown.length - 8, 4)
      return grown
    },
    gone: ['51.50897'],
    kept: ['MYGP'],
  },
}

describe('the location goes, and nothing else, from', () => {
  for (const [what, { make, gone, kept, isShorter = false }] of Object.entries(HIDDEN)) {
    test(what, async () => {
      const before = await make()
      for (const trace of kept) assert.ok(before.includes(trace, 0, 'latin1'), `${trace} was never there`)
      assert.ok(
        gone.some((trace) => before.includes(trace, 0, 'latin1')),
        'it had a location',
      )
      const seen = await it.examine(before)
      const after = readFileSync(seen.file.path)
      for (const trace of gone) assert.equal(after.includes(trace, 0, 'latin1'), false, `${trace} is left`)
      for (const trace of kept) assert.ok(after.includes(trace, 0, 'latin1'), `${trace} is gone`)
      assert.equal(after.length < before.length, isShorter)
      assert.doesNotMatch(seen.metadata ?? '', /gps|51[.,]/i)
      if (seen.kind !== 'heic')
        assert.deepEqual(await sharp(after).raw().toBuffer(), await sharp(before).raw().toBuffer())
      assert.ok((await it.examine(after)).file.isUnchanged, 'nothing is left to do')
    })

    test(`${what}, with the policy strip_all`, async () => {
      const seen = await it.examine(await make(), { policy: 'strip_all' })
      const after = readFileSync(seen.file.path)
      for (const trace of [...gone, 'Lens', 'Camera Works', 'ThermaCam'])
        assert.equal(after.includes(trace, 0, 'latin1'), false, `${trace} is left`)
      assert.ok((await it.examine(after, { policy: 'strip_all' })).file.isUnchanged, 'nothing is left to do')
    })
  }
})

test('what Exif says is read from behind the end of a PNG and from under another header too', async () => {
  for (const file of [await oddlyHeadedJpeg(exif), await pngWithExifBehind(exif)]) {
    const seen = await it.examine(file)
    assert.deepEqual([seen.description, seen.takenAt], ['A garden', '2024-05-06 07:08:09'])
  }
})

test('a video behind a picture that cannot be read goes as a whole', async () => {
  const picture = await drawQuarters(64, 48).jpeg().toBuffer()
  const broken = Buffer.concat([box('ftyp', 'mp42\0\0\0\0mp42isom'), box('mdat', SPOT)])
  const seen = await it.examine(Buffer.concat([picture, broken]))
  assert.deepEqual(readFileSync(seen.file.path), picture)
})

test('empty space of a HEIC without a location is left as it is', async () => {
  const seen = await it.examine(Buffer.concat([heicWith(), box('free', 'space')]))
  assert.ok(seen.file.isUnchanged)
})

test('strip_all leaves no serial number, file name or private tag in a TIFF, and every pixel', async () => {
  const text = (tag: number, words: string) => ({
    tag,
    type: 2,
    count: words.length + 1,
    value: Buffer.from(`${words}\0`),
  })
  const located = [
    text(0xc62f, 'SERIAL-4711'),
    text(0xc68b, 'IMG_0815.NEF'),
    text(0xa431, 'BODY-0042'),
    text(0xa435, 'LENS-0043'),
    text(0xc614, 'Unique Camera'),
    text(0xfde8, 'Firstname Lastname'),
    text(0x013c, 'my-laptop'),
  ]
  for (const compression of ['none', 'lzw', 'jpeg', 'deflate'] as const) {
    const file = await drawQuarters(64, 48)
      .tiff({ compression, tile: compression === 'lzw' })
      .toBuffer()
    const before = tiffWithLocation(file, XMP, located)
    for (const { value } of located) assert.ok(before.includes(value))
    const seen = await it.examine(before, { policy: 'strip_all' })
    const after = readFileSync(seen.file.path)
    for (const { value } of located)
      assert.equal(after.includes(value), false, `${value} is left (${compression})`)
    assert.deepEqual(await sharp(after).raw().toBuffer(), await sharp(before).raw().toBuffer(), compression)
    assert.ok((await it.examine(after, { policy: 'strip_all' })).file.isUnchanged)
  }
})
