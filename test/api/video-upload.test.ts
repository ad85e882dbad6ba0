import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import {
  FRAME_MAKERS,
  h264,
  keep,
  moving,
  picturesOf,
  plainMp4,
  plainWebm,
  sound,
  tagsOf,
  videoOf,
  videos,
} from '../support/fixtures/videos.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { fewInQuick } from '../support/tiers.ts'
import {
  md5Of,
  refusalOf,
  set,
  statsOf,
  storedBytes,
  type TestTenant,
  upload,
  uploaded,
} from '../support/uploads.ts'

const seconds = { timeout: 300_000 }

/** A video with sound, of four seconds; `width` does not shrink it. */
async function uploadWalk(app: TestApp, cats: TestTenant) {
  const words = [...moving({ size: '640x360', seconds: 4 }), ...sound(4), ...h264, '-c:a', 'aac']
  const file = await videoOf('walk.mp4', ...words, '-movflags', '+faststart')
  const { json } = await upload(app, cats, { file, fileName: 'A walk.mp4', fields: { width: '100' } })
  return { file, json }
}

onEachStore('an uploaded video', (store) => {
  videos.test('is answered with all that is known of it, field by field', seconds, async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { file, json } = await uploadWalk(app, cats)
    assert.equal(json.success.message, 'file uploaded')
    const { image } = json
    const { origin } = new URL(image.url)
    const folder = `${origin}/${new URL(image.url).pathname.slice(1).replace(/[^/]*$/, '')}`
    const version = (mark: string, size: number) => ({
      filename: `A-walk.${mark}.jpeg`,
      name: `A-walk.${mark}`,
      mime: 'image/jpeg',
      extension: 'jpeg',
      url: `${folder}A-walk.${mark}.jpeg`,
      size,
    })
    const expected = {
      name: 'A-walk',
      extension: 'mp4',
      size: file.length,
      width: 640,
      height: 360,
      md5: md5Of(file),
      source_md5: null,
      original_filename: 'A walk.mp4',
      original_exifdata: null,
      chain: 23,
      duration: 4,
      duration_time: '00:04',
      type: 'video',
      is_animated: 0,
      is_360: 0,
      mime: 'video/mp4',
      filename: 'A-walk.mp4',
      title: 'A walk',
      ratio: 640 / 360,
      frame: version('fr', image.frame_size),
      medium: version('md', image.medium_size),
      thumb: version('th', image.thumb_size),
      url_frame: `${folder}A-walk.fr.jpeg`,
      url_viewer: `${origin}/video/A-walk.${image.id_encoded}`,
      path_viewer: `/video/A-walk.${image.id_encoded}`,
      url_short: `${origin}/video/${image.id_encoded}`,
      display_url: image.medium.url,
      display_width: 500,
      display_height: 281,
    }
    const known = Object.fromEntries(Object.keys(expected).map((name) => [name, image[name]]))
    assert.deepEqual(known, expected)
    assert.ok(image.delete_url.startsWith(`${image.url_short}/delete/`))
  })

  videos.test(
    'is served with its frame, medium and thumb, and all of them count as storage',
    seconds,
    async () => {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const { file, json } = await uploadWalk(app, cats)
      const { image } = json
      const sizes = { frame: [640, 360], medium: [500, 281], thumb: [320, 320] }
      let storedBytesInAll = file.length
      for (const [name, size] of Object.entries(sizes)) {
        const { status, bytes, headers } = await ask(app, image[name].url)
        const { format, width, height } = await sharp(bytes).metadata()
        assert.deepEqual(
          [status, headers['content-type'], format, width, height],
          [200, 'image/jpeg', 'jpeg', ...size],
        )
        assert.deepEqual([bytes.length, bytes.length], [image[name].size, image[`${name}_size`]])
        storedBytesInAll += bytes.length
      }
      assert.equal((await statsOf(app, cats)).storage_used, storedBytesInAll)
      assert.deepEqual((await ask(app, image.url)).bytes, file)
      assert.equal((await ask(app, image.url)).headers['content-type'], 'video/mp4')
      const { status, headers, bytes } = await ask(app, image.url, { range: 'bytes=100-199' })
      assert.deepEqual([status, headers['content-range']], [206, `bytes 100-199/${file.length}`])
      assert.deepEqual(bytes, file.subarray(100, 200))
    },
  )

  videos.test('is deleted with its frame, medium and thumb', seconds, async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { image } = (await uploadWalk(app, cats)).json
    assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
    for (const url of [image.url, image.url_frame, image.thumb.url, image.url_viewer])
      assert.equal((await ask(app, url)).status, 404, url)
    assert.equal((await statsOf(app, cats)).storage_used, 0)
  })
})

