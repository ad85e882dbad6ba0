import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { test } from 'vitest'
import { bytesOf } from '../src/imaging/containers/bytes.ts'
import { jpeg } from '../src/imaging/kinds/jpeg.ts'

const CORPUS = fileURLToPath(new URL('../../shared/corpus/', import.meta.url))
const drawn = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#c35' } })

/** What the decoder is not asked for must be what it would say. */
async function checkUpright(file: Buffer, title: string): Promise<boolean> {
  const { width, height, upright } = jpeg.header(bytesOf(file), 1)
  if (!upright) return false
  const { autoOrient, orientation = 1, depth, channels } = await sharp(file).metadata()
  const said = { ...autoOrient, orientation, bits: depth === 'uchar' ? 8 : 16, channels }
  assert.deepEqual({ width, height, orientation: 1, ...upright }, said, title)
  return true
}

test('a JPEG without Exif says itself what its decoder would say, in every colour', async () => {
  const files = {
    plain: drawn().jpeg(),
    progressive: drawn().jpeg({ progressive: true }),
    grey: drawn().toColourspace('b-w').jpeg(),
    cmyk: drawn().toColourspace('cmyk').jpeg(),
    'with full colour': drawn().jpeg({ chromaSubsampling: '4:4:4' }),
    'with a profile': drawn().withIccProfile('p3').jpeg(),
  }
  for (const [title, picture] of Object.entries(files))
    assert.ok(await checkUpright(await picture.toBuffer(), title), title)
})

test('the decoder is asked which way is up wherever the file may say so', async () => {
  for (const orientation of [1, 3, 6])
    assert.ok(!(await checkUpright(await drawn().jpeg().withMetadata({ orientation }).toBuffer(), 'exif')))
  assert.ok(!(await checkUpright(await drawn().jpeg().withXmp('<x/>').toBuffer(), 'xmp')))
})

const isThere = existsSync(CORPUS)
if (!isThere) console.warn(`There is no collection at ${CORPUS}.`)

test.runIf(isThere)('so it is with every JPEG of a public collection that can be decoded', async () => {
  let checked = 0
  for (const path of globSync('*/*.{jpg,jpeg,jfif}', { cwd: CORPUS })) {
    const file = readFileSync(join(CORPUS, path))
    const isDecodable = await sharp(file, { failOn: 'error' })
      .stats()
      .then(() => jpeg.matches(file) && jpeg.header(bytesOf(file), 1))
      .catch(() => undefined)
    if (isDecodable && (await checkUpright(file, path))) checked += 1
  }
  assert.ok(checked > 0, `${checked} were checked`)
})
