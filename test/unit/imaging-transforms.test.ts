import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { presetWords } from '../../src/common/preset-rules.ts'
import type { DerivedFormat, TransformOptions } from '../../src/imaging/index.ts'
import { heicQuarters } from '../support/fixtures/imaging-heic.ts'
import {
  drawQuarters,
  EXIF,
  placesOf,
  quartersOf,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

const QUARTERS = [0, 1, 2, 3]

/** The size that the options describe, calculated apart from the code. */
function expectedSize({ width, height, fit }: TransformOptions, [own, high]: readonly [number, number]) {
  const round = (value: number) => Math.max(1, Math.round(value))
  if (width && height && fit === 'pad') return [width, height]
  if (width && height && fit === 'cover') {
    const scale = Math.min(1, own / width, high / height)
    return [round(width * scale), round(height * scale)]
  }
  const scale = Math.min(1, (width ?? own) / own, (height ?? high) / high)
  return [round(own * scale), round(high * scale)]
}

test('every size is the one that the options describe, and nothing is enlarged', {
  timeout: 120_000,
}, async () => {
  const side = fc.integer({ min: 1, max: 90 })
  const wanted = fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined })
  const options = fc.record({
    width: wanted,
    height: wanted,
    fit: fc.constantFrom('scale-down' as const, 'cover' as const, 'pad' as const),
    position: fc.constantFrom(...presetWords.position),
    background: fc.constantFrom(undefined, 'transparent', 'ff8000'),
    format: fc.constantFrom<DerivedFormat>('webp', 'jpeg', 'png'),
  })
  const check = fc.asyncProperty(side, side, options, async (own, high, asked) => {
    const picture = await sharp({ create: { width: own, height: high, channels: 4, background: '#369' } })
      .png({ compressionLevel: 1 })
      .toBuffer()
    const made = await it.transform(picture, asked)
    const expected = expectedSize({ ...asked, quality: 80, isAnimated: false }, [own, high])
    assert.deepEqual([made.width, made.height], expected)
    const { format, width, height } = await sharp(made.path).metadata()
    assert.deepEqual([format, width, height], [asked.format, ...expected])
    assert.equal(readFileSync(made.path).length, made.sizeBytes)
  })
  await fc.assert(check, { numRuns: 150 })
})

describe('a wide picture', () => {
  const wide = () => drawQuarters(200, 100).png().toBuffer()

  const covers: Record<string, number[]> = { left: [0, 0, 2, 2], center: QUARTERS, right: [1, 1, 3, 3] }
  for (const [position, quarters] of Object.entries(covers))
    test(`covers a tall box with its ${position}`, async () => {
      const options = { width: 50, height: 100, fit: 'cover', position } as Partial<TransformOptions>
      const { path } = await it.transform(await wide(), options)
      assert.deepEqual(await quartersOf(path), quarters)
    })

  for (const position of presetWords.position)
    test(`lies ${position} in a padded box that is larger on both sides`, async () => {
      const { path } = await it.transform(await wide(), { width: 400, height: 400, fit: 'pad', position })
      const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
      const isWhite = (x: number, y: number) =>
        data.subarray((y * 400 + x) * 3, (y * 400 + x) * 3 + 3).every((part) => part > 250)
      const left = position.includes('left') ? 0 : position.includes('right') ? 200 : 100
      const top = position.includes('top') ? 0 : position.includes('bottom') ? 300 : 150
      assert.deepEqual([isWhite(left + 3, top + 3), isWhite(left + 196, top + 96)], [false, false])
      if (left > 0) assert.ok(isWhite(left - 3, top + 50))
      if (top > 0) assert.ok(isWhite(left + 100, top - 3))
      if (left < 200) assert.ok(isWhite(left + 203, top + 50))
      if (top < 300) assert.ok(isWhite(left + 100, top + 103))
    })

  const grounds: [background: string | undefined, format: DerivedFormat, ground: string][] = [
    [undefined, 'png', 'white'],
    [undefined, 'jpeg', 'white'],
    ['transparent', 'png', 'clear'],
    ['transparent', 'webp', 'clear'],
    ['transparent', 'avif', 'clear'],
    ['transparent', 'jpeg', 'white'],
    ['336699', 'png', '51 102 153'],
  ]
  for (const [background, format, ground] of grounds)
    test(`is padded in ${format} with the background ${background ?? 'that is usual'}`, async () => {
      const options = { width: 100, height: 100, fit: 'pad', background, format } as const
      const { path } = await it.transform(await wide(), options)
      const [top, , , left, , right, , bottom] = await placesOf(path)
      assert.deepEqual([top, bottom], [ground, ground])
      assert.ok(typeof left === 'number' && typeof right === 'number')
    })
})