videos.describe('every codec that ffmpeg has here gives a video with its frame:', () => {
  const codecs = [
    ['H.264 in MP4', 'libx264', 'mp4', ['-preset', 'ultrafast', '-pix_fmt', 'yuv420p'], 'video/mp4'],
    ['H.264 in MOV', 'libx264', 'mov', ['-preset', 'ultrafast', '-pix_fmt', 'yuv420p'], 'video/quicktime'],
    [
      'HEVC in MP4',
      'libx265',
      'mp4',
      ['-preset', 'ultrafast', '-tag:v', 'hvc1', '-pix_fmt', 'yuv420p'],
      'video/mp4',
    ],
    [
      'HEVC of ten bits in MOV',
      'libx265',
      'mov',
      ['-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'],
      'video/quicktime',
    ],
    ['VP8 in WebM', 'libvpx', 'webm', ['-deadline', 'realtime', '-cpu-used', '8'], 'video/webm'],
    ['VP9 in WebM', 'libvpx-vp9', 'webm', ['-deadline', 'realtime', '-cpu-used', '8'], 'video/webm'],
    ['VP9 in MP4', 'libvpx-vp9', 'mp4', ['-deadline', 'realtime', '-cpu-used', '8'], 'video/mp4'],
    ['AV1 in MP4', 'libsvtav1', 'mp4', ['-preset', '12', '-pix_fmt', 'yuv420p'], 'video/mp4'],
    ['AV1 in WebM', 'libsvtav1', 'webm', ['-preset', '12', '-pix_fmt', 'yuv420p'], 'video/webm'],
    ['MPEG-4 in MP4', 'mpeg4', 'mp4', [], 'video/mp4'],
    ['ProRes in MOV', 'prores_ks', 'mov', [], 'video/quicktime'],
    ['Motion JPEG in MOV', 'mjpeg', 'mov', ['-pix_fmt', 'yuvj420p'], 'video/quicktime'],
  ] as const
  for (const [name, encoder, extension, words, mime] of fewInQuick(codecs, 3)) {
    test(name, seconds, async () => {
      await using app = await startTestApp()
      const file = await videoOf(`${encoder}.${extension}`, ...moving(), '-c:v', encoder, ...words)
      const image = await uploaded(app, await app.tenant('cats'), { file, fileName: 'sent.bin' })
      assert.deepEqual(
        [image.extension, image.mime, image.width, image.height, image.duration, image.chain],
        [extension, mime, 320, 240, 2, 21],
      )
      assert.deepEqual(
        [image.medium, image.medium_size, image.display_url],
        [{ filename: null, name: null, mime: null, extension: null, url: null }, 0, image.url_frame],
      )
      const { bytes } = await ask(app, image.url_frame)
      assert.ok(
        (await sharp(bytes).stats()).channels.every(({ stdev }) => stdev > 20),
        'something is to be seen',
      )
    })
  }
})

