import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { drawQuarters, quartersOf } from '../support/fixtures/imaging-pictures.ts'
import { plainMp4, sound, videoOf, videos } from '../support/fixtures/videos.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { onSiteOf, picture, set, upload, uploaded } from '../support/uploads.ts'

type Format = 'jpeg' | 'png' | 'webp'

/** A file, what is asked for, and the picture that comes; and the colour in its middle, where that may be wrong. */
interface OddCase {
  name: string
  make: () => Promise<Buffer> | Buffer
  query: string
  expected: [Format, width: number, height: number]
  middle?: readonly [red: number, green: number, blue: number, alpha?: number]
}

const drawing = (attributes: string, inside = '<rect width="40" height="20" fill="#e61e1e"/>') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`)

type Colour = string | { r: number; g: number; b: number; alpha: number }

const red = [230, 30, 30] as const
const blueGround = '&background=0000ff'

const flat = (channels: 3 | 4, background: Colour, width = 40, height = 20) =>
  sharp({ create: { width, height, channels, background } })
const clearRed = { r: 230, g: 30, b: 30, alpha: 0 }

/** A GIF of 4 × 4 pixels of its first colour, which is transparent. */
const clearGif = Buffer.concat([
  Buffer.from('GIF89a\x04\0\x04\0\x80\0\0\xe6\x1e\x1e\0\0\0', 'latin1'),
  Buffer.from('!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x04\0\x04\0\0\x02\x04\x84\x8f\x09\x05\0;', 'latin1'),
])

/** A JPEG in CMYK with a colour profile for something else. */
async function cmykWith(profile: Buffer): Promise<Buffer> {
  const jpeg = await flat(3, '#e61e1e').toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
  const head = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(head.length + 2)
  const bare = await withoutProfile(jpeg)
  return Buffer.concat([bare.subarray(0, 2), Buffer.from([0xff, 0xe2]), length, head, bare.subarray(2)])
}

/** Without its APP2 segments. */
function withoutProfile(jpeg: Buffer): Buffer {
  const kept = [jpeg.subarray(0, 2)]
  let at = 2
  while (jpeg[at + 1] !== 0xda) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    if (jpeg[at + 1] !== 0xe2) kept.push(jpeg.subarray(at, end))
    at = end
  }
  return Buffer.concat([...kept, jpeg.subarray(at)])
}

const profileOf = async (name: 'p3' | 'srgb') => {
  const { icc } = await sharp(await flat(3, '#123').withIccProfile(name).jpeg().toBuffer()).metadata()
  assert.ok(icc)
  return icc
}

const cases: OddCase[] = [
  {
    name: 'SVG with sides in percent',
    make: () => drawing('width="100%" height="100%" viewBox="0 0 40 20"'),
    query: 'width=20&format=png',
    expected: ['png', 20, 10],
    middle: red,
  },
  {
    name: 'SVG with half a width',
    make: () => drawing('width="50%" viewBox="0 0 40 20"'),
    query: 'width=10&format=webp',
    expected: ['webp', 10, 5],
    middle: red,
  },
  {
    name: 'SVG with sides in millimetres',
    make: () => drawing('width="40mm" height="20mm" viewBox="0 0 40 20"'),
    query: 'width=76&format=png',
    expected: ['png', 76, 38],
    middle: red,
  },
  {
    name: 'SVG of a pixel and a half',
    make: () => drawing('width="1.5" height="0.75" viewBox="0 0 40 20"'),
    query: 'width=640&format=png',
    expected: ['png', 2, 1],
  },
  {
    name: 'one column',
    make: () => flat(3, '#e61e1e', 1, 3000).png().toBuffer(),
    query: 'width=640&format=webp',
    expected: ['webp', 1, 3000],
    middle: red,
  },
  {
    name: 'one column, made lower',
    make: () => flat(3, '#e61e1e', 1, 3000).png().toBuffer(),
    query: 'height=10&format=png',
    expected: ['png', 1, 10],
    middle: red,
  },
  {
    name: 'one row',
    make: () => flat(3, '#e61e1e', 3000, 1).png().toBuffer(),
    query: 'width=100&format=png',
    expected: ['png', 100, 1],
    middle: red,
  },
  {
    name: 'one row that covers',
    make: () => flat(3, '#e61e1e', 3000, 1).png().toBuffer(),
    query: 'width=100&height=100&fit=cover&format=png',
    expected: ['png', 1, 1],
    middle: red,
  },
  {
    name: 'one column in a padded box',
    make: () => flat(3, '#e61e1e', 1, 3000).png().toBuffer(),
    query: `width=21&height=21&fit=pad&format=png${blueGround}`,
    expected: ['png', 21, 21],
  },
  {
    name: 'one pixel',
    make: () => flat(3, '#e61e1e', 1, 1).png().toBuffer(),
    query: 'width=1&height=4096&fit=cover&format=png',
    expected: ['png', 1, 1],
    middle: red,
  },
  {
    name: 'PNG of 16 bits with transparency',
    make: () => flat(4, clearRed).toColourspace('rgb16').png().toBuffer(),
    query: 'width=20&format=png',
    expected: ['png', 20, 10],
    middle: [0, 0, 0, 0],
  },
  {
    name: 'PNG of 16 bits with transparency, on a ground',
    make: () => flat(4, clearRed).toColourspace('rgb16').png().toBuffer(),
    query: `width=20&format=png${blueGround}`,
    expected: ['png', 20, 10],
    middle: [0, 0, 255],
  },
  {
    name: 'grey PNG with transparency, on a ground',
    make: () => flat(4, clearRed).toColourspace('b-w').png().toBuffer(),
    query: `width=20&format=jpeg&quality=100${blueGround}`,
    expected: ['jpeg', 20, 10],
    middle: [0, 0, 254],
  },
  {
    name: 'grey PNG of 16 bits, with transparency',
    make: () => flat(4, clearRed).toColourspace('grey16').png().toBuffer(),
    query: `width=20&format=png${blueGround}`,
    expected: ['png', 20, 10],
    middle: [0, 0, 255],
  },
  {
    name: 'grey JPEG in a padded box',
    make: () => flat(3, '#e61e1e').toColourspace('b-w').jpeg().toBuffer(),
    query: `width=100&height=20&fit=pad&position=left&format=png${blueGround}`,
    expected: ['png', 100, 20],
    middle: [0, 0, 255],
  },
  {
    name: 'palette PNG with transparency',
    make: () => flat(4, clearRed).png({ palette: true }).toBuffer(),
    query: `width=20&format=png${blueGround}`,
    expected: ['png', 20, 10],
    middle: [0, 0, 255],
  },
  {
    name: 'palette GIF with transparency',
    make: () => clearGif,
    query: 'width=4&format=png',
    expected: ['png', 4, 4],
    middle: [0, 0, 0, 0],
  },
  {
    name: 'palette GIF with transparency, on a ground',
    make: () => clearGif,
    query: `width=4&format=png${blueGround}`,
    expected: ['png', 4, 4],
    middle: [0, 0, 255],
  },
  {
    name: 'palette GIF with transparency, for who reads JPEG',
    make: () => clearGif,
    query: 'width=4&format=auto',
    expected: ['png', 4, 4],
    middle: [0, 0, 0, 0],
  },
  {
    name: 'CMYK with a profile of RGB',
    make: async () => cmykWith(await profileOf('p3')),
    query: 'width=20&format=png',
    expected: ['png', 20, 10],
  },
  {
    name: 'CMYK with a profile that is none',
    make: () => cmykWith(Buffer.from('no profile at all')),
    query: 'width=20&format=png',
    expected: ['png', 20, 10],
  },
  {
    name: 'CMYK as the file is',
    make: () => cmykWith(Buffer.alloc(200)),
    query: 'width=20&format=origin',
    expected: ['jpeg', 20, 10],
  },
  {
    name: 'a small file, asked for as wide as can be',
    make: () => picture(),
    query: 'width=4096&format=webp',
    expected: ['webp', 40, 30],
  },
  {
    name: 'a small file, three times as wide as can be without',
    make: () => picture(),
    query: 'width=1365&dpr=3&format=png',
    expected: ['png', 40, 30],
  },
  {
    name: 'a ratio with two decimals',
    make: () => picture({ width: 400, height: 300 }),
    query: 'width=100&dpr=1.01&format=png',
    expected: ['png', 101, 76],
  },
]

test('odd files come as they should', { timeout: 300_000 }, async () => {
  await using app = await startTestApp({ environment: { SERVICE_RATE_READS: '0' } })
  const cats = await app.tenant('cats')
  await set(app, cats, { enable_svg: '1', duplicates: 'allow' })
  const key = await keyOf(app, cats, 'write')
  for (const { name, make, query, expected, middle } of cases) {
    const sent = await upload(app, cats, { file: await make() })
    assert.equal(sent.status, 200, `${name}: ${sent.text}`)
    const { json, text } = await ask5(app, cats, 'POST sign', {
      key,
      body: { urls: [`${sent.json.image.url}?${query}`] },
    })
    assert.ok(json.urls, `${name}: ${text}`)
    const { status, headers, bytes } = await ask(app, json.urls[0])
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], name)
    const { format, width, height, space, depth } = await sharp(bytes).metadata()
    assert.deepEqual([format, width, height, space, depth], [...expected, 'srgb', 'uchar'], name)
    if (!middle) continue
    const { data } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    const at = ((height >> 1) * width + (width >> 1)) * 4
    const [r = 0, g = 0, b = 0, alpha = 255] = middle
    if (alpha === 0) assert.equal(data[at + 3], 0, name)
    else
      for (const [index, part] of [r, g, b, alpha].entries())
        assert.ok(
          Math.abs((data[at + index] ?? 0) - part) < 12,
          `${name}: ${data.subarray(at, at + 4).join()}`,
        )
  }
  const { url } = await uploaded(app, cats, { file: await picture({ seed: 9 }) })
  for (const ratio of ['1.005', '0.99', '3.01', '01', '1.', '1e0', '+1'])
    assert.equal((await ask(app, `${url}?width=20&dpr=${encodeURIComponent(ratio)}`)).status, 400, ratio)
})

test('positions are those of the upright picture, in every orientation', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const file = await drawQuarters(300, 200, orientation).withMetadata({ orientation }).jpeg().toBuffer()
    const { url } = await uploaded(app, cats, { file, fileName: `o${orientation}.jpg` })
    const size = 'width=40&height=100&fit=cover&format=png'
    const urls = ['left', 'right'].map((position) => `${url}?${size}&position=${position}`)
    const { json } = await ask5(app, cats, 'POST sign', { key, body: { urls } })
    const seen = []
    for (const address of json.urls) seen.push(await quartersOf((await ask(app, address)).bytes))
    assert.deepEqual(
      seen,
      [
        [0, 0, 2, 2],
        [1, 1, 3, 3],
      ],
      `orientation ${orientation}`,
    )
  }
})

videos.test('a video without a frame is sent as ever, and one with a frame as a picture', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await plainMp4()
  const { url } = await uploaded(app, cats, { file, fileName: 'a.mp4' })
  const shown = await ask(app, `${url}?width=320`, { accept: 'image/webp' })
  assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/webp'])
  const onlySound = await videoOf('sound.mp4', ...sound(), '-c:a', 'aac')
  const refused = await upload(app, cats, { file: onlySound, fileName: 'b.mp4' })
  assert.ok(refused.status >= 400 && refused.status < 500, refused.text)

  await onSiteOf(app, cats, async ({ db }) => {
    const { id, variants } = await db.selectFrom('file').select(['id', 'variants']).executeTakeFirstOrThrow()
    const { variants: all, ...column } = JSON.parse(variants)
    const others = all.filter(({ variant }: { variant: string }) => variant !== 'frame')
    const changed = JSON.stringify({ ...column, variants: others })
    await db.updateTable('file').set({ variants: changed }).where('id', '=', id).execute()
  })
  const whole = await ask(app, `${url}?width=320`)
  assert.deepEqual([whole.headers['content-type'], whole.bytes.equals(file)], ['video/mp4', true])
})
