import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import {
  box,
  framesOf,
  numbers,
  outline,
  packetsOf,
  partOf,
  rewrite,
  temporaryPath,
  textsOf,
  videoArguments,
  withInHeader,
} from '../support/fixtures/video-boxes.ts'
import { videoOf, videos } from '../support/fixtures/videos.ts'

const SPOT = '+37.3349-122.0090'
const location = ['-metadata', `location=${SPOT}+020/`, '-metadata', 'title=Hello']
const early = ['-movflags', '+faststart']
const apple = [
  '-metadata',
  `com.apple.quicktime.location.ISO6709=${SPOT}+020/`,
  '-metadata',
  'com.apple.quicktime.make=Lens',
  '-metadata',
  'com.apple.quicktime.location.name=Home',
]
const keys = ['-movflags', 'use_metadata_tags']

/** Films that tell where they were made, in each way that ffmpeg can write it. */
const FILMS: Record<string, { name: string; words: string[]; kept: string }> = {
  'MP4, header behind': { name: 'spot.mp4', words: [...videoArguments, ...location], kept: 'Hello' },
  'MP4, header in front': {
    name: 'spot.mp4',
    words: [...videoArguments, ...location, ...early],
    kept: 'Hello',
  },
  'MOV with user data': { name: 'spot.mov', words: [...videoArguments, ...location], kept: 'Hello' },
  '3GPP': { name: 'spot.3gp', words: [...videoArguments, ...location], kept: 'Hello' },
  'MOV with keys': { name: 'keys.mov', words: [...videoArguments, ...apple, ...keys], kept: 'Lens' },
  'MP4 with keys, in front': {
    name: 'keys.mp4',
    words: [...videoArguments, ...apple, '-movflags', 'use_metadata_tags+faststart'],
    kept: 'Lens',
  },
  fragments: {
    name: 'pieces.mp4',
    words: [...videoArguments, ...location, '-movflags', 'frag_keyframe+empty_moov'],
    kept: 'Hello',
  },
}

videos.describe('a video', () => {
  for (const [what, { name, words, kept }] of Object.entries(FILMS)) {
    const kind = name.endsWith('mov') ? 'mov' : 'mp4'

    test(`loses its location and nothing else: ${what}`, async () => {
      const sent = await videoOf(name, ...words)
      assert.ok((await textsOf(sent)).includes(SPOT) || sent.includes('loci'))
      const { video } = rewrite(sent, { kind, policy: 'strip_location' })
      assert.doesNotMatch(await textsOf(video), /location|37\.33/i)
      assert.ok(video.includes(kept))
      for (const trace of ['37.33', '\xa9xyz', 'loci', 'location']) {
        assert.ok(!video.includes(Buffer.from(trace, 'latin1')), trace)
      }
      assert.equal(video.length, sent.length)
      assert.equal(await packetsOf(video), await packetsOf(sent))
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.ok(partOf(video, 'mdat').equals(partOf(sent, 'mdat')))
      assert.deepEqual(rewrite(video, { kind, policy: 'strip_location' }).result, { isUnchanged: true })
    })

    test(`loses all that describes it where that is asked for: ${what}`, async () => {
      const sent = await videoOf(name, ...words)
      const { video } = rewrite(sent, { kind, policy: 'strip_all' })
      assert.doesNotMatch(await textsOf(video), /location|37\.33|Hello|Lens|creation_time/i)
      assert.ok(!video.includes(kept) && !video.includes('udta'))
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.deepEqual(rewrite(video, { kind, policy: 'strip_all' }).result, { isUnchanged: true })
    })

    test(`keeps all of it where that is asked for: ${what}`, async () => {
      const sent = await videoOf(name, ...words)
      const { video } = rewrite(sent, { kind, policy: 'keep' })
      assert.equal(await textsOf(video), await textsOf(sent))
    })
  }

  test('without a location that starts fast is stored as it came', async () => {
    const sent = await videoOf('plain.mp4', ...videoArguments, '-metadata', 'title=Hello', ...early)
    assert.deepEqual(rewrite(sent, { kind: 'mp4', policy: 'strip_location' }).result, { isUnchanged: true })
  })

  test('keeps which way is up', async () => {
    const upright = await videoOf('plain.mp4', ...videoArguments, ...early)
    const path = temporaryPath('upright.mp4')
    writeFileSync(path, upright)
    const words = ['-display_rotation', '90', '-i', path, '-c', 'copy']
    const turned = await videoOf('turned.mov', ...words)
    const { video } = rewrite(turned, { kind: 'mov', policy: 'strip_all' })
    assert.match(await textsOf(video), /rotation of/)
    assert.equal(await framesOf(video), await framesOf(turned))
    assert.notEqual(await framesOf(video), await framesOf(upright))
  })
})

