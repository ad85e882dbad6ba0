import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { diskFault } from '../../src/storage/errors.ts'
import { animation, svg } from '../support/fixtures/upload-kinds.ts'
import { startTestApp } from '../support/harness.ts'
import {
  limit,
  picture,
  refusalOf,
  type Sending,
  set,
  statsOf,
  type TestTenant,
  upload,
} from '../support/uploads.ts'

const publicKey = 'a-public-key-of-the-site'
const app = await startTestApp()
const cats = await app.tenant('cats')
await set(app, cats, { public_key: publicKey })
afterAll(() => app[Symbol.asyncDispose]())

const jpeg = await picture({ width: 300, height: 200, format: 'jpeg' })
const png = await picture({ width: 300, height: 200 })
const form = (source: string): Sending => ({ form: { source } })
const file = (bytes: Buffer | string): Sending => ({ file: Buffer.from(bytes) })

interface Case {
  title: string
  sending: Sending
  answer: [status: number, code: number, message: string | RegExp]
  /** What the site or its operator decided before. */
  settings?: Parameters<typeof set>[2]
  limits?: Record<string, string>
  /** Sent once before. */
  before?: Sending
}

const broken = /broken or incomplete/
const cases: Case[] = [
  { title: 'no key', sending: { key: null }, answer: [400, 100, 'No key provided'] },
  { title: 'a wrong key', sending: { key: 'wrong' }, answer: [400, 100, 'Invalid API key.'] },
  {
    title: 'another version',
    sending: { path: '/api/2/upload' },
    answer: [400, 110, 'Invalid API version.'],
  },
  { title: 'another action', sending: { path: '/api/1/delete' }, answer: [400, 120, 'Invalid API action'] },
  { title: 'no source', sending: { form: { title: 'x' } }, answer: [400, 130, 'Empty upload source'] },
  { title: 'no body', sending: { method: 'GET' }, answer: [400, 130, 'Empty upload source'] },
  { title: 'an empty source', sending: form(''), answer: [400, 130, 'Empty upload source'] },
  { title: 'an empty file', sending: file(''), answer: [400, 130, 'Empty upload source'] },
  { title: 'no base64', sending: form('not*base64!!'), answer: [400, 120, 'Invalid base64 string'] },
  {
    title: 'another scheme',
    sending: form('file:///etc/passwd'),
    answer: [400, 120, 'Invalid base64 string'],
  },
  {
    title: 'a bad parameter',
    sending: { fields: { nsfw: '2' } },
    answer: [400, 140, 'nsfw: must be 0 or 1'],
  },
  {
    title: 'a URL that is refused',
    sending: form('http://127.0.0.1:1/cat.jpg'),
    answer: [400, 150, 'The URL could not be fetched.'],
  },
  {
    title: 'a URL that cannot be reached',
    sending: form('http://no-such-host.invalid/cat.jpg'),
    answer: [400, 150, 'The URL could not be fetched.'],
  },
  {
    title: 'a duplicate',
    settings: { duplicates: 'reject' },
    before: file(png),
    sending: file(png),
    answer: [400, 101, 'Duplicated upload'],
  },
  { title: 'text', sending: file('hello world, this is text'), answer: [400, 612, /not a picture/] },
  {
    title: 'text in base64',
    sending: form('aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0'),
    answer: [400, 612, /not a picture/],
  },
  {
    title: 'a PDF called a JPEG',
    sending: { ...file('%PDF-1.4\n%%EOF'), fileName: 'a.jpg' },
    answer: [400, 612, /./],
  },
  {
    title: 'SVG',
    sending: { file: svg, fileName: 'a.png' },
    answer: [400, 614, 'Files of the kind SVG are switched off.'],
  },
  { title: 'half a JPEG', sending: file(jpeg.subarray(0, jpeg.length / 2)), answer: [400, 610, broken] },
  { title: 'half a PNG', sending: file(png.subarray(0, png.length - 20)), answer: [400, 610, broken] },
  { title: 'the head of a JPEG', sending: file(jpeg.subarray(0, 20)), answer: [400, 610, broken] },
  {
    title: 'too many pixels',
    limits: { SERVICE_MAX_PIXELS: '59999' },
    sending: file(png),
    answer: [400, 610, /60000 pixels .* limit is 59999/],
  },
  {
    title: 'too many pixels in all frames',
    limits: { SERVICE_MAX_PIXELS: '7199' },
    sending: file(await animation('gif')),
    answer: [400, 610, /7200 pixels/],
  },
  {
    title: 'guests where they may not',
    settings: { enable_guest_uploads: '0', public_key: publicKey },
    sending: { key: publicKey },
    answer: [403, 403, 'Guests may not upload here.'],
  },
  {
    title: 'guests whose API is off',
    settings: { public_key: publicKey },
    limits: { SERVICE_ENABLE_API_GUEST: '0' },
    sending: { key: publicKey },
    answer: [403, 403, /./],
  },
  {
    title: 'users whose API is off',
    limits: { SERVICE_ENABLE_API_USER: '0' },
    sending: {},
    answer: [403, 403, /./],
  },
  {
    title: 'a URL where they are off',
    limits: { SERVICE_ENABLE_UPLOAD_URL: '0' },
    sending: form('https://example.com/cat.jpg'),
    answer: [403, 403, 'URL uploading is disabled'],
  },
  {
    title: 'a URL of a guest',
    settings: { public_key: publicKey },
    sending: { ...form('https://example.com/cat.jpg'), key: publicKey },
    answer: [403, 403, 'URL uploading is disabled'],
  },
  {
    title: 'a URL of a guest who may',
    settings: { public_key: publicKey, enable_guest_url_uploads: '1' },
    sending: { ...form('http://127.0.0.1:1/cat.jpg'), key: publicKey },
    answer: [400, 150, 'The URL could not be fetched.'],
  },
  { title: "another's album", sending: { fields: { album_id: 'abc' } }, answer: [403, 403, /^album_id: /] },
  {
    title: 'one file too many',
    limits: { SERVICE_MAX_FILES: '1' },
    before: {},
    sending: {},
    answer: [403, 999, 'SERVICE_MAX_FILES is reached (limit 1).'],
  },
  {
    title: 'a byte too many in all',
    limits: { SERVICE_MAX_STORAGE: '300' },
    sending: {},
    answer: [403, 999, 'SERVICE_MAX_STORAGE is reached (limit 300).'],
  },
  {
    title: 'a large file',
    settings: { max_file_size_user: '100' },
    sending: file(png),
    answer: [413, 400, 'File too big - max 100 B'],
  },
  {
    title: 'a flood',
    settings: { flood_user_hour: '1' },
    before: {},
    sending: {},
    answer: [429, 130, 'Flooding detected. You can only upload 1 files per hour'],
  },
]

