import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { editBuffer, removal } from '../../src/formats/containers/edits.ts'
import { chunksOf } from '../../src/formats/containers/png-chunks.ts'
import type { PictureKindName } from '../../src/imaging/kinds/kind.ts'
import { wrapWithProfile } from '../../src/imaging/pixels/source.ts'
import { heicWith } from '../support/fixtures/imaging-heic.ts'
import {
  drawQuarters,
  EXIF,
  quartersOf,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

const formatOf = async (path: string) => (await sharp(path).metadata()).format

function bmp(width: number, height: number): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + rowBytes * height, 0x40)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.fill(0, 14, 54)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  return file
}

const svg = (body = '<circle cx="20" cy="20" r="9"/>') =>
  Buffer.from(
    `<?xml version="1.0"?><!-- a drawing --><svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">${body}</svg>`,
  )

interface KindCase {
  make: () => Promise<Buffer>
  variants: string
  storedAs?: string
  /** 640 x 480 if not given. */
  size?: [width: number, height: number]
}

const DEFAULT_SIZE: [width: number, height: number] = [640, 480]

/** The compiler asks for a case of every kind of picture. */
const KINDS: Record<PictureKindName, KindCase> = {
  jpeg: { make: () => drawQuarters(640, 480).jpeg().toBuffer(), variants: 'jpeg' },
  png: { make: () => drawQuarters(640, 480).png().toBuffer(), variants: 'png' },
  gif: { make: () => drawQuarters(640, 480).gif().toBuffer(), variants: 'webp' },
  webp: { make: () => drawQuarters(640, 480).webp().toBuffer(), variants: 'webp' },
  avif: { make: () => drawQuarters(640, 480).avif({ effort: 0 }).toBuffer(), variants: 'webp' },
  heic: { make: async () => heicWith(), variants: 'webp', size: [64, 64] },
  tiff: { make: () => drawQuarters(640, 480).tiff().toBuffer(), variants: 'webp' },
  bmp: { make: async () => bmp(640, 480), variants: 'png', storedAs: 'png' },
  svg: { make: async () => svg(), variants: 'webp' },
}

describe('every kind is known by its bytes and gets a thumb and a medium:', () => {
  for (const [name, { make, variants, storedAs, size = DEFAULT_SIZE }] of Object.entries(KINDS)) {
    test(name, async () => {
      const picture = await make()
      const seen = await it.examine(picture, { allowSvg: true })
      assert.equal(seen.kind, name)
      assert.deepEqual([seen.width, seen.height, seen.frames, seen.isAnimated], [...size, 1, false])
      assert.deepEqual([seen.thumb.width, seen.thumb.height], [320, 320])
      const medium = size[0] > 500 ? [500, 375] : [undefined, undefined]
      assert.deepEqual([seen.medium?.width, seen.medium?.height], medium)
      for (const variant of [seen.thumb, seen.medium].filter((each) => each !== undefined)) {
        assert.equal(await formatOf(variant.path), variants)
        assert.equal(variant.sizeBytes, readFileSync(variant.path).length)
      }
      assert.match(seen.placeholder ?? '', /^[A-Za-z0-9+/]{7,34}={0,2}$/)
      assert.equal(seen.file.kind, storedAs ?? name)
      assert.equal(seen.file.isUnchanged, storedAs === undefined)
      if (storedAs !== undefined) assert.equal(await formatOf(seen.file.path), storedAs)
    })
  }
})

test('a placeholder has the shape, the colour and the transparency of its picture', async () => {
  const drawn = (width: number, height: number, background: string) =>
    sharp({ create: { width, height, channels: 4, background } })
  const hashOf = async (picture: Sharp) =>
    Buffer.from((await it.examine(await picture.png().toBuffer())).placeholder ?? '', 'base64')
  const wide = await hashOf(drawn(1200, 600, '#c04020'))
  assert.ok(Math.abs(thumbHashToApproximateAspectRatio(wide) - 2) < 0.4)
  const { r, g, b, a } = thumbHashToAverageRGBA(wide)
  const isRed = Math.abs(r - 0.75) < 0.1 && Math.abs(g - 0.25) < 0.1 && Math.abs(b - 0.13) < 0.1
  assert.ok(isRed, `${r} ${g} ${b}`)
  assert.equal(a, 1)
  assert.ok(thumbHashToAverageRGBA(await hashOf(drawn(40, 400, '#c0402080'))).a < 0.7)
  assert.ok((await hashOf(drawn(4000, 1, '#fff').greyscale())).length >= 5)
})

