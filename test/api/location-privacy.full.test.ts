import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, finishedAs } from '../support/clients/resumable.ts'
import { ask } from '../support/delivered.ts'
import { drawQuarters } from '../support/fixtures/imaging-pictures.ts'
import { COORDINATE_TRACES, COORDINATES, DIGITS, LOCATION_FILES } from '../support/fixtures/location-files.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { visitAs } from '../support/pages.ts'
import { set, uploaded } from '../support/uploads.ts'

const { test } = await needing('exiftool')
const video = await needing('exiftool', 'ffmpeg', 'video libraries')
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const
const GPS = ['GPSLatitude=51.507412', 'GPSLatitudeRef=N', 'GPSLongitude=0.127856', 'GPSLongitudeRef=W']
const TEXTS = [
  'ImageDescription',
  'UserComment',
  'Artist',
  'Copyright',
  'XPComment',
  'XPTitle',
  'Comment',
  'XMP:Description',
  'IPTC:Caption-Abstract',
  'IPTC:Sub-location',
  'IPTC:Keywords',
  'XMP:Title',
  'PNG:Description',
  'GDALMetadata',
]

/** A picture into which exiftool has written the place wherever the format has room for it. */
async function locatedPicture(format: (typeof FORMATS)[number]): Promise<Buffer> {
  const drawn = await drawQuarters(64, 48)[format]({ effort: 1 }).toBuffer()
  return madeAt(`located.${format}`, (path) => {
    writeFileSync(path, drawn)
    writeTags(path, [...GPS, ...TEXTS.map((tag) => `${tag}=The pier at ${COORDINATES}`)])
  })
}

function madeAt(name: string, make: (path: string) => void): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-exiftool-'))
  try {
    make(join(folder, name))
    return readFileSync(join(folder, name))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const writeTags = (path: string, values: readonly string[]) =>
  execFileSync('exiftool', [
    '-q',
    '-q',
    '-m',
    '-overwrite_original',
    ...values.map((value) => `-${value}`),
    path,
  ])

const VIDEO_TEXTS = [
  'title',
  'comment',
  'description',
  'synopsis',
  'artist',
  'copyright',
  'keywords',
  'location',
]
const CODECS = { mp4: 'libx264', mov: 'libx264', webm: 'libvpx' } as const
const BOX_TEXTS = [
  'ItemList:Comment',
  'ItemList:Description',
  'ItemList:Title',
  'UserData:Comment',
  'UserData:Description',
  'Keys:Comment',
  'Keys:Description',
  'Keys:Title',
  'XMP:Description',
  'XMP:Subject',
]

/** As drones write them. */
const SUBTITLES = `1\n00:00:00,000 --> 00:00:00,500\nGPS (-0.127856, 51.507412, 15)\n\n2\n00:00:00,500 --> 00:00:01,000\n[latitude: 51.507412] [longitude: -0.127856]\n\n3\n00:00:01,000 --> 00:00:01,500\nHello from the pier\n`
const CHAPTERS = `;FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=The pier at ${COORDINATES}\n`

/** A video in whose texts, subtitles and chapters ffmpeg, and exiftool where it can, have written the place. */
const locatedVideo = (format: keyof typeof CODECS): Buffer =>
  madeAt(`located.${format}`, (path) => {
    const texts = VIDEO_TEXTS.flatMap((name) => [
      '-metadata',
      `${name}=The pier at ${COORDINATES}`,
      '-metadata:s:v',
      `${name}=${COORDINATES}`,
    ])
    writeFileSync(`${path}.srt`, SUBTITLES)
    writeFileSync(`${path}.txt`, CHAPTERS)
    const drawing = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:duration=2:rate=5', '-i', `${path}.srt`]
    const mapped = [...drawing, '-i', `${path}.txt`, '-map', '0', '-map', '1', '-map_chapters', '2']
    const [subtitles, flags] =
      format === 'webm' ? ['webvtt', []] : ['mov_text', ['-movflags', '+use_metadata_tags']]
    const codecs = ['-c:v', CODECS[format], '-c:s', subtitles, '-pix_fmt', 'yuv420p', ...flags]
    execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...mapped, ...codecs, ...texts, path])
    if (format === 'webm') return
    const place = `Keys:GPSCoordinates=${COORDINATES}, 0`
    writeTags(path, [place, ...BOX_TEXTS.map((tag) => `${tag}=The pier at ${COORDINATES}`)])
  })

const hasLocation = (bytes: Buffer | string): boolean =>
  COORDINATE_TRACES.some((trace) => Buffer.from(bytes as string).includes(trace))