describe('a picture with transparency', () => {
  const clear = () =>
    sharp({ create: { width: 40, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer()

  const cases: [DerivedFormat, background: string | undefined, seen: string][] = [
    ['png', undefined, 'clear'],
    ['webp', undefined, 'clear'],
    ['avif', undefined, 'clear'],
    ['jpeg', undefined, 'white'],
    ['jpeg', 'transparent', 'white'],
    ['webp', 'transparent', 'clear'],
    ['png', 'ffffff', 'white'],
    ['webp', '804020', '128 64 32'],
  ]
  for (const [format, background, seen] of cases)
    test(`in ${format} on ${background ?? 'nothing'}`, async () => {
      const { path } = await it.transform(await clear(), { width: 20, format, background, quality: 100 })
      const [first = ''] = await placesOf(path)
      const parts = (text: number | string) => String(text).split(' ').map(Number)
      if (!seen.includes(' ')) assert.equal(first, seen)
      else
        for (const [index, part] of parts(seen).entries())
          assert.ok(Math.abs(part - (parts(first)[index] ?? 0)) < 4)
    })
})

describe('what comes out is upright, in sRGB, in eight bits and without metadata:', () => {
  test('every orientation', async () => {
    for (let orientation = 1; orientation <= 8; orientation++) {
      const picture = await drawQuarters(300, 200, orientation)
        .withMetadata({ orientation })
        .jpeg()
        .toBuffer()
      const made = await it.transform(picture, { width: 150, format: 'webp' })
      assert.deepEqual([made.width, made.height], [150, 100], `orientation ${orientation}`)
      assert.deepEqual(await quartersOf(made.path), QUARTERS, `orientation ${orientation}`)
    }
  })

  test('a colour profile is applied, and neither it nor camera and place are kept', async () => {
    const picture = await drawQuarters(64, 64)
      .jpeg({ quality: 100 })
      .withExif(EXIF)
      .withIccProfile('p3')
      .toBuffer()
    const { path } = await it.transform(picture, { format: 'jpeg', quality: 100 })
    const { exif, icc, xmp, space } = await sharp(path).metadata()
    assert.deepEqual([exif, icc, xmp, space], [undefined, undefined, undefined, 'srgb'])
    const reference = await sharp(picture).raw().toBuffer()
    const pixels = await sharp(path).raw().toBuffer()
    assert.ok(differenceOf(pixels, reference) < 3)
    const unconverted = await sharp(picture, { ignoreIcc: true }).raw().toBuffer()
    assert.ok(differenceOf(pixels, unconverted) > 3, 'the profile changes what is seen')
  })

  test('sixteen bits', async () => {
    const picture = await drawQuarters(64, 64).toColourspace('rgb16').png().toBuffer()
    assert.equal((await sharp(picture).metadata()).depth, 'ushort')
    for (const format of ['png', 'webp', 'jpeg', 'avif'] as const) {
      const { path } = await it.transform(picture, { width: 32, format })
      assert.equal((await sharp(path).metadata()).depth, 'uchar', format)
      assert.deepEqual(await quartersOf(path), QUARTERS, format)
    }
  })

  test('CMYK', async () => {
    const picture = await drawQuarters(64, 64).toColourspace('cmyk').jpeg().toBuffer()
    assert.equal((await sharp(picture).metadata()).space, 'cmyk')
    const { path } = await it.transform(picture, { width: 32, format: 'webp' })
    const { space, channels } = await sharp(path).metadata()
    assert.deepEqual([space, channels], ['srgb', 3])
    const reference = await sharp(picture).resize(32).toColourspace('srgb').raw().toBuffer()
    assert.ok(differenceOf(await sharp(path).raw().toBuffer(), reference) < 6)
  })
})

/** The mean difference of two rows of samples. */
function differenceOf(some: Buffer, others: Buffer): number {
  assert.equal(some.length, others.length)
  return some.reduce((sum, sample, index) => sum + Math.abs(sample - (others[index] ?? 0)), 0) / some.length
}

describe('a photograph is as sharp as one that sharp makes', () => {
  for (const format of ['jpeg', 'webp', 'avif', 'png'] as const)
    test(`in ${format}`, async () => {
      const noise = {
        create: {
          width: 900,
          height: 600,
          channels: 3,
          background: '#888',
          noise: { type: 'gaussian', mean: 128, sigma: 30 },
        },
      } as const
      const picture = await sharp(noise).jpeg({ quality: 95 }).toBuffer()
      const quality = 60
      const { path, sizeBytes } = await it.transform(picture, { width: 320, format, quality })
      const reference = await sharp(picture)
        .resize(320)
        [format](format === 'png' ? {} : { quality })
        .toBuffer()
      assert.equal(sizeBytes, reference.length)
      assert.deepEqual(readFileSync(path), reference)
    })
})

describe('kinds that browsers do not show, or not as pictures:', () => {
  test('HEIC', async () => {
    const made = await it.transform(heicQuarters(), { width: 40, format: 'webp' })
    assert.equal(made.width, 40)
    assert.deepEqual(await quartersOf(made.path), QUARTERS)
  })

  test('HEIC that covers and is padded', async () => {
    const file = heicQuarters()
    const covered = await it.transform(file, { width: 30, height: 60, fit: 'cover', position: 'left' })
    assert.deepEqual([covered.width, covered.height], [30, 60])
    assert.deepEqual(await quartersOf(covered.path), [0, 0, 2, 2])
    const padded = await it.transform(file, { width: 200, height: 80, fit: 'pad' })
    assert.deepEqual([padded.width, padded.height], [200, 80])
    assert.equal((await placesOf(padded.path))[3], 'white')
  })

  test('TIFF', async () => {
    const made = await it.transform(await drawQuarters(300, 200).tiff().toBuffer(), {
      width: 60,
      format: 'jpeg',
    })
    assert.deepEqual([made.width, made.height, made.mime], [60, 40, 'image/jpeg'])
    assert.deepEqual(await quartersOf(made.path), QUARTERS)
  })

  const drawing = (size: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="30" height="20" fill="#e61e1e"/></svg>`,
    )

  test('a drawing has its own size, and is not enlarged', async () => {
    const file = drawing('width="30" height="20"')
    const large = await it.transform(file, { width: 640, format: 'webp' })
    assert.deepEqual([large.width, large.height], [30, 20])
    const small = await it.transform(file, { width: 15, format: 'png' })
    assert.deepEqual([small.width, small.height], [15, 10])
    assert.deepEqual((await placesOf(small.path)).slice(0, 3), [0, 0, 0])
  })

  test('a drawing lies in a padded box as it is', async () => {
    const { path } = await it.transform(drawing('width="30" height="20"'), {
      width: 90,
      height: 60,
      fit: 'pad',
    })
    const [, top, , left, middle, right, , bottom] = await placesOf(path)
    assert.deepEqual([top, left, middle, right, bottom], ['white', 'white', 0, 'white', 'white'])
  })

  test('a large drawing is rendered at the size that is asked for', async () => {
    const made = await it.transform(drawing('width="3000" height="2000" viewBox="0 0 30 20"'), { width: 600 })
    assert.deepEqual([made.width, made.height], [600, 400])
  })
})

test('a file that is no picture is refused', async () => {
  await assert.rejects(it.transform(Buffer.from('not a picture'), {}), { code: 'not-media' })
})
