import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { writeTiff } from '../../src/formats/metadata/exif/tiff-writer.ts'
import { heicWith } from '../support/fixtures/imaging-heic.ts'
import {
  drawQuarters,
  jpegSegment,
  startTestImaging,
  type TestImaging,
} from '../support/fixtures/imaging-pictures.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const MOST_RSS_KILOBYTES = 400_000
const HUGE = 60_000

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
  return it.imaging.warmUp()
})
afterAll(() => it[Symbol.asyncDispose]())

const small = () => drawQuarters(64, 48)

/** The file with a number written over some of its bytes. */
function patched(file: Buffer, at: number, write: (place: Buffer) => void): Buffer {
  const copy = Buffer.from(file)
  write(copy.subarray(at))
  return copy
}

const hugeInto = (width: 2 | 4, isLittle: boolean) => (place: Buffer) => {
  for (const at of [0, width]) {
    if (isLittle) place.writeUIntLE(HUGE, at, width)
    else place.writeUIntBE(HUGE, at, width)
  }
}

async function hugePng(): Promise<Buffer> {
  const file = patched(await small().png().toBuffer(), 16, hugeInto(4, false))
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29)
  return file
}

async function hugeTiff(): Promise<Buffer> {
  const file = await small().tiff({ compression: 'none' }).toBuffer()
  const directory = file.readUInt32LE(4)
  for (const index of [0, 1, 2, 3]) {
    const row = directory + 2 + index * 12
    const isSize = [0x100, 0x101].includes(file.readUInt16LE(row))
    if (isSize) file.writeUInt16LE(HUGE, row + 8)
  }
  return file
}

function hugeBmp(): Buffer {
  const file = Buffer.alloc(60)
  file.write('BM')
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  hugeInto(4, true)(file.subarray(18))
  file.writeUInt16LE(24, 28)
  return file
}

/** One pixel in each of its many frames. */
function endlessGif(frames: number): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  const frame = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1')
  return Buffer.concat([head, ...Array(frames).fill(frame), Buffer.from(';')])
}

function endlessTiff(pages: number): Buffer {
  const page = Buffer.alloc(30)
  page.writeUInt16LE(2, 0)
  for (const [index, tag] of [0x100, 0x101].entries()) {
    page.writeUInt16LE(tag, 2 + index * 12)
    page.writeUInt16LE(3, 4 + index * 12)
    page.writeUInt32LE(1, 6 + index * 12)
    page.writeUInt16LE(1, 10 + index * 12)
  }
  const file = Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), ...Array(pages).fill(page)])
  for (let index = 0; index < pages - 1; index++)
    file.writeUInt32LE(8 + (index + 1) * 30, 8 + index * 30 + 26)
  return file
}

const BOMBS = {
  jpeg: async () => {
    const file = await small().jpeg().toBuffer()
    return patched(file, file.indexOf(Buffer.from([0xff, 0xc0])) + 5, hugeInto(2, false))
  },
  png: hugePng,
  gif: async () => patched(await small().gif().toBuffer(), 6, hugeInto(2, true)),
  webp: async () => {
    const canvas = Buffer.from(
      'RIFF\x26\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x3f\0\xff\x3f\0VP8L\x08\0\0\0\0\0\0\0\0\0\0\0',
      'latin1',
    )
    return canvas
  },
  avif: async () => {
    const file = await small().avif({ effort: 0 }).toBuffer()
    return patched(file, file.indexOf('ispe') + 8, hugeInto(4, false))
  },
  heic: async () => heicWith([], HUGE),
  bmp: async () => hugeBmp(),
  tiff: hugeTiff,
  svg: async () => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${HUGE}" height="${HUGE}"/>`),
}

describe('a header that claims too many pixels is refused before anything is decoded:', () => {
  for (const [name, make] of Object.entries(BOMBS)) {
    test(name, async () => {
      const bomb = await make()
      using watch = startStopwatch()
      await assert.rejects(it.examine(bomb, { allowSvg: true }), { kind: 'invalid', code: 'too-many-pixels' })
      assert.ok(watch.ms() < 3000)
    })
  }

  test('and the refusal names the limit and the number', async () => {
    const message = 'The picture has 3600000000 pixels in all its frames, the limit is 100000000.'
    await assert.rejects(it.examine(await hugePng()), { message })
  })

  test('a limit of 0 is none', async () => {
    const seen = await it.examine(await small().png().toBuffer(), { maxPixels: 0 })
    assert.equal(seen.width, 64)
  })
})

