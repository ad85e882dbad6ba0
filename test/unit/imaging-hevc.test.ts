import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { hevcTilesOf } from '../../src/imaging/kinds/heif/tiles.ts'
import { loadHevcLibrary } from '../../src/imaging/pixels/heif/hevc-library.ts'
import { decodeTiles, type Planes } from '../../src/imaging/pixels/heif/hevc-planes.ts'
import { withHeicPixels } from '../../src/imaging/pixels/heif/libheif.ts'
import { shrinkPlanes, uprightSize } from '../../src/imaging/pixels/heif/shrink-planes.ts'
import type { RawPixels } from '../../src/imaging/pixels/raw-pixels.ts'
import { clap, heicGrid, heicQuarters, imir, irot } from '../support/fixtures/imaging-heic.ts'
import { CORNERS } from '../support/fixtures/imaging-pictures.ts'

const library = loadHevcLibrary()
if (library === undefined)
  console.warn('FFmpeg’s libraries are not installed: HEIC is decoded by libheif alone.')

test('the quick decoder is not given a picture with a crop or an unknown property', () => {
  assert.equal(hevcTilesOf(bytesOf(heicQuarters([clap(40, 30)]))), undefined)
  const unknown = Buffer.from(imir(1))
  unknown.write('xyzw', 4)
  assert.equal(hevcTilesOf(bytesOf(heicQuarters([unknown]))), undefined)
})

test('a grid is reported as its tiles, and how it is turned', () => {
  const found = hevcTilesOf(bytesOf(heicGrid(3, 2, [irot(1), imir(0)])))
  assert.deepEqual([found?.width, found?.height, found?.columns, found?.tiles.length], [192, 128, 3, 6])
  assert.deepEqual(found?.turns, [{ quarters: 1 }, { isSideways: false }])
})

/** Which of the four colours each quarter of raw pixels has. */
function quarters({ data, width, height }: RawPixels): number[] {
  const spots = [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const
  return spots.map(([x, y]) => {
    const at = (Math.floor(height * y) * width + Math.floor(width * x)) * 3
    return CORNERS.findIndex((colour) =>
      colour.every((part, index) => Math.abs(part - (data[at + index] ?? 0)) < 20),
    )
  })
}

/** Planes of the four colours, as a coded picture of old television has them. */
function drawnPlanes(width: number, height: number, isFullRange: boolean): Planes {
  const half = [Math.ceil(width / 2), Math.ceil(height / 2)] as const
  const plane = (across: number, down: number, value: (colour: readonly number[]) => number) =>
    Buffer.from(
      Array.from({ length: across * down }, (_, at) => {
        const quarter = (Math.floor(at / across) * 2 >= down ? 2 : 0) + ((at % across) * 2 >= across ? 1 : 0)
        return Math.round(value(CORNERS[quarter] ?? CORNERS[0]))
      }),
    )
  const [black, range, colours] = isFullRange ? [0, 1, 1] : [16, 219 / 255, 224 / 255]
  const grey = ([r = 0, g = 0, b = 0]: readonly number[]) => 0.299 * r + 0.587 * g + 0.114 * b
  const planes: Planes['planes'] = [
    plane(width, height, (colour) => black + range * grey(colour)),
    plane(...half, (colour) => 128 + (colours * ((colour[2] ?? 0) - grey(colour))) / 1.772),
    plane(...half, (colour) => 128 + (colours * ((colour[0] ?? 0) - grey(colour))) / 1.402),
  ]
  return { width, height, planes, matrix: 6, isFullRange }
}

test('planes become the colours that they stand for, in either range, and fit their box', async () => {
  const sides = fc.integer({ min: 40, max: 120 })
  await fc.assert(
    fc.asyncProperty(
      sides,
      sides,
      fc.boolean(),
      fc.integer({ min: 8, max: 120 }),
      async (width, height, isFull, box) => {
        const small = await shrinkPlanes(drawnPlanes(width, height, isFull), [], { width: box, height: box })
        assert.ok(small.width <= Math.min(box, width) && small.height <= Math.min(box, height))
        assert.equal(small.data.length, small.width * small.height * 3)
        if (Math.min(small.width, small.height) >= 24) assert.deepEqual(quarters(small), [0, 1, 2, 3])
      },
    ),
    { numRuns: 60 },
  )
})

describe.runIf(library !== undefined)('where FFmpeg’s libraries are installed, HEIC', () => {
  const TURNS = [
    [],
    [irot(1)],
    [irot(2)],
    [irot(3)],
    [imir(0)],
    [imir(1)],
    [irot(1), imir(1)],
    [imir(1), irot(1)],
  ]
  for (const [index, turns] of TURNS.entries()) {
    test(`looks as libheif shows it, turned in way ${index}`, async () => {
      const file = heicQuarters(turns)
      const tiles = hevcTilesOf(bytesOf(file))
      assert.ok(tiles && library)
      const planes = decodeTiles(library, bytesOf(file), tiles, 1e6)
      const quick = await shrinkPlanes(planes, tiles.turns, {})
      await withHeicPixels(file, async (slow) => {
        assert.deepEqual([quick.width, quick.height], [slow.width, slow.height])
        assert.deepEqual(uprightSize(planes, tiles.turns), { width: slow.width, height: slow.height })
        assert.deepEqual(quarters(quick), quarters(slow))
        const apart = quick.data.reduce((sum, value, at) => sum + Math.abs(value - (slow.data[at] ?? 0)), 0)
        assert.ok(apart / quick.data.length < 2, `${apart / quick.data.length} apart on average`)
      })
    })
  }

  test('is put together from its tiles', async () => {
    const file = heicGrid(3, 2)
    const tiles = hevcTilesOf(bytesOf(file))
    assert.ok(tiles && library)
    const { planes, width, height } = decodeTiles(library, bytesOf(file), tiles, 1e6)
    assert.deepEqual([width, height, planes.map(({ length }) => length)], [192, 128, [24_576, 6144, 6144]])
    const tile = (plane: Buffer, stride: number, side: number, x: number, y: number) =>
      Buffer.concat(
        Array.from({ length: side }, (_, row) =>
          plane.subarray((y + row) * stride + x, (y + row) * stride + x + side),
        ),
      )
    assert.deepEqual(tile(planes[0], 192, 64, 128, 64), tile(planes[0], 192, 64, 0, 0))
    assert.deepEqual(tile(planes[1], 96, 32, 64, 32), tile(planes[1], 96, 32, 0, 0))
  })

  test('that is damaged is left to libheif', () => {
    const file = heicQuarters()
    file.fill(0x55, file.length - 200)
    const tiles = hevcTilesOf(bytesOf(file))
    assert.ok(tiles && library)
    assert.throws(() => decodeTiles(library, bytesOf(file), tiles, 1e6), { code: 'not-decodable' })
  })
})
