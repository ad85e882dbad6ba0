import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { type Bytes, bytesOf, openBytes } from '../../src/formats/containers/bytes.ts'
import { editBuffer } from '../../src/formats/containers/edits.ts'
import { planRewrite, type RewriteOptions } from '../../src/formats/video/rewrite-video.ts'
import type { MetadataPolicy } from '../../src/imaging/kinds/kind.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { box, numbers, temporaryPath, videoArguments } from '../support/fixtures/video-boxes.ts'
import { moving, videoOf, videos } from '../support/fixtures/videos.ts'

const POLICIES: MetadataPolicy[] = ['keep', 'strip_location', 'strip_all']
const strip = { kind: 'mp4', policy: 'strip_location' } as const
const GPS = box('stsd', numbers(0, 1), box('gpmd'))
const RUNS = 1500
const TYPE = box('ftyp', 'isom', numbers(0))

/** The video as it would be written; undefined where it is refused, which is the only other way to end. */
function outcome(video: Buffer, options: RewriteOptions): Buffer | undefined {
  try {
    return editBuffer(video, planRewrite(bytesOf(video), options))
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'not-decodable', String(error))
    return undefined
  }
}

const refusal = (why: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === 'not-decodable' && why.test(String(error.cause))

describe('a forged video', () => {
  const video = (...parts: Buffer[]) => Buffer.concat([TYPE, box('moov', ...parts), box('mdat', 'x')])
  const deep = (type: string, times: number, skip = '') =>
    Array.from({ length: times }).reduce<Buffer>((inner) => box(type, skip, inner), box('free'))

  const FORGED: Record<string, { file: Buffer; why: RegExp }> = {
    'nothing at all': { file: Buffer.alloc(0), why: /no video header/ },
    'no header': { file: Buffer.concat([TYPE, box('mdat')]), why: /no video header/ },
    'a header cut off': { file: video(box('free')).subarray(0, 30), why: /beyond the end/ },
    'a header of a length beyond all files': {
      file: Buffer.concat([TYPE, numbers(1, 0x6d6f6f76, 0xffffffff, 0xffffffff), Buffer.alloc(100)]),
      why: /beyond the end/,
    },
    'a track longer than the header': {
      file: video(box('trak', numbers(1000, 0x6d646961))),
      why: /extends beyond its end/,
    },
    'tracks in tracks': { file: video(deep('trak', 1000)), why: /12 deep/ },
    'a million boxes in the header': {
      file: video(Buffer.concat(Array(1_000_000).fill(box('abcd')))),
      why: /200000 boxes/,
    },
    'a million boxes in user data': {
      file: video(box('udta', Buffer.concat(Array(1_000_000).fill(box('abcd'))))),
      why: /200000 boxes/,
    },
    'a million boxes beside the header': {
      file: Buffer.concat([video(), ...Array(1_000_000).fill(box('abcd'))]),
      why: /500000 boxes/,
    },
  }
  for (const [what, { file, why }] of Object.entries(FORGED)) {
    test(`is refused: ${what}`, () => {
      assert.throws(() => planRewrite(bytesOf(file), strip), refusal(why))
    })
  }

  test('of user data and descriptions in each other is cleaned as far as they make sense', () => {
    const nested = Array.from({ length: 2000 }).reduce<Buffer>(
      (inner) => box('udta', box('meta', numbers(0), inner)),
      box('\xa9xyz', '12.5'),
    )
    assert.equal(outcome(video(nested), strip)?.includes('12.5'), false)
  })

  test('with tables that claim more than they hold is refused', () => {
    const table = (type: string) =>
      box('trak', box('mdia', box('minf', box('stbl', box(type, numbers(0, 0xffffffff, 5))))))
    for (const type of ['stco', 'co64', 'saio']) {
      const late = Buffer.concat([TYPE, box('mdat', 'x'), box('moov', table(type))])
      assert.equal(outcome(late, { ...strip, policy: 'keep' }), undefined, type)
    }
  })

  test('whose samples are said to be enormous and everywhere costs no more than it is long', () => {
    const chunks = Array.from({ length: 50_000 }, (_, index) => 100 + (index % 7))
    const parts = [
      GPS,
      box('stsz', numbers(0, 0xffffffff, 0xffffffff)),
      box('stsc', numbers(0, 1, 1, 0xffffffff, 1)),
      box('stco', numbers(0, chunks.length), numbers(...chunks)),
    ]
    const track = box('trak', box('mdia', box('minf', box('stbl', ...parts))))
    const file = Buffer.concat([TYPE, box('mdat', Buffer.alloc(1000, 1)), box('moov', track)])
    assert.equal(outcome(file, strip)?.length, file.length)
  })

  test('in fragments whose samples are said to be enormous costs no more than it is long', () => {
    const track = box(
      'trak',
      box('tkhd', numbers(0, 0, 0, 7, 0, 0)),
      box('mdia', box('minf', box('stbl', GPS))),
    )
    const run = box('trun', numbers(1, 0xffffffff, 0))
    const fragment = box(
      'moof',
      box('traf', box('tfhd', numbers(0x20010, 7, 0xffffffff)), ...Array(1000).fill(run)),
    )
    const short = box(
      'moof',
      box('traf', box('tfhd', numbers(0x20010, 7, 10)), box('trun', numbers(1, 5, 400))),
    )
    const media = box('mdat', Buffer.alloc(1000, 1))
    // Nothing but the five samples of ten bytes that do lie in the media.
    const file = Buffer.concat([TYPE, box('moov', track), fragment, short, media])
    const ones = (bytes: Buffer) => bytes.filter((byte) => byte === 1).length
    const cleaned = outcome(file, strip)
    assert.ok(cleaned?.length === file.length)
    assert.equal(ones(cleaned), ones(file) - 50)
  })

  test('of many gigabytes is gone through without being held', () => {
    const path = temporaryPath('sparse.mp4')
    const file = openSync(path, 'w')
    const head = Buffer.concat([TYPE, box('moov', box('udta', box('\xa9xyz', '12.5')))])
    writeSync(file, Buffer.concat([head, numbers(0, 0x6d646174)]))
    ftruncateSync(file, 6_000_000_000)
    closeSync(file)
    using bytes = openBytes(path)
    rmSync(path)
    const { counted, read } = countReads(bytes)
    const edits = planRewrite(counted, strip)
    assert.deepEqual(
      edits.map(({ start, end }) => [start, end]),
      [[TYPE.length, head.length]],
    )
    assert.ok(read.bytes < 10_000, `${read.bytes} bytes were read`)
  })
})

test('rewriting half a gigabyte takes no more memory than rewriting a few bytes', async () => {
  const measured = async (sizeBytes: number) => {
    const [input, output] = [temporaryPath('late.mp4'), temporaryPath('moved.mp4')]
    const file = openSync(input, 'w')
    const head = Buffer.concat([TYPE, numbers(sizeBytes, 0x6d646174)])
    const end = Buffer.concat([box('moov', box('udta', box('\xa9xyz', '12.5'))), box('free', '12.5')])
    writeSync(file, head)
    writeSync(file, end, 0, null, TYPE.length + sizeBytes)
    closeSync(file)
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      PROGRAM,
      input,
      output,
    ])
    rmSync(input)
    rmSync(output)
    return JSON.parse(stdout) as { sizeBytes: number; rssMegabytes: number }
  }
  const small = await measured(100)
  const large = await measured(500_000_000)
  assert.equal(large.sizeBytes - small.sizeBytes, 499_999_900)
  const more = large.rssMegabytes - small.rssMegabytes
  assert.ok(more < 25, `${more} megabytes more`)
})

