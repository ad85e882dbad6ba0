import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask, type Delivered } from '../support/delivered.ts'
import { heicGrid } from '../support/fixtures/imaging-heic.ts'
import { plainMp4, videos } from '../support/fixtures/videos.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

const page = await readFile(new URL('../../docs/transforms.md', import.meta.url), 'utf8')

const blocks = [...page.matchAll(/^```(\S+)(?: (.*))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', call = '', text = '']) => ({ language, call, text }),
)

const folder = '/images/2026/11/15/'

/** The files of the page, at the addresses that they have here. */
async function uploadFiles(app: TestApp, cats: TestTenant): Promise<Map<string, any>> {
  const frames = await Promise.all(
    ['#a00', '#0a0', '#00a'].map((background) =>
      sharp({ create: { width: 400, height: 300, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const files = {
    'harbour.jpg': await picture({ width: 1500, height: 1000, format: 'jpeg' }),
    'logo.png': await sharp({ create: { width: 600, height: 400, channels: 4, background: '#12345680' } })
      .png()
      .toBuffer(),
    'clip.mp4': await plainMp4(),
    'photo.heic': heicGrid(6, 4),
    'dance.gif': await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
  }
  const made = new Map<string, any>()
  for (const [fileName, file] of Object.entries(files))
    made.set(fileName, await uploaded(app, cats, { file, fileName }))
  return made
}

/** What the page says of an answer: `200 image/webp 640×427`, or `400 invalid width`. */
async function described({ status, headers, bytes, text }: Delivered, of: string): Promise<string> {
  if (status >= 400) {
    const { code, errors = [] } = JSON.parse(text)
    const parameters = errors.map(({ parameter }: { parameter: string }) => parameter)
    return [status, code, ...parameters].join(' ').trim()
  }
  const { width, height, pageHeight, pages = 1 } = await sharp(bytes, { animated: true }).metadata()
  const size = `${width}×${pageHeight ?? height}`
  return `${status} ${headers['content-type']} ${size}${of.endsWith('frames') ? ` ${pages} frames` : ''}`
}

videos.test('every example of docs/transforms.md is answered as it says', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const files = await uploadFiles(app, cats)
  const here = (text: string) =>
    text.replaceAll(/\/images\/2026\/11\/15\/([\w.]+)/g, (whole, name) => {
      const file = files.get(name)
      return file ? new URL(file.url).pathname : whole
    })
  const origin = new URL(files.get('logo.png').url).origin
  let signed: string[] = []
  let count = 0
  for (const { language, call, text } of blocks) {
    if (language === 'json' && call.startsWith('GET')) {
      const [, name = ''] = /ID of (\S+)$/.exec(call) ?? []
      const { id } = { id: files.get(name).id_encoded }
      const { json } = await ask5(app, cats, `GET files/${id}`, { key })
      const expected = JSON.parse(here(text.replaceAll('https://cats.example.com', origin)))
      assert.deepEqual({ srcset: json.srcset }, expected)
    } else if (language === 'json') {
      const answer = await ask5(app, cats, call.replace('/api/5/', ''), { key, body: JSON.parse(here(text)) })
      assert.ok(answer.status < 300, answer.text)
      signed = answer.json.urls ?? signed
    } else if (language === 'signed') {
      const lines = text.trim().split('\n')
      assert.equal(lines.length, signed.length)
      for (const [index, line] of lines.entries())
        assert.equal(await described(await ask(app, signed[index] ?? ''), line), line)
    } else {
      assert.equal(language, 'http', text)
      const [asked = '', answered = ''] = here(text).split('\n\n')
      const [first = '', ...headerLines] = asked.split('\n')
      const answer = await ask(app, origin + first.replace(/^GET /, ''), headersOf(headerLines))
      const [line = '', ...expected] = answered.trim().split('\n')
      assert.equal(await described(answer, line), line, first)
      for (const [name, value] of Object.entries(headersOf(expected))) {
        if (name === 'vary') assert.ok(String(answer.headers.vary).split(/, ?/).includes(value), first)
        else assert.equal(answer.headers[name], value, first)
      }
    }
    count += 1
  }
  assert.ok(count > 20)
})

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
      return [name.toLowerCase(), value]
    }),
  )

test('docs/transforms.md has an example of each option that needs one, and of each place of files', () => {
  for (const part of [
    'width=',
    'w=',
    'format=auto',
    'preset=',
    'fit=cover',
    'fit=pad',
    'dpr=',
    'quality=',
    'srcset',
  ])
    assert.ok(page.includes(part), part)
  assert.ok(blocks.some(({ text }) => text.includes(`${folder}clip.mp4`)))
})
