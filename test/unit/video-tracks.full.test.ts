import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import {
  box,
  framesOf,
  numbers,
  packetsOf,
  partOf,
  rewrite,
  temporaryPath,
  textsOf,
  videoArguments,
} from '../support/fixtures/video-boxes.ts'
import { programmed, videoOf, videos } from '../support/fixtures/videos.ts'

const SPOT = 'lat 12.5071 long 71.5012. '
const strip = { kind: 'mov', policy: 'strip_location' } as const

// A track without a duration would make the video as short as itself.
const words = videoArguments.filter((word) => word !== '-shortest')
const inputs = words.slice(0, words.indexOf('-c:v'))
const codecs = words.slice(words.indexOf('-c:v'))

/** A video with a track of GoPro's, as its camera would write it: its samples say where it was. */
async function recorded(...options: string[]): Promise<Buffer> {
  const path = temporaryPath('positions.bin')
  writeFileSync(path, SPOT.repeat(300))
  const data = [
    '-f',
    'data',
    '-i',
    path,
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    '-c:d',
    'copy',
    '-tag:d',
    'gpmd',
  ]
  return videoOf('recorded.mov', ...inputs, ...data, ...codecs, ...options)
}

/** The video with its record under another name; they are of the same length. */
function renamed(video: Buffer, format: string, handler: string): Buffer {
  const copy = Buffer.from(video)
  const at = copy.lastIndexOf('gpmd', copy.length, 'latin1')
  copy.write(format, at, 'latin1')
  copy.write(handler, copy.lastIndexOf('mhlr', at, 'latin1') + 4, 'latin1')
  return copy
}

videos.describe('a track that records positions', () => {
  for (const [what, front] of [
    ['behind', []],
    ['in front', ['-movflags', '+faststart']],
  ] as const) {
    test(`goes with its samples, and the video stays: header ${what}`, async () => {
      const sent = await recorded(...front)
      assert.match(await textsOf(sent), /tagged gpmd/)
      const { video } = rewrite(sent, strip)
      assert.doesNotMatch(await textsOf(video), /gpmd/)
      assert.ok(sent.includes('12.5071') && !video.includes('12.5071') && !video.includes('gpmd'))
      assert.equal(video.length, sent.length)
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.deepEqual(rewrite(video, strip).result, { isUnchanged: true })
      // Nothing but its samples has changed in the media.
      const blank = '\0'.repeat(SPOT.length)
      const media = partOf(sent, 'mdat').toString('latin1').replaceAll(SPOT, blank)
      assert.ok(Buffer.from(media, 'latin1').equals(partOf(video, 'mdat')))
    })
  }

  for (const [what, flags] of [
    ['of today', 'frag_keyframe+empty_moov+default_base_moof'],
    ['with offsets in the file', 'frag_keyframe+empty_moov'],
    ['one after the other', 'frag_keyframe+empty_moov+omit_tfhd_offset'],
  ] as const) {
    test(`says nothing more where the video is in fragments ${what}`, async () => {
      const sent = await recorded('-movflags', flags, '-g', '5', '-frag_duration', '500000')
      assert.ok(sent.includes('12.5071') && sent.includes('moof'))
      const { video } = rewrite(sent, strip)
      assert.ok(!video.includes('12.5071'))
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.deepEqual(rewrite(video, strip).result, { isUnchanged: true })
    })
  }

  test('stays where all is kept', async () => {
    const sent = await recorded('-movflags', '+faststart')
    assert.deepEqual(rewrite(sent, { kind: 'mov', policy: 'keep' }).result, { isUnchanged: true })
  })

  for (const format of ['camm', 'rtmd', 'djmd', 'mett']) {
    test(`is known by its format or as metadata: ${format}`, async () => {
      const { video } = rewrite(renamed(await recorded(), format, 'meta'), strip)
      assert.ok(!video.includes('12.5071') && !video.includes(format))
    })
  }

  test("of Apple's goes when it names a location, and stays with other things in it", async () => {
    const other = renamed(await recorded('-movflags', '+faststart'), 'mebx', 'meta')
    assert.deepEqual(rewrite(other, strip).result, { isUnchanged: true })
    assert.ok(!rewrite(other, { kind: 'mov', policy: 'strip_all' }).video.includes('12.5071'))
    const named = renamed(await recorded(), 'mebx', 'meta')
    const at = named.lastIndexOf('mebx', named.length, 'latin1')
    // The sample description gets a name in it; nothing in the file moves, as it stands at the end.
    const grown = grow(named, at - 4, Buffer.from('com.apple.quicktime.location.ISO6709'))
    assert.ok(!rewrite(grown, strip).video.includes('12.5071'))
  })

  programmed.test(
    'may be subtitles, which go when they show coordinates and stay when they only talk',
    async () => {
      for (const [text, isGone] of [
        ['GPS (12.5071, 71.5012, 15)', true],
        ['[latitude: 12.5071] [longitude: 71.5012]', true],
        ['Latitude and GPS explained, part 2.5', false],
      ] as const) {
        const path = temporaryPath('texts.srt')
        writeFileSync(path, `1\n00:00:00,000 --> 00:00:01,000\n${text}\n`)
        const texts = ['-i', path, '-map', '0', '-map', '1', '-map', '2', '-c:s', 'mov_text']
        const sent = await videoOf('texts.mov', ...inputs, ...texts, ...codecs)
        const { video } = rewrite(sent, strip)
        assert.ok(sent.includes(text))
        assert.equal(video.includes(text), !isGone, text)
        assert.equal(await framesOf(video), await framesOf(sent))
        if (!isGone) assert.equal(await packetsOf(video), await packetsOf(sent))
      }
    },
  )
})

videos.test('blocks that a dashboard camera hides between the samples are emptied', async () => {
  const late = await videoOf('plain.mov', ...videoArguments)
  const media = partOf(late, 'mdat')
  const mediaAt = late.indexOf(media)
  const block = box('free', 'GPS ', '12.5071 71.5012')
  // Behind the samples, where they do not move.
  const grown = box('mdat', media.subarray(8), block)
  const blockAt = mediaAt + media.length
  const list = box('gps ', numbers(0, 2, blockAt, block.length, mediaAt + 20, 500))
  const header = box('moov', partOf(late, 'moov').subarray(8), list)
  const sent = Buffer.concat([late.subarray(0, mediaAt), grown, header])
  const { video } = rewrite(sent, strip)
  assert.ok(sent.includes('12.5071') && !video.includes('12.5071'))
  assert.equal(await framesOf(video), await framesOf(late))
  assert.deepEqual(rewrite(video, strip).result, { isUnchanged: true })
})

/** The header with more at the end of the box at a offset, and every box around it as much longer. */
function grow(video: Buffer, at: number, added: Buffer): Buffer {
  const copy = Buffer.from(video)
  const end = at + copy.readUInt32BE(at)
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'mebx']) {
    const start = copy.lastIndexOf(type, type === 'mebx' ? at + 4 : at, 'latin1') - 4
    copy.writeUInt32BE(copy.readUInt32BE(start) + added.length, start)
  }
  return Buffer.concat([copy.subarray(0, end), added, copy.subarray(end)])
}
