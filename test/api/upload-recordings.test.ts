import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createAlbum, createCategory } from '../../src/media/index.ts'
import { recordings } from '../support/fixtures/corpus.ts'
import { drawQuarters, EXIF } from '../support/fixtures/imaging-pictures.ts'
import { animation, bmp, svg } from '../support/fixtures/upload-kinds.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import {
  onSiteOf,
  type Part,
  picture,
  type Sending,
  set,
  type TestTenant,
  upload,
} from '../support/uploads.ts'

interface Recording {
  name: string
  request: {
    method: string
    url: string
    headers?: Record<string, string>
    fields?: Record<string, string>
    form?: Record<string, string>
    file?: (string | { p: string; name?: string; field?: string })[]
  }
  status: number
  body: any
}

/** Taken there, refused here: the contract wants a clear error, or knows no such address. By code. */
const refusedHere: Record<string, number> = {
  ...numbered(
    140,
    'format_TXT format_xml param_nsfw_2 param_nsfw_yes param_width_0 param_width_200_7 param_width_abc',
  ),
  ...numbered(
    140,
    'param_expiration_0 param_expiration_10 param_expiration_300 param_expiration_99999999999',
  ),
  ...numbered(140, 'param_expiration_P10Y param_expiration_P7D param_expiration_PT1M param_expiration_XYZ'),
  ...numbered(140, 'param_expiration__1 param_expiration_p1d param_category_unknown src_two_files'),
  ...numbered(
    403,
    'param_album_foreign param_album_garbage param_album_unknown user_album_foreign user_album_unknown',
  ),
  ...numbered(403, 'earliest_title_desc_params'),
  ...numbered(150, 'urlfix_get urlfix_loopback urlfix_png urlfix_query urlfix_self'),
  ...numbered(404, 'route_extra_segment'),
  ...numbered(610, 'kind_truncated_jpg earliest_truncated_jpg'),
}

/** Refused there, taken here: other kinds, other base64, GET, names of any length, keys in a header. */
const takenHere = new Set(
  `get_slash_base64 earliest_get_base64 src_base64_datauri src_base64_nopad src_base64_urlsafe src_image_file_field
  kind_tiff kind_png_typed_video param_width_4000 name_long earliest_avif earliest_bmp earliest_header_key`.split(
    /\s+/,
  ),
)

/** Another code than there. */
const otherCode: Record<string, number> = {
  ...numbered(612, 'kind_pdf kind_text kind_text_named_jpg src_base64_of_text earliest_text'),
  ...numbered(614, 'kind_svg'),
  ...numbered(610, 'earliest_truncated_png'),
  ...numbered(130, 'earliest_empty'),
  ...numbered(140, 'param_category_text param_width__5 format_TXT_error_src format_xml_error_src'),
  ...numbered(
    150,
    'src_url_disabled get_slash_url_disabled user_url_enabled urlfix_refused urlfix_unresolvable',
  ),
  ...numbered(150, 'earliest_url_loopback'),
  ...numbered(120, 'src_url_ftp urlfix_ftp'),
  ...numbered(404, 'route_no_action route_no_version'),
  ...numbered(405, 'method_put method_delete'),
}

/** What was recorded in a state that other tests make, with a file that was not kept, or with a video. */
const isElsewhere = ({ name, body }: Recording) =>
  /maintenance|uploads_off|_dup_(second|resized|exif)|dup_2|flood|limit|too_big|disabled_|no_site_key|private|mp4|mov|webm/.test(
    name,
  ) ||
  /method_(options|head)|plus_as_space|json_body|src_array|guest_key/.test(name) ||
  (body?.image ?? body?.data)?.type === 'video'

const recorded = readdirSync(recordings)
  .filter((file) => file.endsWith('.json'))
  .map(
    (file): Recording => ({
      ...JSON.parse(readFileSync(new URL(file, recordings), 'utf8')),
      name: file.slice(0, -5),
    }),
  )
  .filter(({ request }) => /^\/api/.test(request?.url ?? ''))
  .filter((recording) => !isElsewhere(recording))

