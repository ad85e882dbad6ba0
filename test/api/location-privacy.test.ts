import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { drawQuarters } from '../support/imaging-pictures.ts'
import { DIGITS, PLACE, TRACES_OF_PLACE } from '../support/location-places.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { visitAs } from '../support/pages.ts'
import { create, finishedAs } from '../support/resumable.ts'
import { uploaded } from '../support/uploads.ts'

const { test } = await needing('exiftool')
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const
const GPS = ['GPSLatitude=51.507412', 'GPSLatitudeRef=N', 'GPSLongitude=0.127856', 'GPSLongitudeRef=W']
const TEXTS = [
  ...[
    'ImageDescription',
    'UserComment',
    'Artist',
    'Copyright',
    'XPComment',
    'XPTitle',
    'Comment',
    'XMP:Description',
  ],
  ...[
    'IPTC:Caption-Abstract',
    'IPTC:Sub-location',
    'IPTC:Keywords',
    'XMP:Title',
    'PNG:Description',
    'GDALMetadata',
  ],
]

/** A picture into which exiftool has written the place wherever the format has room for it. */
async function told(format: (typeof FORMATS)[number]): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-exiftool-'))
  const path = join(folder, `told.${format}`)
  try {
    writeFileSync(path, await drawQuarters(64, 48)[format]({ effort: 1 }).toBuffer())
    const values = [...GPS, ...TEXTS.map((tag) => `${tag}=The pier at ${PLACE}`)].map((value) => `-${value}`)
    execFileSync('exiftool', ['-q', '-q', '-m', '-overwrite_original', ...values, path])
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('by every way to send a file, no coordinate that exiftool wrote is served, shown or told', async () => {
  const sources = await Promise.all(FORMATS.map(async (format) => ({ format, file: await told(format) })))
  const server = createServer((request, reply) =>
    reply.end(sources.find(({ format }) => request.url === `/told.${format}`)?.file),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await using app = await startTestApp({
      environment: { SERVICE_UPLOAD_URL_ALLOW: `127.0.0.1/32:${port}` },
    })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const isTold = (bytes: Buffer | string) =>
      TRACES_OF_PLACE.some((trace) => Buffer.from(bytes as string).includes(trace))
    const first = await uploaded(app, cats, { file: await drawQuarters(8, 8).png().toBuffer() })
    const idOf = (answer: { json: any; text: string }) => String(answer.json?.id ?? answer.json?.file?.id)
    for (const { format, file } of sources) {
      assert.ok(isTold(file), `${format} tells the place`)
      const name = `told.${format}`
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
        assert.ok(!isTold(served.bytes), `${format} by ${way}: the bytes`)
        assert.ok(!isTold(shown.text), `${format} by ${way}: ${shown.text}`)
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
