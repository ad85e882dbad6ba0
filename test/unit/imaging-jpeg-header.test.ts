import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { jpeg } from '../../src/imaging/kinds/jpeg.ts'
import { corpus } from '../support/fixtures/corpus.ts'
import { startTestImaging, type TestImaging } from '../support/fixtures/imaging-pictures.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

const drawn = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#c35' } })

describe('size, orientation, bits and channels of a JPEG are those that its decoder reports:', () => {
  const pictures: Record<string, Sharp> = {
    plain: drawn().jpeg(),
    progressive: drawn().jpeg({ progressive: true }),
    grey: drawn().toColourspace('b-w').jpeg(),
    CMYK: drawn().toColourspace('cmyk').jpeg(),
    'without chroma subsampling': drawn().jpeg({ chromaSubsampling: '4:4:4' }),
    'with a colour profile': drawn().withIccProfile('p3').jpeg(),
    'with XMP': drawn().jpeg().withXmp('<x/>'),
    ...Object.fromEntries(
      [1, 3, 6].map((orientation) => [
        `turned (${orientation})`,
        drawn().jpeg().withMetadata({ orientation }),
      ]),
    ),
  }
  for (const [title, picture] of Object.entries(pictures)) {
    test(title, async () => {
      const file = await picture.toBuffer()
      const { autoOrient, orientation = 1, depth, channels } = await sharp(file).metadata()
      const { width, height, orientation: seen, bits, channels: seenChannels } = await it.examine(file)
      assert.deepEqual(
        { width, height, orientation: seen, bits, channels: seenChannels },
        { ...autoOrient, orientation, bits: depth === 'uchar' ? 8 : 16, channels },
      )
    })
  }
})

test('of every accepted JPEG of a public collection, the header claims the size that is decoded', async () => {
  let checked = 0
  for (const path of globSync('*/*.{jpg,jpeg,jfif}', { cwd: corpus })) {
    const file = readFileSync(join(corpus, path))
    const decoded = await sharp(file, { failOn: 'error' })
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(() => undefined)
    const header = headerOf(file)
    if (decoded === undefined || header === undefined) continue
    const { width, height } = header
    assert.deepEqual([width, height], [decoded.info.width, decoded.info.height], path)
    checked += 1
  }
  assert.ok(checked > 0, `${checked} were checked`)
})

/** Undefined if the file is refused before it is decoded: some decoders are more lenient than we are. */
function headerOf(file: Buffer) {
  try {
    return jpeg.matches(file) ? jpeg.header(bytesOf(file), 1) : undefined
  } catch {
    return undefined
  }
}