test('a picture of 500 pixels or less has no medium, and its thumb is enlarged', async () => {
  const seen = await it.examine(await drawQuarters(500, 20).png().toBuffer())
  assert.equal(seen.medium, undefined)
  assert.deepEqual([seen.thumb.width, seen.thumb.height], [320, 320])
  assert.deepEqual([seen.width, seen.height], [500, 20])
})

test('a long and narrow picture keeps its detail in the thumb', async () => {
  const stripes = Buffer.from(Array.from({ length: 4000 * 320 }, (_, at) => (at % 2 === 0 ? 0 : 255)))
  const picture = await sharp(stripes, { raw: { width: 4000, height: 320, channels: 1 } })
    .png()
    .toBuffer()
  const { thumb } = await it.examine(picture)
  const { channels } = await sharp(thumb.path).stats()
  assert.ok((channels[0]?.stdev ?? 0) > 100)
})

describe('an animation', () => {
  const frames = (format: 'gif' | 'webp', count: number, width = 60) => {
    const colours = ['#f00', '#0f0', '#00f']
    const stills = Array.from({ length: count }, (_, index) =>
      sharp({ create: { width, height: 40, channels: 3, background: colours[index % 3] ?? '#000' } })
        .png()
        .toBuffer(),
    )
    return Promise.all(stills).then((files) =>
      sharp(files, { join: { animated: true } })
        [format]()
        .toBuffer(),
    )
  }

  for (const format of ['gif', 'webp'] as const) {
    test(`in ${format} gets stills of its first frame, not enlarged, and is stored as it is`, async () => {
      const seen = await it.examine(await frames(format, 5), { width: 20 })
      assert.deepEqual([seen.frames, seen.isAnimated, seen.width, seen.file.isUnchanged], [5, true, 60, true])
      assert.deepEqual([seen.medium?.width, seen.medium?.height], [60, 40])
      assert.equal((await sharp(seen.medium?.path, { pages: -1 }).metadata()).pages ?? 1, 1)
      const { dominant } = await sharp(seen.thumb.path).stats()
      assert.ok(dominant.r > 200 && dominant.g < 60)
    })
  }

  test('that is damaged after its first frame is refused', async () => {
    const file = await frames('webp', 6)
    const last = file.lastIndexOf('VP8')
    file.fill(0xa5, last + 8, last + 24)
    await assert.rejects(it.examine(file), { code: 'not-decodable' })
  })

  test('counts all its frames against the pixel limit', async () => {
    const file = await frames('gif', 6, 600)
    await assert.rejects(it.examine(file, { maxPixels: 6 * 600 * 40 - 1 }), {
      code: 'too-many-pixels',
      message: /144000 .*143999/,
    })
    await it.examine(file, { maxPixels: 6 * 600 * 40 })
  })
})

describe('a picture that was taken sideways is upright in size, thumb and medium:', () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    test(`orientation ${orientation}`, async () => {
      const picture = await drawQuarters(600, 400, orientation)
        .jpeg()
        .withMetadata({ orientation })
        .toBuffer()
      const seen = await it.examine(picture)
      assert.deepEqual([seen.width, seen.height, seen.orientation], [600, 400, orientation])
      assert.deepEqual([seen.medium?.width, seen.medium?.height], [500, 333])
      assert.deepEqual(await quartersOf(seen.thumb.path), [0, 1, 2, 3])
      assert.deepEqual(await quartersOf(seen.medium?.path ?? ''), [0, 1, 2, 3])
      assert.ok(seen.file.isUnchanged)
    })
  }

  for (const format of ['png', 'webp'] as const) {
    test(format, async () => {
      const upright = drawQuarters(60, 40, 6)[format]().withMetadata({ orientation: 6 })
      const seen = await it.examine(await upright.toBuffer())
      assert.deepEqual([seen.width, seen.height, seen.orientation], [60, 40, 6])
      assert.deepEqual(await quartersOf(seen.thumb.path), [0, 1, 2, 3])
    })
  }
})