let count = 0
describe('a refusal is written as JSON, as text, and in place of a redirect:', () => {
  for (const { title, sending, answer, settings, limits, before } of cases) {
    test(title, async () => {
      count += 1
      const isPlain = !settings && !limits && !before
      const tenant = isPlain ? cats : await app.tenant(`case${count}`)
      if (settings) await set(app, tenant, settings)
      if (limits) await limit(app, tenant, limits)
      if (before) assert.equal((await upload(app, tenant, before)).status, 200)
      await checkRefusal(tenant, sending, answer)
    })
  }
})

async function checkRefusal(tenant: TestTenant, sending: Sending, answer: Case['answer']) {
  const { files } = await statsOf(app, tenant)
  const [status, code, message] = answer
  const json = await upload(app, tenant, sending)
  const [gotStatus, gotCode, gotMessage] = refusalOf(json)
  assert.deepEqual([gotStatus, gotCode], [status, code], json.text)
  if (typeof message === 'string') assert.equal(gotMessage, message)
  else assert.match(String(gotMessage), message)
  assert.deepEqual(Object.keys(json.json), ['status_code', 'error', 'status_txt'])
  assert.deepEqual([json.json.status_code, json.json.error.list], [status, [gotMessage]])
  assert.equal(json.headers['access-control-allow-origin'], '*')
  if (status === 429 || status === 503) assert.match(String(json.headers['retry-after']), /^\d+$/)
  for (const format of ['txt', 'redirect']) {
    const plain = await upload(app, tenant, { ...sending, query: { format } })
    assert.deepEqual([plain.status, plain.text, plain.headers.location], [status, gotMessage, undefined])
    assert.equal(plain.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.equal((await statsOf(app, tenant)).files, files)
}

test('a format in the form is kept to as well', async () => {
  const bad: Sending[] = [
    { key: 'wrong' },
    { fields: { nsfw: '2' } },
    { file: Buffer.from('hello world, this is text') },
    { fields: { album_id: 'x' } },
  ]
  for (const sending of bad) {
    const { json } = await upload(app, cats, sending)
    const plain = await upload(app, cats, { ...sending, fields: { ...sending.fields, format: 'txt' } })
    assert.deepEqual([plain.status, plain.text], [json.status_code, json.error.message])
  }
})

test('a storage that is away is reported, and one that is full', async () => {
  const away = await app.tenant('away')
  const { storage } = app.app
  const sites = join(app.dataDir, 'sites')
  const { put } = storage
  try {
    storage.put = () =>
      Promise.reject(diskFault(Object.assign(new Error('full'), { code: 'ENOSPC', errno: -28 })))
    await checkRefusal(away, {}, [507, 104, /./])
  } finally {
    storage.put = put
  }
  const number = await numberOf(away)
  await writeFile(join(sites, number, 'files'), 'no folder')
  await checkRefusal(away, {}, [503, 900, /./])
})

const numberOf = async (tenant: TestTenant) => {
  const { openSite, readTenant } = await import('../../src/tenants/index.ts')
  await using site = await openSite(app.app.control, await readTenant(app.app.control, tenant.id))
  return String(site.number)
}

test('what is asked first is refused first', async () => {
  const guests = await app.tenant('order')
  await set(app, guests, { public_key: publicKey, enable_guest_uploads: '0', flood_user_minute: '1' })
  await limit(app, guests, { SERVICE_MAX_FILES: '2' })
  const ask = async (sending: Sending) => {
    const { status, json } = await upload(app, guests, sending)
    return status === 200 ? 'done' : json.error.code
  }
  const bad = { nsfw: '2' }
  assert.equal(await ask({ key: 'wrong', fields: { ...bad, source: '' } }), 100)
  assert.equal(await ask({ key: 'wrong', form: bad }), 100)
  assert.equal(await ask({ key: 'wrong', query: 'nsfw=1&nsfw=1' }), 100)
  assert.equal(await ask({ key: null, form: { ...bad, key: 'wrong' } }), 100)
  assert.equal(await ask({ key: publicKey, form: bad }), 403)
  assert.equal(await ask({ key: null, form: { ...bad, key: publicKey } }), 403)
  assert.equal(await ask({ form: bad }), 140)
  assert.equal(await ask({ form: {} }), 130)
  assert.equal(await ask({}), 'done')
  assert.equal(await ask({ fields: bad }), 140)
  assert.equal(await ask({ form: {} }), 130)
  const text = Buffer.from('hello world, this is text')
  assert.equal(await ask({ file: text }), 130)
  await set(app, guests, { flood_user_minute: '0', max_file_size_user: '100' })
  assert.equal(await ask({ file: Buffer.concat([text, text, text, text, text]) }), 400)
  await limit(app, guests, { SERVICE_MAX_FILES: '1' })
  assert.equal(await ask({ file: text }), 612)
  assert.equal(await ask({ file: jpeg.subarray(0, 90) }), 610)
  await set(app, guests, { max_file_size_user: '1M' })
  assert.equal(await ask({}), 999)
})

test('a source that cannot be taken is refused after the key and the parameters of its form, and in its format', async () => {
  const empty = { file: Buffer.alloc(0) }
  const ask = async (sending: Sending) => refusalOf(await upload(app, cats, sending))
  assert.equal((await ask({ key: null, form: { source: 'x*y', key: 'wrong' } }))[1], 100)
  assert.equal((await ask({ ...empty, key: null, fields: { key: 'wrong' } }))[1], 100)
  assert.equal((await ask({ form: { source: 'x*y', nsfw: '2' } }))[1], 140)
  assert.equal((await ask({ ...empty, fields: { nsfw: '2' } }))[1], 140)
  assert.deepEqual(await ask({ form: { source: 'x*y', format: 'txt' } }), [400, 'Invalid base64 string'])
  assert.deepEqual(await ask({ ...empty, later: { format: 'redirect' } }), [400, 'Empty upload source'])
})

test('an image that cannot be taken does not matter where a source is sent too', async () => {
  const source = (await picture()).toString('base64')
  for (const form of [
    { image: 'x*y', source },
    { source, image: 'x*y' },
  ])
    assert.equal((await upload(app, cats, { form })).status, 200)
})

test('where SVG is on, it is taken', async () => {
  const drawn = await app.tenant('drawn')
  await set(app, drawn, { enable_svg: '1' })
  const { json } = await upload(app, drawn, { file: svg, fileName: 'a.png' })
  assert.deepEqual([json.image.extension, json.image.mime, json.image.width], ['svg', 'image/svg+xml', 640])
  assert.deepEqual([json.image.thumb.mime, json.image.medium.mime], ['image/webp', 'image/webp'])
})

test('addresses and methods', async () => {
  const source = (await picture()).toString('base64')
  const ask = async (sending: Sending) => (await upload(app, cats, sending)).status
  for (const path of [
    '/api/1/upload',
    '/api/1/upload/',
    '//api//1///upload',
    '/1/upload',
    '/1//upload',
    '/1/upload/',
  ])
    assert.deepEqual(
      [await ask({ path }), await ask({ path, method: 'GET', query: { source } })],
      [200, 200],
      path,
    )
  assert.equal(await ask({ path: '/api/1/upload/', query: { key: cats.apiKey }, key: null }), 200)
  assert.equal(await ask({ path: '/api/1/nothing/here' }), 404)
  for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await upload(app, cats, { method, form: {} })
    assert.equal(status, 405, method)
    assert.match(String(headers.allow), /GET.*POST/)
  }
  const head = await app.send(
    'HEAD',
    `/api/1/upload?key=${cats.apiKey}&source=${encodeURIComponent(source)}`,
    {
      headers: { host: cats.hostname },
    },
  )
  assert.equal(head.status, 405)
})