describe('what the original answered, and what is answered here:', () => {
  let app: TestApp
  let cats: TestTenant
  let own: { album: string; category: number }
  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    await set(app, cats, { public_key: 'a-public-key-of-the-site' })
    own = await onSiteOf(app, cats, async (site) => ({
      album: (await createAlbum(site, { username: 'ada', title: 'Mine', privacy: 'public' })).id,
      category: (await createCategory(site, { name: 'Nature' })).id,
    }))
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const replay = async (recording: Recording) => upload(app, cats, await sendingOf(recording, cats, own))

  const successes = recorded.filter(({ body }) => body?.image ?? body?.data)
  for (const recording of successes.filter(({ name }) => refusedHere[name] === undefined)) {
    test(`taken: ${recording.name}`, async () => {
      const { status, json, text } = await replay(recording)
      assert.equal(status, 200, text)
      const isEarliest = recording.name.startsWith('earliest')
      const [theirs, ours] = [recording.body.data ?? recording.body.image, json.data ?? json.image]
      compareKeys(theirs, ours, isEarliest)
      for (const version of ['image', 'thumb', 'medium', 'file'])
        if (theirs[version]) compareKeys(theirs[version], ours[version], isEarliest)
      for (const [place, tag] of theirs.tags?.entries() ?? [])
        if (ours.tags[place]) compareKeys(tag, ours.tags[place], false)
      // Theirs differs by release; ours by what the file is. In third-party formats it is a plain true.
      if (!recording.body.data) assert.deepEqual(json.success, { message: 'image uploaded', code: 200 })
      assert.deepEqual(
        [json.status_code, json.status_txt],
        [recording.body.status_code, recording.body.status_txt],
      )
    })
  }

  const failures = recorded.filter(({ body }) => body?.error)
  for (const recording of failures.filter(({ name }) => !takenHere.has(name))) {
    const code = otherCode[recording.name] ?? recording.body.error.code
    test(`refused: ${recording.name}, ${code}`, async () => {
      const { json, text } = await replay(recording)
      assert.equal(json?.error?.code, code, text)
      assert.deepEqual(Object.keys(json), Object.keys(recording.body))
    })
  }

  test('what differs is what the contract says', async () => {
    for (const recording of recorded) {
      const code = refusedHere[recording.name]
      if (code !== undefined) assert.equal((await replay(recording)).json?.error?.code, code, recording.name)
      if (takenHere.has(recording.name)) assert.equal((await replay(recording)).status, 200, recording.name)
    }
    const known = new Set(recorded.map(({ name }) => name))
    const listed = [...Object.keys(refusedHere), ...takenHere, ...Object.keys(otherCode)]
    assert.deepEqual(
      listed.filter((name) => !known.has(name)),
      [],
    )
  })

  test('texts of refusals are sent with the status that they have as JSON', async () => {
    for (const recording of recorded.filter(({ name }) =>
      /^format_(txt|redirect)_error_(key|src)$/.test(name),
    )) {
      const { status, text } = await replay(recording)
      assert.deepEqual([status, text], [400, recording.body], recording.name)
    }
  })
})

function numbered(code: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, code]))
}

/** Null there or here: what is shown depends on the picture. */
const nullable = new Set([
  'title',
  'description',
  'source_md5',
  'original_exifdata',
  'category_id',
  'expiration_date_gmt',
])
/** Texts in some of theirs. */
const alwaysNumbers = new Set(['display_width', 'display_height'])
/** Added for clients of third-party formats. */
const added = new Set(['time', 'expiration'])