describe('the width of the file', () => {
  test('can be made smaller, upright and with its description', async () => {
    const sideways = drawQuarters(800, 600, 6).jpeg().withExif(EXIF).withMetadata({ orientation: 6 })
    const picture = await sideways.toBuffer()
    const seen = await it.examine(picture, { width: 400 })
    assert.deepEqual([seen.width, seen.height, seen.medium], [400, 300, undefined])
    assert.equal(seen.file.isUnchanged, false)
    const metadata = await sharp(seen.file.path).metadata()
    assert.deepEqual([metadata.width, metadata.height, metadata.orientation ?? 1], [400, 300, 1])
    assert.ok(metadata.exif?.includes('Camera Works'))
    assert.ok(!metadata.exif?.includes(Buffer.from([0x25, 0x88])))
  })

  test('is never made larger', async () => {
    const picture = await drawQuarters(300, 200).jpeg().toBuffer()
    for (const width of [300, 301, 65_535]) {
      const seen = await it.examine(picture, { width })
      assert.deepEqual([seen.width, seen.file.isUnchanged], [300, true])
    }
  })

  test('of a kind that is not written here makes it another kind', async () => {
    const avif = await it.examine(await drawQuarters(300, 200).avif({ effort: 0 }).toBuffer(), { width: 100 })
    assert.deepEqual([avif.kind, avif.file.kind, avif.file.mime], ['avif', 'webp', 'image/webp'])
    const tiff = await it.examine(await drawQuarters(300, 200).tiff().toBuffer(), { width: 100 })
    assert.deepEqual([tiff.file.kind, await formatOf(tiff.file.path)], ['png', 'png'])
    const heic = await it.examine(heicWith(), { width: 32 })
    assert.deepEqual([heic.file.kind, heic.width, heic.height], ['webp', 32, 32])
  })
})

test('colours of a wide profile come out the same in the versions', async () => {
  const picture = await drawQuarters(640, 480).jpeg({ quality: 95 }).withIccProfile('p3').toBuffer()
  const { medium } = await it.examine(picture)
  assert.deepEqual(await quartersOf(medium?.path ?? ''), [0, 1, 2, 3])
})

test('pixels of a decoder that knows no profiles get theirs back', async () => {
  const file = await drawQuarters(64, 48).png().withIccProfile('p3').toBuffer()
  const { icc } = await sharp(file).metadata()
  const chunk = chunksOf(bytesOf(file)).find(({ type }) => type === 'iCCP')
  assert.ok(icc !== undefined && chunk !== undefined)
  const bare = editBuffer(file, [removal(chunk.start, chunk.end)])
  const pixels = { data: await sharp(bare).raw().toBuffer(), width: 64, height: 48, channels: 3 } as const
  const wrapped = await sharp(wrapWithProfile(pixels, icc)).raw().toBuffer()
  assert.notDeepEqual(wrapped, pixels.data)
  assert.deepEqual(wrapped, await sharp(file).raw().toBuffer())
})

test('a TIFF with long offsets is one too', async () => {
  const xmp =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><a:b exif:GPSLatitude="51,30.538N" x:kept="1"/></x:xmpmeta>'
  const file = await drawQuarters(640, 480)
    .tiff({ bigtiff: true, compression: 'none' })
    .withXmp(xmp)
    .toBuffer()
  assert.equal(file[2], 43)
  for (const policy of ['strip_location', 'strip_all'] as const) {
    const seen = await it.examine(file, { policy })
    const stored = readFileSync(seen.file.path)
    assert.deepEqual([seen.width, seen.file.isUnchanged, stored.length], [640, false, file.length])
    assert.equal(stored.includes('51,30'), false)
    assert.equal(stored.includes('kept'), policy === 'strip_location')
    assert.deepEqual(await sharp(stored).raw().toBuffer(), await sharp(file).raw().toBuffer())
  }
})

test('drawings are refused unless they are allowed', async () => {
  await assert.rejects(it.examine(svg()), { kind: 'invalid', code: 'kind-off', message: /SVG/ })
})

test('a drawing cannot reach for files', async () => {
  const body = '<image href="/etc/hostname" width="9" height="9"/><use href="file:///etc/passwd#a"/>'
  const plain = await it.examine(svg(''), { allowSvg: true })
  const reaching = await it.examine(svg(body), { allowSvg: true })
  assert.deepEqual(readFileSync(reaching.thumb.path), readFileSync(plain.thumb.path))
})

test('text and unknown bytes are not media', async () => {
  const texts = [
    '',
    'B',
    'BM is where a letter begins, and not a picture',
    'GIF',
    '<html><svg></svg></html>',
    '\0\0\0\x18ftypisom',
    'RIFF\0\0\0\0WAVE',
    'PK\x03\x04',
    '%PDF-1.7',
  ]
  for (const text of texts) {
    await assert.rejects(
      it.examine(Buffer.from(text, 'latin1'), { allowSvg: true }),
      { code: 'not-media' },
      text,
    )
  }
})

test('a missing file or folder is a fault and not a refusal', async () => {
  const outputFolder = '/nonexistent/folder'
  await assert.rejects(
    it.imaging.examine('/nonexistent/file', { tenantKey: 'a', policy: 'keep', outputFolder }),
    {
      name: 'Error',
      code: 'ENOENT',
    },
  )
  const picture = await drawQuarters(9, 9).png().toBuffer()
  await assert.rejects(it.examine(picture, { outputFolder }), { name: 'Error', code: 'ENOENT' })
})
