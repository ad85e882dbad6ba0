import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, test } from 'vitest'
import { readQueryParameters } from '../../src/http/uploads/parameters.ts'
import {
  JSON_TYPE,
  MULTIPART,
  multipart,
  startReader,
  type UploadRequest,
  URLENCODED,
  wireOf,
} from '../support/clients/upload-reading.ts'

const cat = randomBytes(100_000)
const base64 = cat.toString('base64')
const lines = (text: string, end: string) => text.replaceAll(/.{76}/g, `$&${end}`)
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** Every way to send the same file with the same parameters. */
const spellings: Record<string, UploadRequest & { name?: string }> = {
  'a file part': {
    type: MULTIPART,
    body: multipart(
      ['name="key"', 'k'],
      ['name="title"', 'Ä cat'],
      ['name="source"; filename="cat.jpg"', cat, 'image/jpeg'],
    ),
    name: 'cat.jpg',
  },
  'a file part before its parameters': {
    type: MULTIPART,
    body: multipart(
      ['name="source"; filename="cat.jpg"', cat, 'image/jpeg'],
      ['name="title"', 'Ä cat'],
      ['name="key"', 'k'],
    ),
    name: 'cat.jpg',
  },
  'a part with the type of a file alone': {
    type: MULTIPART,
    body: multipart(
      ['name="source"', cat, 'application/octet-stream'],
      ['name="title"', 'Ä cat'],
      ['name="key"', 'k'],
    ),
  },
  'a text part': {
    type: MULTIPART,
    body: multipart(
      ['name="source"', base64],
      ['name="title"', 'Ä cat'],
      ['name="key"', 'k', 'text/plain; charset=utf-8'],
    ),
  },
  'a text part with a content type': {
    type: MULTIPART,
    body: multipart(
      ['name="source"', lines(base64, '\r\n'), 'text/plain'],
      ['name="title"', 'Ä cat'],
      ['name="key"', 'k'],
    ),
  },
  'a form': { type: URLENCODED, body: form({ key: 'k', source: base64, title: 'Ä cat' }) },
  'a form with a charset': {
    type: `${URLENCODED}; charset=UTF-8`,
    body: form({ key: 'k', source: base64, title: 'Ä cat' }),
  },
  'a form that leaves + as it is': { type: URLENCODED, body: `key=k&title=%c3%84+cat&source=${base64}` },
  'a form in lines': {
    type: URLENCODED,
    body: form({ source: lines(base64, '\r\n'), key: 'k', title: 'Ä cat' }),
  },
  'a form without padding, url-safe': {
    type: URLENCODED,
    body: form({ source: cat.toString('base64url'), key: 'k', title: 'Ä cat' }),
  },
  'a data URI': {
    type: URLENCODED,
    body: form({ source: `data:image/jpeg;base64,${base64}`, key: 'k', title: 'Ä cat' }),
  },
  'an escaped data URI': {
    type: JSON_TYPE,
    body: JSON.stringify({
      source: `data:image/jpeg;base64,${encodeURIComponent(base64)}`,
      key: 'k',
      title: 'Ä cat',
    }),
  },
  JSON: { type: JSON_TYPE, body: JSON.stringify({ key: 'k', source: base64, title: 'Ä cat' }) },
  'JSON with escapes': {
    type: `${JSON_TYPE}; charset=utf-8`,
    body: JSON.stringify({ title: 'Ä cat', source: lines(base64, '\n'), key: 'k' })
      .replaceAll('/', '\\/')
      .replace('Ä', '\\u00c4'),
  },
  'parameters in the query': {
    path: '/api/1/upload?key=k&title=%C3%84%20cat',
    type: MULTIPART,
    body: multipart(['name="source"; filename="cat.jpg"', cat]),
    name: 'cat.jpg',
  },
}

describe('the same comes out of', () => {
  for (const [title, { name, ...request }] of Object.entries(spellings)) {
    test(title, async () => {
      await using reader = await startReader()
      const { bytes, folder, ...outcome } = await reader.send(request)

      assert.deepEqual(outcome, {
        parameters: { key: 'k', title: 'Ä cat' },
        sourceField: 'source',
        sizeBytes: cat.length,
        name,
        md5: createHash('md5').update(cat).digest('hex'),
      })
      assert.deepEqual(bytes, cat)
      assert.deepEqual(await reader.left(), [])
    })
  }
})