function compareKeys(
  theirs: Record<string, unknown>,
  ours: Record<string, unknown>,
  isEarliest: boolean,
): void {
  const ownKeys = Object.keys(ours).filter((key) => !added.has(key) && (!isEarliest || key in theirs))
  // A version that is missing there is shown as nothing but nulls here, and the other way round.
  if (ours.url === null || theirs.url === null) return
  assert.deepEqual(ownKeys.toSorted(), Object.keys(theirs).toSorted())
  for (const key of ownKeys) {
    const [their, our] = [theirs[key], ours[key]]
    if (alwaysNumbers.has(key)) assert.equal(typeof our, 'number')
    else if (nullable.has(key)) assert.ok(their === null || our === null || typeof their === typeof our, key)
    else assert.deepEqual([key, typeof our, Array.isArray(our)], [key, typeof their, Array.isArray(their)])
  }
}

async function sendingOf(
  { name, request }: Recording,
  tenant: TestTenant,
  own: { album: string; category: number },
): Promise<Sending> {
  const { method, url, headers = {}, fields = {}, form, file = [] } = request
  const base64 = (await fileOf('tiny.png')).toString('base64')
  const filled = (text: string) =>
    text.replace('<USER_KEY>', tenant.apiKey).replace('<SITE_KEY>', 'a-public-key-of-the-site')
  const value = (field: string, text: string) => {
    if (field === 'album_id' && name.endsWith('_own')) return own.album
    if (field === 'category_id' && name.endsWith('_ok')) return String(own.category)
    return /^[\w+/=-]{40}|…/.test(text) && !text.includes('<') ? spelled(name, base64) : filled(text)
  }
  const values = (texts: Record<string, string>) =>
    Object.entries(texts).map(([key, text]) => [key, value(key, text)])
  const parts: Part[] = values(fields).map(([key = '', text = '']) => ({ name: key, value: text }))
  for (const each of file) {
    const { p, name: fileName = p, field = 'source' } = typeof each === 'string' ? { p: each } : each
    parts.push({ name: field, value: await fileOf(p), fileName: fileName.replaceAll('"', '%22') })
  }
  const sent = Object.entries(headers).filter(([key]) => key.toLowerCase() !== 'content-type')
  return {
    method,
    key: null,
    headers: Object.fromEntries(sent.map(([key, text]) => [key, filled(text)])),
    path: filled(url).replace(/source=iVB[^&]*/, `source=${encodeURIComponent(base64)}`),
    ...(form ? { form: Object.fromEntries(values(form)) } : { parts }),
  }
}

function spelled(name: string, base64: string): string {
  if (name.endsWith('datauri')) return `data:image/png;base64,${base64}`
  if (name.endsWith('urlsafe')) return base64.replaceAll('+', '-').replaceAll('/', '_')
  if (name.endsWith('of_text')) return 'aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0'
  return name.endsWith('nopad') ? base64.replaceAll('=', '') : base64
}

/** Files like those that were sent. */
async function fileOf(name: string): Promise<Buffer> {
  const jpeg = await picture({ width: 800, height: 600, format: 'jpeg' })
  const png = await picture({ width: 100, height: 80 })
  if (/^text|\.pdf$/.test(name)) return Buffer.from('%PDF-1.4 hello world, this is text')
  if (name.startsWith('empty')) return Buffer.alloc(0)
  if (name.startsWith('header_only')) return jpeg.subarray(0, 20)
  if (name === 'truncated.jpg') return jpeg.subarray(0, jpeg.length / 2)
  if (name === 'truncated.png') return png.subarray(0, png.length - 20)
  if (name.startsWith('exif')) return drawQuarters(640, 480).jpeg().withExif(EXIF).toBuffer()
  if (name === 'anim.gif') return animation('gif')
  if (name === 'anim.webp') return animation('webp')
  if (name.endsWith('.svg')) return svg
  if (name.endsWith('.bmp')) return bmp(640, 480)
  const [, format] = /\.(gif|webp|avif|tiff)$/.exec(name) ?? []
  if (format) return picture({ width: 640, height: 480, format: format as 'gif' })
  return name.endsWith('.png') || name === 'png_named.jpg' ? png : jpeg
}