for (const { by, environment, needed } of fewInQuick(FRAME_MAKERS, 1)) {
  needed.describe(`as a viewer sees it, its frame taken ${by}:`, () => {
    const uploadOf = async (file: Buffer) => {
      await using app = await startTestApp({ environment })
      const cats = await app.tenant('cats')
      const image = await uploaded(app, cats, { file })
      const frame = await storedBytes(app, cats, image.url_frame)
      return { image, frame: frame ?? Buffer.alloc(0) }
    }
    const colourAt = async (picture: Buffer, x: number, y: number) => {
      const pixel = await sharp(picture).extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer()
      return [...pixel].map((value) => (value > 128 ? 1 : 0)).join('')
    }

    test('a video that is to be turned stands upright, and so does its frame', seconds, async () => {
      const bars =
        'color=red:size=320x120:duration=1:rate=10[a];color=blue:size=320x120:duration=1:rate=10[b];[a][b]vstack'
      const lying = await videoOf('lying.mp4', '-filter_complex', bars, ...h264)
      const upright = await uploadOf(lying)
      assert.deepEqual([upright.image.width, upright.image.height], [320, 240])
      assert.deepEqual(
        [await colourAt(upright.frame, 160, 40), await colourAt(upright.frame, 160, 200)],
        ['100', '001'],
      )
      const path = keep('lying.mp4', lying)
      for (const [degrees, left, right] of [
        [90, '100', '001'],
        [-90, '001', '100'],
      ] as const) {
        const source = ['-display_rotation', String(degrees), '-i', path]
        const turned = await uploadOf(await videoOf(`turned${degrees}.mp4`, ...source, '-c', 'copy'))
        assert.deepEqual([turned.image.width, turned.image.height], [240, 320], String(degrees))
        const { width, height } = await sharp(turned.frame).metadata()
        assert.deepEqual([width, height], [240, 320])
        const seen = [await colourAt(turned.frame, 40, 160), await colourAt(turned.frame, 200, 160)]
        assert.deepEqual(seen, [left, right], String(degrees))
      }
    })

    test('pixels that are not square are made so', seconds, async () => {
      const wide = await videoOf('wide.mp4', ...moving(), '-vf', 'setsar=2/1', ...h264)
      const { image, frame } = await uploadOf(wide)
      const { width, height } = await sharp(frame).metadata()
      assert.deepEqual([image.width, image.height, width, height], [640, 240, 640, 240])
    })

    test('sizes may be odd, and as small as one can encode', seconds, async () => {
      for (const size of ['321x241', '17x33', '3x5']) {
        const words = [...moving({ size, seconds: 1 }), '-c:v', 'libx264', '-pix_fmt', 'yuv444p']
        const { image, frame } = await uploadOf(await videoOf(`odd${size}.mp4`, ...words))
        const { width, height } = await sharp(frame).metadata()
        assert.deepEqual(`${image.width}x${image.height} ${width}x${height}`, `${size} ${size}`)
      }
    })

    test('the frame is the one at a quarter of the duration', seconds, async () => {
      const parts = [
        ['red', 0.8],
        ['lime', 0.4],
        ['blue', 2.8],
      ] as const
      const sources = parts.map(
        ([colour, length], at) => `color=${colour}:size=64x64:rate=10:duration=${length}[p${at}]`,
      )
      const graph = `${sources.join(';')};[p0][p1][p2]concat=n=3`
      const { image, frame } = await uploadOf(await videoOf('quarter.mp4', '-filter_complex', graph, ...h264))
      assert.deepEqual([image.duration, await colourAt(frame, 32, 32)], [4, '010'])
    })

    test('a video that is over before its sound has a frame all the same', seconds, async () => {
      const words = [...moving({ seconds: 1 }), ...sound(12), ...h264, '-c:a', 'aac']
      const { image, frame } = await uploadOf(await videoOf('short.mp4', ...words))
      assert.deepEqual([image.duration, image.duration_time, image.chain], [12, '00:12', 21])
      assert.equal((await sharp(frame).metadata()).width, 320)
    })

    test('a recording without a written length lasts as long as its pictures', seconds, async () => {
      const words = [...moving({ seconds: 3 }), '-c:v', 'libvpx', '-deadline', 'realtime', '-live', '1']
      const { image } = await uploadOf(await videoOf('live.webm', ...words, '-f', 'webm'))
      assert.deepEqual([image.type, image.duration], ['video', 3])
      const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof']
      const cut = await uploadOf(
        await videoOf('pieces.mp4', ...moving({ seconds: 3 }), ...h264, '-g', '5', ...fragments),
      )
      assert.deepEqual([cut.image.type, cut.image.duration], ['video', 3])
    })
  })
}