test('by every way to send a file, no coordinate that exiftool wrote is served, shown or answered', async () => {
  const sources = await Promise.all(
    FORMATS.map(async (format) => ({ format, file: await locatedPicture(format) })),
  )
  const server = createServer((request, reply) =>
    reply.end(sources.find(({ format }) => request.url === `/located.${format}`)?.file),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await using app = await startTestApp({
      environment: { SERVICE_UPLOAD_URL_ALLOW: `127.0.0.1/32:${port}` },
    })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const first = await uploaded(app, cats, { file: await drawQuarters(8, 8).png().toBuffer() })
    const idOf = (answer: { json: any; text: string }) => String(answer.json?.id ?? answer.json?.file?.id)
    for (const { format, file } of sources) {
      assert.ok(hasLocation(file), `${format} has the location`)
      const name = `located.${format}`
      const ways: Record<string, () => Promise<string>> = {
        multipart: async () => (await uploaded(app, cats, { file, fileName: name })).id_encoded,
        base64: async () =>
          (await uploaded(app, cats, { form: { source: file.toString('base64') } })).id_encoded,
        url: async () =>
          (await uploaded(app, cats, { form: { source: `http://127.0.0.1:${port}/${name}` } })).id_encoded,
        tus: async () => {
          const metadata = { filename: name }
          const made = await create([app, cats], { key, length: file.length, metadata, bytes: file })
          const id = String(made.headers.location).replace('/api/5/uploads/', '')
          return idOf(await finishedAs([app, cats], id, key))
        },
        replace: async () => {
          const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': `image/${format}` }
          const path = `/api/5/files/${first.id_encoded}/content`
          const answer = await app.send('PUT', path, { bytes: file as any, headers })
          assert.equal(answer.status, 200, answer.text)
          return first.id_encoded
        },
      }
      for (const [way, send] of Object.entries(ways)) {
        const shown = await ask5(app, cats, `GET files/${await send()}`, { key })
        assert.equal(shown.status, 200, `${format} by ${way}: ${shown.text}`)
        const served = await ask(app, shown.json.url)
        assert.equal(served.status, 200)
        assert.ok(!hasLocation(served.bytes), `${format} by ${way}: the bytes`)
        assert.ok(!hasLocation(shown.text), `${format} by ${way}: ${shown.text}`)
      }
    }
    const ada = await visitAs(app, cats)
    const zip = await ada.send('/settings/export', { part: '1' })
    assert.equal(zip.status, 200)
    for (const digits of DIGITS) assert.ok(!zip.text.includes(digits))
  } finally {
    server.close()
  }
})

video.test('no page, list, answer, embedding or zip of a picture or video has coordinates', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await set(app, cats, { enable_svg: '1', listing: 'public' })
  const key = await keyOf(app, cats, 'write')
  const album = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip', privacy: 'public' } })
  const sources: Record<string, () => Promise<Buffer> | Buffer> = {
    'located.jpeg': () => locatedPicture('jpeg'),
    'located.png': () => locatedPicture('png'),
    'located.mp4': () => locatedVideo('mp4'),
    'located.mov': () => locatedVideo('mov'),
    'located.webm': () => locatedVideo('webm'),
    'texts.heic': LOCATION_FILES['heic: the texts of Exif'] as () => Promise<Buffer>,
    'item.heic': LOCATION_FILES['heic: an item that nobody knows'] as () => Promise<Buffer>,
    'texts.svg': LOCATION_FILES['svg: what is not drawn'] as () => Promise<Buffer>,
    'picture.svg': LOCATION_FILES['svg: a picture in it'] as () => Promise<Buffer>,
  }
  const served: Buffer[] = []
  for (const [fileName, make] of Object.entries(sources)) {
    const file = await make()
    assert.ok(hasLocation(file) || fileName === 'picture.svg', `${fileName} has the location`)
    const image = await uploaded(app, cats, { file, fileName, key, fields: { album_id: album.json.id } })
    assert.ok(!hasLocation(JSON.stringify(image)), `${fileName}: ${JSON.stringify(image)}`)
    const answer = await ask5(app, cats, `GET files/${image.id_encoded}?fields=exif`, { key })
    assert.ok(!hasLocation(answer.text), `${fileName}: ${answer.text}`)
    const bytes = await ask(app, image.url)
    served.push(bytes.bytes)
    if (fileName === 'located.webm')
      assert.ok(bytes.bytes.includes('Hello from the pier'), 'other subtitles stay')
    const page = await ask(app, image.url_viewer)
    const variants = [image.thumb, image.medium].flatMap((each) => (each?.url ? [each.url] : []))
    const embedding = `${new URL(image.url).origin}/oembed?url=${encodeURIComponent(image.url_viewer)}`
    const others = await Promise.all([...variants, embedding].map((url) => ask(app, url)))
    for (const each of [bytes, page, ...others]) {
      assert.equal(each.status, 200)
      assert.ok(!hasLocation(each.bytes), `${fileName}: ${each.headers['content-type']}`)
    }
  }
  const { origin } = new URL((await ask5(app, cats, 'GET files', { key })).json.data[0].url)
  const zip = await ask(app, `${origin}/album/${album.json.id}/zip`)
  assert.equal(zip.status, 200)
  for (const bytes of served) assert.ok(zip.bytes.includes(bytes), 'entries are stored, not packed')
  for (const address of [
    `/album/${album.json.id}`,
    '/explore',
    '/search?q=pier',
    '/api/5/files?fields=exif',
  ]) {
    const list = await ask(app, `${origin}${address}`)
    assert.equal(list.status, 200)
    assert.ok(!hasLocation(list.bytes), address)
  }
  assert.ok(!hasLocation(zip.bytes))
})