const PROGRAM = `
  const { rewriteVideo } = await import(${JSON.stringify(new URL('../../src/formats/video/rewrite-video.ts', import.meta.url).href)})
  const [input, output] = process.argv.slice(-2)
  const { sizeBytes } = rewriteVideo(input, output, { kind: 'mp4', policy: 'strip_location' })
  console.log(JSON.stringify({ sizeBytes, rssMegabytes: process.resourceUsage().maxRSS / 1024 }))
`

describe('a forged WebM video', () => {
  const webm = (hex: string) => Buffer.from(`1a45dfa3801853806701ffffffffffffff${hex}`, 'hex')
  const options = { kind: 'webm', policy: 'strip_all' } as const

  test('is refused where parts have no end or there are too many', () => {
    assert.throws(() => planRewrite(bytesOf(webm('1254c367ff00')), options), refusal(/of unknown size/))
    const many = webm('1254c36780'.repeat(20_000))
    assert.throws(() => planRewrite(bytesOf(many), options), refusal(/10000 parts/))
    const endless = Buffer.alloc(11_000_000, Buffer.from('ec80', 'hex'))
    assert.throws(() => planRewrite(bytesOf(endless), options), refusal(/5000000 elements/))
    const damaged = webm('001f43b67580'.repeat(2000))
    assert.throws(() => planRewrite(bytesOf(damaged), options), refusal(/1000 damaged parts/))
  })

  test('with tags in tags loses them, however deep they go', () => {
    const nested = Array.from({ length: 2000 }).reduce<Buffer>(
      (inner) => Buffer.concat([Buffer.from('67c810', 'hex'), size(inner.length), inner]),
      Buffer.concat([Buffer.from('45a388', 'hex'), Buffer.from('LOCATION')]),
    )
    const tags = Buffer.concat([Buffer.from('737310', 'hex'), size(nested.length), nested])
    const file = Buffer.concat([webm('1254c36710'), size(tags.length), tags])
    const cleaned = outcome(file, { ...options, policy: 'strip_location' })
    assert.equal(cleaned?.length, file.length)
    assert.ok(file.includes('LOCATION') && !cleaned?.includes('LOCATION'))
  })

  /** The last three bytes of a length in four. */
  function size(length: number): Buffer {
    return numbers(length).subarray(1)
  }
})