videos.describe('what a file is comes from its bytes:', () => {
  test('a video is one whatever it is called, and a text never', seconds, async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    for (const fileName of ['video.png', 'video', 'video.txt', 'video.webm'])
      assert.equal((await uploaded(app, cats, { file: await plainMp4(), fileName })).type, 'video')
    const base64 = (await plainWebm()).toString('base64')
    const sent = await upload(app, cats, { form: { source: base64 } })
    assert.deepEqual([sent.json.image.type, sent.json.image.extension], ['video', 'webm'])

    const refused = [400, 612, 'This is not a picture or video of an accepted kind.']
    const matroska = await videoOf('video.mkv', ...moving({ seconds: 1 }), ...h264)
    const avi = await videoOf('video.avi', ...moving({ seconds: 1 }), '-c:v', 'mpeg4')
    const texts = ['Only a text.\n'.repeat(100), 'The free one\n', '    moon and mdats', 'ftypmp42'].map(
      (each) => Buffer.from(each),
    )
    for (const file of [matroska, avi, ...texts])
      assert.deepEqual(refusalOf(await upload(app, cats, { file, fileName: 'video.mp4' })), refused)
    assert.equal(
      (await upload(app, cats, { file: await plainMp4(), query: 'format=txt' })).text.slice(-4),
      '.mp4',
    )
  })

  test('a file with nothing but sound is refused', seconds, async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    const files = [
      await videoOf('sound.mp4', ...sound(), '-c:a', 'aac'),
      await videoOf('sound.webm', ...sound(), '-c:a', 'libopus'),
    ]
    const refused = [400, 610, 'The video has no pictures: there is no video track in it.']
    for (const file of files) assert.deepEqual(refusalOf(await upload(app, cats, { file })), refused)
    assert.equal((await statsOf(app, cats)).files, 0)
  })
})

videos.test('the time that the camera wrote down is the date where that is asked for', seconds, async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await set(app, cats, { timezone: 'Asia/Tokyo' })
  const at = (time: string) => ['-metadata', `creation_time=${time}`]
  const words = [...moving({ seconds: 1 }), ...h264]
  const fields = { use_file_date: '1' }
  for (const extension of ['mp4', 'mov']) {
    const file = await videoOf(`dated.${extension}`, ...words, ...at('2021-03-04T20:06:07Z'))
    const image = await uploaded(app, cats, { file, fields })
    assert.deepEqual([image.date, image.date_gmt], ['2021-03-05 05:06:07', '2021-03-04 20:06:07'])
    assert.match(image.url, /\/images\/2021\/03\/05\//)
  }
  const video = await videoOf(
    'dated.webm',
    ...moving({ seconds: 1 }),
    '-c:v',
    'libvpx',
    ...at('2021-03-04T20:06:07Z'),
  )
  assert.match((await uploaded(app, cats, { file: video, fields })).date_gmt, /^2021-03-04 20:06:07$/)
  for (const time of ['1904-01-01T00:00:00Z', '2035-01-01T00:00:00Z']) {
    const file = await videoOf(`${time.slice(0, 4)}.mp4`, ...words, ...at(time))
    assert.equal(
      (await uploaded(app, cats, { file, fields })).date_gmt.slice(0, 4),
      String(new Date().getUTCFullYear()),
    )
  }
})

videos.test(
  'a video loses its place and gets its index in front, and not a picture of it changes',
  seconds,
  async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    const place = ['-metadata', 'location=+35.6586+139.7454/', '-metadata', 'location-eng=+35.6586+139.7454/']
    for (const extension of ['mp4', 'mov']) {
      const words = [...moving(), ...sound(), ...h264, '-c:a', 'aac', ...place]
      const file = await videoOf(`located.${extension}`, ...words)
      assert.match(await tagsOf(file), /35\.65/)
      assert.ok(file.indexOf('moov') > file.indexOf('mdat'))
      const image = await uploaded(app, cats, { file })
      const stored = (await storedBytes(app, cats, image.url)) ?? Buffer.alloc(0)
      assert.deepEqual([image.md5, image.source_md5, image.size], [md5Of(stored), md5Of(file), stored.length])
      assert.doesNotMatch(await tagsOf(stored), /35\.65|location/)
      assert.ok(stored.indexOf('moov') < stored.indexOf('mdat'))
      assert.equal(await picturesOf(stored), await picturesOf(file))

      await set(app, cats, { metadata: 'keep' })
      const kept = await uploaded(app, cats, { file })
      assert.match(await tagsOf((await storedBytes(app, cats, kept.url)) ?? Buffer.alloc(0)), /35\.65/)
      await set(app, cats, { metadata: 'strip_location' })
    }
  },
)