const xmp = (properties: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description ${properties}/></rdf:RDF></x:xmpmeta>`
const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex')
const SPHERE = Buffer.from('ffcc8263f8554a938814587a02521fdd', 'hex')
const packet = xmp('exif:GPSLatitude="37,20.0N" dc:title="Hello"')

/** Where cameras and programs write what they know, with a word that must go and one that may stay. */
const BOXES: Record<string, { added: Buffer; gone: string; left?: string }> = {
  'user data of QuickTime': { added: box('udta', box('\xa9xyz', '\0\x12\0\0+12.5-071.5/')), gone: '+12.5' },
  'user data of QuickTime that end with zeros': {
    added: box('udta', box('\xa9xyz', '\0\x12\0\0+12.5-071.5/'), box('\xa9mak', 'Lens'), numbers(0)),
    gone: '+12.5',
    left: 'Lens',
  },
  'user data of 3GPP': { added: box('udta', box('loci', numbers(0), 'Somewhere\0')), gone: 'Somewhere' },
  'items of iTunes': {
    added: box(
      'udta',
      box(
        'meta',
        numbers(0),
        box('hdlr', numbers(0, 0), 'mdirappl', numbers(0, 0), '\0'),
        box(
          'ilst',
          box('\xa9xyz', box('data', numbers(1, 0), '+12.5/')),
          box('\xa9nam', box('data', 'Lens')),
        ),
      ),
    ),
    gone: '+12.5',
    left: 'Lens',
  },
  'items under names of their own': {
    added: box(
      'meta',
      box('hdlr', numbers(0, 0), 'mdirappl', numbers(0, 0), '\0'),
      box(
        'ilst',
        box(
          '----',
          box('mean', numbers(0), 'a'),
          box('name', numbers(0), 'GPSLatitude'),
          box('data', '12.5'),
        ),
      ),
    ),
    gone: '12.5',
  },
  'XMP in user data': { added: box('udta', box('XMP_', packet)), gone: '37,20', left: 'Hello' },
  XMP: { added: box('uuid', XMP, packet), gone: '37,20', left: 'Hello' },
  'XMP too long to be cleaned': { added: box('uuid', XMP, packet, ' '.repeat(70_000)), gone: '37,20' },
  'XMP without a location': {
    added: box('uuid', XMP, xmp('dc:title="Hello"')),
    gone: 'GPS',
    left: 'Hello',
  },
  'a box of a maker': { added: box('uuid', Buffer.alloc(16, 7), 'lat=12.5'), gone: 'lat=12.5' },
  'what makes a sphere of it': { added: box('uuid', SPHERE, 'spherical'), gone: 'GPS', left: 'spherical' },
  'data of GoPro': { added: box('udta', box('GPMF', 'DEVC12.5')), gone: 'DEVC' },
  'data of Nikon': { added: box('udta', box('NCDT', 'NCTG12.5')), gone: 'NCTG' },
  'XML of Sony': {
    added: box('meta', numbers(0), box('xml ', '<Item name="Latitude" value="12.5"/>')),
    gone: '12.5',
  },
  'XML of another kind': {
    added: box('meta', numbers(0), box('xml ', '<Lens/>')),
    gone: 'GPS',
    left: 'Lens',
  },
  'space that is not empty': { added: box('free', 'gps 12.5'), gone: '12.5' },
  'a list that lies about its size': { added: box('udta', numbers(99, 1), '+12.5'), gone: '+12.5' },
}

videos.describe('of what a camera adds', () => {
  for (const [what, { added, gone, left }] of Object.entries(BOXES)) {
    test(`location goes and the rest stays: ${what}`, async () => {
      const late = await videoOf('plain-late.mp4', ...videoArguments)
      const shown = await framesOf(late)
      const inside = withInHeader(late, added)
      for (const sent of [inside, Buffer.concat([late, added])]) {
        const { video } = rewrite(sent, { kind: 'mp4', policy: 'strip_location' })
        assert.ok(!video.includes(Buffer.from(gone, 'latin1')))
        assert.equal(video.includes(Buffer.from(left ?? 'nothing', 'latin1')), left !== undefined)
        assert.equal(await framesOf(video), shown)
        assert.equal(outline(video)[1], 'moov')
        assert.deepEqual(rewrite(video, { kind: 'mp4', policy: 'strip_location' }).result, {
          isUnchanged: true,
        })
      }
    })
  }

  test('a trailer behind the last box goes, and bytes of a video that is broken off do not', async () => {
    const front = await videoOf('plain.mp4', ...videoArguments, ...early)
    const trailer = Buffer.from('\0\0\0\x05gps +12.5 8db42d694ccc418790edff439fe026bf', 'latin1')
    const { video } = rewrite(Buffer.concat([front, trailer]), { kind: 'mp4', policy: 'strip_location' })
    assert.ok(video.equals(rewrite(front, { kind: 'mp4', policy: 'strip_location' }).video))
    const cut = front.subarray(0, front.length - 1000)
    assert.deepEqual(rewrite(cut, { kind: 'mp4', policy: 'strip_location' }).result, { isUnchanged: true })
    // Media that its own box does not count in: the header says that it is some.
    const short = Buffer.from(front)
    const mediaAt = short.indexOf('mdat', 0, 'latin1') - 4
    short.writeUInt32BE(100, mediaAt)
    const kept = rewrite(short, { kind: 'mp4', policy: 'strip_location' }).video
    assert.equal(await framesOf(kept), await framesOf(front))
  })
})