videos.describe('a damaged video', () => {
  const spot = ['-metadata', 'location=+37.3349-122.0090/', '-metadata', 'title=Hello']
  const keys = ['-movflags', 'use_metadata_tags', '-metadata', 'com.apple.quicktime.location.ISO6709=1']
  const FILMS: Record<string, { kind: RewriteOptions['kind']; words: string[] }> = {
    'damaged.mp4': { kind: 'mp4', words: [...videoArguments, ...spot] },
    'damaged.mov': { kind: 'mov', words: [...videoArguments, ...keys] },
    'fragments.mp4': {
      kind: 'mp4',
      words: [...videoArguments, ...spot, '-movflags', 'frag_keyframe+empty_moov'],
    },
    'damaged.webm': { kind: 'webm', words: [...moving(), '-c:v', 'libvpx', ...spot] },
  }

  for (const [name, { kind, words }] of Object.entries(FILMS)) {
    test(`ends in a video or a refusal, and what was cleaned is clean: ${name}`, {
      timeout: 300_000,
    }, async () => {
      const whole = await videoOf(name, ...words)
      const offsets = offsetsOf(whole)
      const damage = fc.record({
        at: fc.oneof(fc.constantFrom(...offsets), fc.nat(whole.length - 9)),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      })
      const property = fc.property(
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat(whole.length), { nil: undefined }),
        fc.constantFrom(...POLICIES),
        (damages, cut, policy) => {
          const video = Buffer.from(whole)
          for (const { at, bytes } of damages) video.set(bytes, at)
          const sent = video.subarray(0, cut)
          const once = outcome(sent, { kind, policy })
          if (once === undefined) return
          const twice = outcome(once, { kind, policy })
          assert.ok(twice?.equals(once))
        },
      )
      fc.assert(property, { numRuns: RUNS })
    })
  }

  /** Heads of boxes and elements, where damage does most. */
  function offsetsOf(whole: Buffer): number[] {
    const names = [
      'moov',
      'trak',
      'mdia',
      'minf',
      'stbl',
      'stco',
      'stsz',
      'stsc',
      'udta',
      'meta',
      'ilst',
      'keys',
      'mdat',
    ]
    const marks = [
      ...names.map((name) => Buffer.from(name)),
      Buffer.from('1254c367', 'hex'),
      Buffer.from('7373', 'hex'),
    ]
    const found = marks.map((mark) => whole.indexOf(mark)).filter((at) => at >= 4)
    return found.flatMap((at) => [at - 4, at - 1, at, at + 4, at + 8])
  }
})

function countReads(bytes: Bytes): { counted: Bytes; read: { bytes: number } } {
  const read = { bytes: 0 }
  const counted: Bytes = {
    size: bytes.size,
    read: (at, length) => {
      read.bytes += length
      return bytes.read(at, length)
    },
    readInto: (target, at) => {
      read.bytes += target.length
      bytes.readInto(target, at)
    },
  }
  return { counted, read }
}
