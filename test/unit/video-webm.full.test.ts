import assert from 'node:assert/strict'
import { test } from 'vitest'
import { framesOf, packetsOf, rewrite, textsOf } from '../support/fixtures/video-boxes.ts'
import { moving, sound, videoOf, videos } from '../support/fixtures/videos.ts'

const location = { kind: 'webm', policy: 'strip_location' } as const
const all = { kind: 'webm', policy: 'strip_all' } as const
const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libvorbis']
const words = [...moving(), ...sound(), ...codecs, '-metadata', 'title=Hello', '-metadata', 'artist=Somebody']
const spot = ['-metadata', 'location=+12.5071-071.5/', '-metadata', 'GPS_LATITUDE=12.5071']

/** As ffmpeg writes them to a file, and as a browser sends them while it records. */
const FILMS: Record<string, string[]> = {
  'a file': ['spot.webm', ...words, ...spot],
  'a recording without lengths': ['live.webm', ...words, ...spot, '-live', '1', '-f', 'webm'],
  'tags of a track': ['track.webm', ...words, ...spot, '-metadata:s:0', 'RECORDING_LOCATION=12.5071'],
  'an index in front': ['cues.webm', ...words, ...spot, '-cues_to_front', '1'],
}

videos.describe('a WebM video', () => {
  for (const [what, [name = '', ...recipe]] of Object.entries(FILMS)) {
    test(`loses its location and nothing else: ${what}`, async () => {
      const sent = await videoOf(name, ...recipe)
      assert.match(await textsOf(sent), /12\.5071/)
      const { video } = rewrite(sent, location)
      const texts = await textsOf(video)
      assert.doesNotMatch(texts, /location|gps|12\.5/i)
      assert.ok(texts.includes('Hello') && texts.includes('Somebody'))
      assert.ok(!video.includes('12.5071') && video.length === sent.length)
      assert.equal(await packetsOf(video), await packetsOf(sent))
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.deepEqual(rewrite(video, location).result, { isUnchanged: true })
    })

    test(`loses all that describes it where that is asked for: ${what}`, async () => {
      const sent = await videoOf(name, ...recipe)
      const { video } = rewrite(sent, all)
      assert.doesNotMatch(await textsOf(video), /location|gps|12\.5|Hello|Somebody/i)
      for (const trace of ['12.5071', 'Hello', 'Somebody', 'Lavf']) assert.ok(!video.includes(trace), trace)
      assert.equal(await framesOf(video), await framesOf(sent))
      assert.deepEqual(rewrite(video, all).result, { isUnchanged: true })
    })

    test(`is stored as it came where all is kept: ${what}`, async () => {
      const sent = await videoOf(name, ...recipe)
      assert.deepEqual(rewrite(sent, { kind: 'webm', policy: 'keep' }).result, { isUnchanged: true })
    })
  }

  test('has no checksum left that would be wrong', async () => {
    const { video } = rewrite(await videoOf('spot.webm', ...words, ...spot), location)
    const path = ['-err_detect', 'crccheck+explode']
    assert.equal(await framesOf(video, ...path), await framesOf(video))
  })

  test('without a location is stored as it came', async () => {
    const sent = await videoOf('plain-words.webm', ...words)
    assert.deepEqual(rewrite(sent, location).result, { isUnchanged: true })
  })

  test('is cleaned behind a damage too, as players go on there', async () => {
    const sent = Buffer.from(await videoOf('spot.webm', ...words, ...spot))
    const tagsAt = sent.indexOf(Buffer.from('1254c367', 'hex'), sent.indexOf(Buffer.from('1f43b675', 'hex')))
    const damaged = Buffer.concat([sent.subarray(0, tagsAt), Buffer.alloc(50), sent.subarray(tagsAt)])
    assert.ok(!rewrite(damaged, location).video.includes('12.5071'))
  })
})