test('each upload has a folder that other accounts cannot read', async () => {
  await using reader = await startReader()
  reader.server.removeAllListeners('request')
  reader.server.on('request', async (request, response) => {
    const { readUpload } = await import('../../src/http/uploads/read-upload.ts')
    const form = await readUpload(request, { spoolFolder: reader.spoolFolder, maxBytes: 1e6 })
    assert.ok(form.source && 'path' in form.source)
    const { mode } = await stat(form.spool.folder)
    const isInside = dirname(form.source.path) === form.spool.folder
    await form[Symbol.asyncDispose]()
    response.end(JSON.stringify({ mode: mode & 0o777, isInside, left: await reader.left() }))
  })

  const answer = await fetch(`http://127.0.0.1:${reader.port}/`, {
    method: 'POST',
    body: new URLSearchParams({ source: base64 }),
  })
  assert.deepEqual(await answer.json(), { mode: 0o700, isInside: true, left: [] })
})

test('a body may come in chunks, and after a go-ahead', async () => {
  await using reader = await startReader()
  const body = multipart(['name="source"; filename="cat.jpg"', cat], ['name="key"', 'k'])
  const headers = { expect: '100-continue', 'transfer-encoding': 'chunked' }
  const outcome = reader.nextOutcome()
  const socket = await reader.dial()
  socket.write(wireOf({ type: MULTIPART, headers }))
  const [goAhead] = await once(socket, 'data')
  assert.match(String(goAhead), /^HTTP\/1\.1 100 Continue/)
  for (let at = 0; at < body.length; at += 1999) {
    const chunk = body.subarray(at, at + 1999)
    socket.write(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]))
  }
  socket.write('0\r\n\r\n')

  const { bytes, parameters } = await outcome
  assert.deepEqual(bytes, cat)
  assert.deepEqual(parameters, { key: 'k' })
})

test('what fetch and its FormData send is read', async () => {
  await using reader = await startReader()
  const outcome = reader.nextOutcome()
  const body = new FormData()
  body.set('source', new File([cat], 'a "quoted" kätzchen 猫.jpg', { type: 'image/jpeg' }))
  body.set('title', 'line\nbreak')
  await fetch(`http://127.0.0.1:${reader.port}/`, { method: 'POST', body })

  const { bytes, name, parameters } = await outcome
  assert.deepEqual(bytes, cat)
  assert.equal(name, 'a "quoted" kätzchen 猫.jpg')
  assert.deepEqual(parameters, { title: 'line\r\nbreak' })
})

test('a request needs no body, and then no content type', async () => {
  await using reader = await startReader()
  for (const request of [
    { method: 'GET' },
    { method: 'POST' },
    { method: 'POST', body: '' },
    { method: 'GET', type: MULTIPART },
    { type: JSON_TYPE, body: '' },
    { type: MULTIPART, body: '' },
  ]) {
    const { folder, ...outcome } = await reader.send({ ...request, path: '/?key=k' })
    assert.deepEqual(outcome, { parameters: { key: 'k' }, sourceField: undefined })
  }
  const outcome = reader.nextOutcome()
  const socket = await reader.dial()
  socket.write(`${wireOf({ headers: { 'transfer-encoding': 'chunked' }, type: 'image/png' })}0\r\n\r\n`)
  assert.deepEqual((await outcome).parameters, {})
})

test('a body of another type is refused', async () => {
  await using reader = await startReader()
  for (const type of [
    undefined,
    'text/plain',
    'image/jpeg',
    'application/jsonp',
    'multipart/mixed; boundary=b',
    '',
  ]) {
    const outcome = await reader.send({ body: 'x', ...(type === undefined ? {} : { type }) })
    assert.match(outcome.refused ?? '', /^wrong-content-type: The body must be one of multipart\/form-data, /)
  }
  const zipped = await reader.send({ type: JSON_TYPE, body: 'x', headers: { 'content-encoding': 'gzip' } })
  assert.equal(zipped.refused, 'wrong-content-type: The body must not be compressed.')
})

test('a GET may have a body too', async () => {
  await using reader = await startReader()
  const { bytes } = await reader.send({ method: 'GET', type: URLENCODED, body: form({ source: base64 }) })
  assert.deepEqual(bytes, cat)
})

test('the query is known before the body is read', () => {
  const parameters = readQueryParameters(
    '/api/1/upload?key=a%2Bb&&title=x+y&empty=&=z&flag&u=%F0%9F%90%88#key=c',
  )
  assert.deepEqual(
    [...parameters],
    [
      ['key', 'a+b'],
      ['title', 'x y'],
      ['u', '🐈'],
    ],
  )
  assert.deepEqual([...readQueryParameters('/api/1/upload')], [])
  assert.deepEqual([...readQueryParameters('/?source=http://x.test/?a')], [['source', 'http://x.test/?a']])
})