describe('what unfolds without end is refused, or read without its excess:', () => {
  const zeros = deflateSync(Buffer.alloc(200_000_000), { level: 1 })
  const withChunk = async (type: string, data: Buffer) => {
    const file = await small().png().toBuffer()
    return Buffer.concat([file.subarray(0, 33), writeChunk(type, data), file.subarray(33)])
  }
  const entity = (level: number) => `<!ENTITY e${level} "${`&e${level - 1};`.repeat(10)}">`
  const laughs = `<!DOCTYPE svg [<!ENTITY e0 "ha">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(entity).join('')}]>`

  const cases: Record<string, () => Promise<Buffer>> = {
    'a GIF of 100,000 frames': async () => endlessGif(100_000),
    'a TIFF of 65,535 pages': async () => endlessTiff(65_535),
    'a TIFF whose pages go round in circles': async () => {
      const file = endlessTiff(3)
      file.writeUInt32LE(8, file.length - 4)
      return file
    },
    'a PNG with 200 MB of text': () => withChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), zeros])),
    'a PNG with 200 MB of raw profile': () =>
      withChunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), zeros])),
    'a PNG with 200 MB of XMP': () =>
      withChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), zeros])),
    'a PNG with 200 MB of colour profile': () =>
      withChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), zeros])),
    'a drawing of nested entities': async () =>
      Buffer.from(
        `${laughs}<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e9;</text></svg>`,
      ),
    'Exif with a value of four billion bytes': async () => {
      const value = Buffer.alloc(8)
      const exif = writeTiff([
        { tag: 0x010e, type: 2, count: 0xffffffff, value },
        { tag: 0x9286, type: 5, count: 0x1fffffff, value },
      ])
      const file = await small().jpeg().toBuffer()
      const block = jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]))
      return Buffer.concat([file.subarray(0, 2), block, file.subarray(2)])
    },
    'XMP of a million openings': async () => {
      const file = await small().png().toBuffer()
      const text = Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${'<exif:GPSLatitude>'.repeat(200_000)}`)
      return Buffer.concat([file.subarray(0, 33), writeChunk('iTXt', text), file.subarray(33)])
    },
  }
  for (const [name, make] of Object.entries(cases)) {
    test(name, async () => {
      const bomb = await make()
      using watch = startStopwatch()
      const outcome = await it.examine(bomb, { allowSvg: true }).then(
        () => 'examined',
        (refusal) => refusal.code,
      )
      assert.ok(
        ['examined', 'not-decodable', 'too-many-frames', 'too-many-pixels'].includes(outcome),
        outcome,
      )
      if (name.includes('GIF') || name.includes('pages')) assert.notEqual(outcome, 'examined')
      assert.ok(watch.ms() < 5000)
    })
  }
})

test('after all these the child has never needed much memory', () => {
  for (const pid of it.imaging.pids) {
    const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    assert.ok(Number(peak) < MOST_RSS_KILOBYTES, `${peak} kB`)
  }
})

describe('a file that is cut off is refused:', () => {
  const animated = async (format: 'gif' | 'webp') => {
    const stills = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 90, height: 60, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    return sharp(stills, { join: { animated: true } })
      [format]()
      .toBuffer()
  }
  const wide = () => drawQuarters(700, 300)
  const files: Record<string, () => Promise<Buffer>> = {
    jpeg: () => wide().jpeg().toBuffer(),
    'progressive jpeg': () => wide().jpeg({ progressive: true }).toBuffer(),
    png: () => wide().png().toBuffer(),
    'interlaced png': () => wide().png({ progressive: true }).toBuffer(),
    gif: () => wide().gif().toBuffer(),
    'animated gif': () => animated('gif'),
    webp: () => wide().webp().toBuffer(),
    'lossless webp': () => wide().webp({ lossless: true }).toBuffer(),
    'animated webp': () => animated('webp'),
    avif: () => wide().avif({ effort: 0 }).toBuffer(),
    heic: async () => heicWith(),
    tiff: () => wide().tiff({ compression: 'none' }).toBuffer(),
  }
  for (const [name, make] of Object.entries(files)) {
    test(name, async () => {
      const file = await make()
      const lengths = [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => Math.max(40, Math.floor(file.length * part)))
      for (const length of [
        ...lengths,
        file.length - 20,
        file.length - 4,
        file.length - 2,
        file.length - 1,
      ]) {
        const cut = it.examine(file.subarray(0, length))
        await assert.rejects(cut, { kind: 'invalid', code: 'not-decodable' }, `${length} of ${file.length}`)
      }
      assert.equal((await it.examine(file)).orientation, 1)
    })
  }
})
