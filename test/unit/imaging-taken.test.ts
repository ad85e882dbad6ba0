import assert from 'node:assert/strict'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { referencesOf } from '../../src/formats/containers/iso/references.ts'
import { writeTiff } from '../../src/formats/metadata/exif/tiff-writer.ts'
import { cropOf } from '../../src/imaging/kinds/heif/crop.ts'
import { clap, heicGrid, heicQuarters, imir, irot } from '../support/fixtures/imaging-heic.ts'
import {
  CORNERS,
  drawQuarters,
  quartersOf,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'
import { runsOf } from '../support/tiers.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

test('a HEIC of which a crop leaves a small part is taken, and what is left is shown', async () => {
  const whole = await it.examine(heicQuarters())
  assert.deepEqual([whole.width, whole.height, await quartersOf(whole.thumb.path)], [256, 256, [0, 1, 2, 3]])
  for (const [properties, width, height, quarters] of [
    [[clap(40, 30)], 40, 30, [0, 1, 2, 3]],
    [[clap(40, 30, -64, 64)], 40, 30, [2, 2, 2, 2]],
    [[clap(40, 30), irot(1)], 30, 40, [1, 3, 0, 2]],
    [[clap(60, 30, 64), irot(1)], 30, 60, [1, 3, 1, 3]],
    [[irot(1), clap(60, 30, 64)], 60, 30, [3, 3, 2, 2]],
    [[clap(40, 30, 64), imir(1)], 40, 30, [1, 1, 3, 3]],
    [[clap(256, 256)], 256, 256, [0, 1, 2, 3]],
  ] as const) {
    const seen = await it.examine(heicQuarters([...properties]))
    assert.deepEqual(
      [seen.kind, seen.width, seen.height, seen.file.isUnchanged],
      ['heic', width, height, true],
    )
    assert.deepEqual(await quartersOf(seen.thumb.path), quarters)
  }
})

test('a crop that leaves nothing is refused', async () => {
  await assert.rejects(it.examine(heicGrid(2, 2, [clap(0, 0)])), { code: 'not-decodable' })
})

/** A picture as its rows, each pixel with a number of its own. */
type Rows = number[][]

const OPERATIONS: Record<string, (rows: Rows, argument: number[]) => Rows> = {
  clap: (rows, [width = 0, height = 0, right = 0, down = 0]) => {
    const [left, top] = [((rows[0]?.length ?? 0) - width) / 2 + right, (rows.length - height) / 2 + down]
    return rows.slice(top, top + height).map((row) => row.slice(left, left + width))
  },
  irot: (rows, [quarters = 0]) => {
    let turned = rows
    for (let left = quarters; left > 0; left--)
      turned = Array.from({ length: turned[0]?.length ?? 0 }, (_, column) =>
        turned.map((row) => row.at(-1 - column) ?? 0),
      )
    return turned
  },
  imir: (rows, [axis]) => (axis === 1 ? rows.map((row) => row.toReversed()) : rows.toReversed()),
}

const operation = fc.oneof(
  fc.nat(3).map((quarters) => ({ name: 'irot', argument: [quarters], box: irot(quarters) })),
  fc.nat(1).map((axis) => ({ name: 'imir', argument: [axis], box: imir(axis) })),
)
const crop = fc
  .record({
    across: fc.integer({ min: 1, max: 30 }),
    along: fc.integer({ min: 1, max: 30 }),
    x: fc.integer({ min: -2, max: 2 }),
    y: fc.integer({ min: -2, max: 2 }),
  })
  .map(({ across, along, x, y }) => {
    const argument = [across * 2, along * 2, x, y]
    return { name: 'clap', argument, box: clap(across * 2, along * 2, x, y) }
  })

test('a crop is found where it is shown, however the picture is turned and mirrored before and after it', () => {
  const whole: Rows = Array.from({ length: 64 }, (_, y) => Array.from({ length: 128 }, (_, x) => y * 128 + x))
  const list = fc.array(operation, { maxLength: 3 })
  fc.assert(
    fc.property(list, crop, list, (before, cut, after) => {
      const steps = [...before, cut, ...after]
      const expected = steps.reduce(
        (rows, { name, argument }) => OPERATIONS[name]?.(rows, argument) ?? rows,
        whole,
      )
      const turned = [...before, ...after].reduce(
        (rows, { name, argument }) => OPERATIONS[name]?.(rows, argument) ?? rows,
        whole,
      )
      const found = cropOf(
        bytesOf(
          heicGrid(
            2,
            1,
            steps.map(({ box }) => box),
          ),
        ),
      )
      assert.ok(found)
      const { left, top, width, height } = found
      const shown = turned.slice(top, top + height).map((row) => row.slice(left, left + width))
      assert.deepEqual(shown, expected)
    }),
    { numRuns: runsOf(1_000) },
  )
})

test('an AVIF whose alpha is said to belong to no picture is taken, with its alpha', async () => {
  const drawn = drawQuarters(64, 48).ensureAlpha(0.5)
  const file = await drawn.avif({ effort: 0 }).toBuffer()
  const [reference] = referencesOf(bytesOf(file)).filter(({ type }) => type === 'auxl')
  assert.ok(reference)
  file.writeUIntBE(0, reference.toAt, reference.width)
  for (const brand of ['avif', 'avis']) {
    file.write(brand, 8, 'latin1')
    const seen = await it.examine(file)
    assert.deepEqual([seen.kind, seen.width, seen.channels], ['avif', 64, 4])
    assert.equal((await sharp(seen.thumb.path).metadata()).hasAlpha, true)
  }
})

/** An uncompressed page of samples that are written as they are. */
function tiffOf(
  data: Buffer,
  [width, height, channels]: [number, number, number],
  tags: Record<number, number>,
): Buffer {
  const numbers = (tag: number, values: number[]) => {
    const value = Buffer.alloc(values.length * 4)
    for (const [index, number] of values.entries()) value.writeUInt32BE(number, index * 4)
    return { tag, type: 4, count: values.length, value }
  }
  const bits = (data.length * 8) / (width * height * channels)
  const entries = (at: number) => [
    numbers(0x0100, [width]),
    numbers(0x0101, [height]),
    numbers(0x0102, Array(channels).fill(bits)),
    numbers(0x0103, [1]),
    numbers(0x0111, [at]),
    numbers(0x0115, [channels]),
    numbers(0x0116, [height]),
    numbers(0x0117, [data.length]),
    ...Object.entries(tags).map(([tag, value]) =>
      numbers(Number(tag), tag === '339' ? Array(channels).fill(value) : [value]),
    ),
  ]
  return Buffer.concat([writeTiff(entries(writeTiff(entries(0)).length)), data])
}

const COLOURS = 0x0106
const FORMAT = 0x0153

test('a TIFF of L*a*b* in eight bits is taken, in its colours', async () => {
  // Red, green, blue and yellow as CORNERS has them.
  const corners = [
    [49, 71, 54],
    [71, -68, 66],
    [27, 62, -97],
    [87, -8, 83],
  ]
  for (const [colours, zero] of [
    [8, 0],
    [9, 128],
  ] as const) {
    const data = Buffer.alloc(64 * 48 * 3)
    for (let at = 0; at < data.length; at += 3) {
      const [x, y] = [(at / 3) % 64, Math.floor(at / 3 / 64)]
      const [lightness = 0, a = 0, b = 0] = corners[(y >= 24 ? 2 : 0) + (x >= 32 ? 1 : 0)] ?? []
      data.set([Math.round(lightness * 2.55), (a + zero) & 255, (b + zero) & 255], at)
    }
    const seen = await it.examine(tiffOf(data, [64, 48, 3], { [COLOURS]: colours }))
    assert.deepEqual([seen.kind, seen.width, seen.height, seen.channels], ['tiff', 64, 48, 3])
    assert.deepEqual(await quartersOf(seen.thumb.path), [0, 1, 2, 3])
  }
})

test('the thumb of a TIFF of whole numbers of 32 bits is as smooth as they are', async () => {
  const [width, height] = [400, 300]
  for (const { channels, format, most } of [
    { channels: 1, format: 1, most: 0xffff_ffff },
    { channels: 3, format: 1, most: 0xffff_ffff },
    { channels: 1, format: 2, most: 0x7fff_ffff },
    { channels: 1, format: 1, most: 4095 },
  ]) {
    const data = Buffer.alloc(width * height * channels * 4)
    for (let index = 0; index < width * height * channels; index++) {
      const x = Math.floor(index / channels) % width
      data.writeUInt32BE(Math.floor((most * x) / (width - 1)), index * 4)
    }
    const tags = { [COLOURS]: channels === 1 ? 1 : 2, [FORMAT]: format }
    const seen = await it.examine(tiffOf(data, [width, height, channels], tags))
    const { data: thumb, info } = await sharp(seen.thumb.path)
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const row = [...thumb.subarray(160 * info.width, 161 * info.width)]
    const steps = row.slice(1).map((value, index) => value - (row[index] ?? 0))
    assert.ok(new Set(row).size > 100, `${new Set(row).size} shades`)
    assert.ok(Math.max(...steps.map(Math.abs)) <= 6, `a step of ${Math.max(...steps.map(Math.abs))}`)
  }
})

/** Eight bits, four colours, as many entries in the palette as are said. */
function paletteBmp(entries: number, said: number, pixelsAt?: number): Buffer {
  const [width, height] = [64, 48]
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(pixelsAt ?? 54 + entries * 4, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(-height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(8, 28)
  head.writeUInt32LE(said, 46)
  const palette = Buffer.alloc(entries * 4)
  for (const [index, [red, green, blue]] of CORNERS.entries()) palette.set([blue, green, red], index * 4)
  const pixels = Buffer.alloc(width * height)
  for (let at = 0; at < pixels.length; at++)
    pixels[at] = (at >= pixels.length / 2 ? 2 : 0) + (at % width >= 32 ? 1 : 0)
  const file = Buffer.concat([head, palette, pixels])
  file.writeUInt32LE(file.length, 2)
  return file
}

test('a BMP that lies about where its pixels begin is right or refused, and never black', async () => {
  const dated: Record<string, Buffer> = {
    'the truth': paletteBmp(256, 0),
    'a short palette': paletteBmp(4, 4),
    'a short palette that is not announced': paletteBmp(4, 0),
    'the end of the header': paletteBmp(256, 0, 54),
    nothing: paletteBmp(256, 0, 0),
    'a place in the header': paletteBmp(4, 4, 20),
    'a place in the palette': paletteBmp(256, 256, 54 + 40),
  }
  for (const [what, file] of Object.entries(dated)) {
    const seen = await it.examine(file)
    assert.deepEqual(await quartersOf(seen.thumb.path), [0, 1, 2, 3], what)
    assert.deepEqual(await quartersOf(seen.file.path), [0, 1, 2, 3], what)
  }
  const behind = Buffer.alloc(500, 7)
  for (const pixelsAt of [0, 20, 54, 100, 4000, 0x7fff_ffff])
    await assert.rejects(it.examine(Buffer.concat([paletteBmp(256, 0, pixelsAt), behind])), {
      code: 'not-decodable',
    })
})
