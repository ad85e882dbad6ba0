import assert from 'node:assert/strict'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  colourNameOf,
  drawQuarters,
  placesOf,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

describe('an animation', () => {
  const colours = ['#e61e1e', '#1ec81e', '#1e1ee6']
  async function animation(frames: number, width = 60, height = 40): Promise<Buffer> {
    const stills = Array.from({ length: frames }, (_, index) =>
      sharp({ create: { width, height, channels: 3, background: colours[index % 3] ?? '#fff' } })
        .png()
        .toBuffer(),
    )
    const delay = Array.from({ length: frames }, (_, index) => 50 + 10 * (index % 5))
    return sharp(await Promise.all(stills), { join: { animated: true } })
      .gif({ delay, loop: 3, keepDuplicateFrames: true } as object)
      .toBuffer()
  }

  /** A square GIF of which each frame changes one pixel, so that it is made at once. */
  function blinkingDot(frames: number, side: number): Buffer {
    const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\xe6\x1e\x1e\x1e\xc8\x1e', 'latin1')
    head.writeUInt16LE(side, 6)
    head.writeUInt16LE(side, 8)
    const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1')
    return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
  }

  test('keeps its frames, times and loops in WebP, and is a still otherwise', async () => {
    const file = await animation(6)
    const before = await sharp(file).metadata()
    assert.equal(before.pages, 6)
    const moving = await it.transform(file, { width: 30, format: 'webp', isAnimated: true })
    const { pages, delay, loop, height: pageHeight, width } = await sharp(moving.path).metadata()
    assert.deepEqual([pages, delay, loop], [6, before.delay, before.loop])
    assert.deepEqual(
      [width, pageHeight, moving.width, moving.height, moving.isAnimated],
      [30, 20, 30, 20, true],
    )
    for (const options of [
      { format: 'webp' },
      { format: 'jpeg', isAnimated: true },
      { format: 'png', isAnimated: true },
    ] as const) {
      const still = await it.transform(file, { width: 30, ...options })
      assert.equal(still.isAnimated, false)
      assert.equal((await sharp(still.path).metadata()).pages ?? 1, 1)
      assert.deepEqual((await placesOf(still.path))[0], 0, 'the first frame')
    }
  })

  test('is cropped and padded frame by frame', async () => {
    const file = await animation(3)
    const covered = await it.transform(file, {
      width: 20,
      height: 20,
      fit: 'cover',
      format: 'webp',
      isAnimated: true,
    })
    const padded = await it.transform(file, {
      width: 80,
      height: 80,
      fit: 'pad',
      background: '336699',
      format: 'webp',
      quality: 100,
      isAnimated: true,
    })
    for (const [made, side] of [
      [covered, 20],
      [padded, 80],
    ] as const) {
      const { pages, height: pageHeight, width } = await sharp(made.path).metadata()
      assert.deepEqual([pages, pageHeight, width], [3, side, side])
      for (const page of [0, 1, 2]) {
        const { data } = await sharp(made.path, { page })
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true })
        const at = ((side / 2) * side + side / 2) * 3
        assert.equal(colourNameOf([...data.subarray(at, at + 3), 255]), page)
        if (side === 80) assert.ok(Math.abs((data[2] ?? 0) - 0x99) < 12)
      }
    }
  })

  test('of more than a hundred frames is a still', async () => {
    const most = await it.transform(await animation(100), { format: 'webp', isAnimated: true })
    assert.equal((await sharp(most.path).metadata()).pages, 100)
    const more = await it.transform(await animation(101), { format: 'webp', isAnimated: true })
    assert.deepEqual([more.isAnimated, (await sharp(more.path).metadata()).pages ?? 1], [false, 1])
  })

  test('of more than fifty million pixels of output is a still', async () => {
    const file = blinkingDot(51, 1000)
    const options = { format: 'webp', isAnimated: true } as const
    assert.equal((await it.transform(file, options)).isAnimated, false)
    assert.equal((await it.transform(file, { ...options, width: 100 })).isAnimated, true)
  })
})

test('uploads are decoded before pictures that somebody waits for, and those before what nobody waits for', async () => {
  const picture = await drawQuarters(640, 480).jpeg().toBuffer()
  const order: string[] = []
  const begin = (name: string) => ({ onBegin: () => order.push(name) })
  const blocker = it.examine(picture, begin('first'))
  await Promise.all([
    blocker,
    it.transform(picture, { width: 9 }, { isUnhurried: true, ...begin('unhurried') }),
    it.transform(picture, { width: 9 }, begin('transform')),
    it.examine(picture, begin('upload')),
  ])
  assert.deepEqual(order, ['first', 'upload', 'transform', 'unhurried'])
})

test('a flood of transforms leaves a decoder to uploads, and tenants take turns in it', async () => {
  await using two = startTestImaging({ children: 2 })
  const picture = await drawQuarters(1600, 1200).jpeg().toBuffer()
  const order: string[] = []
  const flood = Array.from({ length: 12 }, (_, index) =>
    two.transform(picture, { width: 900 + index }, { tenantKey: 'loud', onBegin: () => order.push('loud') }),
  )
  const quiet = two.transform(
    picture,
    { width: 100 },
    { tenantKey: 'quiet', onBegin: () => order.push('quiet') },
  )
  await two.examine(picture, { onBegin: () => order.push('upload') })
  await Promise.all([...flood, quiet])
  assert.ok(order.indexOf('upload') <= 1, order.join())
  assert.ok(order.indexOf('quiet') <= 3, order.join())
})
