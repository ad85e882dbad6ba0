import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  BOUNDARY,
  JSON_TYPE,
  MULTIPART,
  multipart,
  startReader,
  type UploadRequest,
  URLENCODED,
  wireOf,
} from '../support/clients/upload-reading.ts'

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** All ways to send these parameters. */
const ways = (pairs: [string, string][]): Record<string, UploadRequest> => ({
  query: { method: 'GET', path: `/?${new URLSearchParams(pairs)}` },
  form: { type: URLENCODED, body: String(new URLSearchParams(pairs)) },
  json: {
    type: JSON_TYPE,
    body: `{${pairs.map((pair) => pair.map((text) => JSON.stringify(text)).join(':'))}}`,
  },
  multipart: {
    type: MULTIPART,
    body: multipart(...pairs.map(([name, text]): [string, string] => [`name="${name}"`, text])),
  },
})

describe('the largest file is taken, and one byte more is not, in', () => {
  const requests: Record<string, (bytes: Buffer) => UploadRequest> = {
    'a file part': (bytes) => ({ type: MULTIPART, body: multipart(['name="source"; filename="a"', bytes]) }),
    'a text part': (bytes) => ({
      type: MULTIPART,
      body: multipart(['name="source"', bytes.toString('base64')]),
    }),
    'a form': (bytes) => ({ type: URLENCODED, body: form({ image: bytes.toString('base64') }) }),
    JSON: (bytes) => ({
      type: JSON_TYPE,
      body: JSON.stringify({ source: bytes.toString('base64') }).replaceAll('/', '\\/'),
    }),
  }
  for (const [title, requestOf] of Object.entries(requests)) {
    test(title, async () => {
      for (const maxBytes of [1, 2, 3, 1000, 131_072, 500_000]) {
        await using reader = await startReader({ maxBytes })
        // White pictures are all slashes in base64, which take the most room when they are escaped.
        for (const fill of [0x00, 0xff]) {
          assert.equal((await reader.send(requestOf(Buffer.alloc(maxBytes, fill)))).sizeBytes, maxBytes)
          const { refused, kind } = await reader.send(requestOf(Buffer.alloc(maxBytes + 1, fill)))
          assert.match(refused ?? '', /^file-too-big: File too big - max [0-9.]+ (B|KB)$/)
          assert.equal(kind, 'too-large')
        }
        assert.deepEqual(await reader.left(), [])
      }
    })
  }
})

test('the limit is written as people read it', async () => {
  await using reader = await startReader({ maxBytes: 10_000_000 })
  const body = multipart(['name="source"; filename="a"', Buffer.alloc(10_000_001)])
  assert.equal(
    (await reader.send({ type: MULTIPART, body })).refused,
    'file-too-big: File too big - max 10 MB',
  )
})

test('a file that is too large is refused before the rest of it is read', async () => {
  await using reader = await startReader({ maxBytes: 1000 })
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="source"; filename="a"\r\n\r\n`
  for (const [type, start] of [
    [MULTIPART, head],
    [URLENCODED, 'source='],
    [JSON_TYPE, '{"source":"'],
  ] as const) {
    for (const headers of [{ 'content-length': '400000' }, { 'transfer-encoding': 'chunked' }] as Record<
      string,
      string
    >[]) {
      const outcome = reader.nextOutcome()
      const socket = await reader.dial()
      const sent = start + 'A'.repeat(2000)
      socket.write(wireOf({ type, headers }))
      socket.write('content-length' in headers ? sent : `${sent.length.toString(16)}\r\n${sent}\r\n`)
      assert.match((await outcome).refused ?? '', /^file-too-big/)
      socket.destroy()
    }
  }
})

test('a body that no such file needs is refused by its length alone, or where it gets too long', async () => {
  await using reader = await startReader({ maxBytes: 1000 })
  const outcome = reader.nextOutcome()
  const socket = await reader.dial()
  socket.write(wireOf({ type: MULTIPART, headers: { 'content-length': '1001501' } }))
  assert.equal((await outcome).refused, 'file-too-big: File too big - max 1 KB')
  socket.destroy()

  const junk = Buffer.alloc(1_100_000, ' ')
  for (const [type, before, after] of [
    [JSON_TYPE, '{', '}'],
    [MULTIPART, '', `--${BOUNDARY}--`],
    [JSON_TYPE, '{"source":"', '"}'],
  ] as const) {
    const waiting = reader.nextOutcome()
    const sender = await reader.dial()
    const body = Buffer.concat([Buffer.from(before), junk, Buffer.from(after)])
    sender.write(wireOf({ type, headers: { 'transfer-encoding': 'chunked' } }))
    sender.write(
      Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
    )
    assert.equal((await waiting).refused, 'file-too-big: File too big - max 1 KB')
    sender.destroy()
  }
})

test('a parameter given twice in one place is refused by name', async () => {
  await using reader = await startReader()
  for (const pairs of [
    [
      ['key', 'a'],
      ['key', 'b'],
    ],
    [
      ['key', 'a'],
      ['title', 't'],
      ['key', 'a'],
    ],
    [
      ['key', ''],
      ['key', 'b'],
    ],
  ] as [string, string][][])
    for (const [way, request] of Object.entries(ways(pairs)))
      assert.equal((await reader.send(request)).refused, 'bad-parameter: key: is given twice', way)
})

test('the body wins over the query', async () => {
  await using reader = await startReader()
  const path = '/?key=query&title=query&tags=query'
  for (const [way, request] of Object.entries(
    ways([
      ['key', 'body'],
      ['title', ''],
      ['nsfw', '1'],
    ]),
  )) {
    if (way === 'query') continue
    const { parameters } = await reader.send({ ...request, path })
    assert.deepEqual(parameters, { key: 'body', title: 'query', tags: 'query', nsfw: '1' })
  }
})

test('a value may have 65,536 bytes', async () => {
  await using reader = await startReader()
  for (const [way, request] of Object.entries(ways([['description', 'ä'.repeat(32_768)]])))
    if (way !== 'query')
      assert.equal((await reader.send(request)).parameters?.description, 'ä'.repeat(32_768), way)
  for (const [way, request] of Object.entries(ways([['description', `${'ä'.repeat(32_768)}x`]])))
    if (way !== 'query')
      assert.equal(
        (await reader.send(request)).refused,
        'bad-parameter: description: is longer than 65536 bytes',
        way,
      )
})

test('there may be 64 parameters', async () => {
  await using reader = await startReader()
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, index): [string, string] => [`p${index}`, 'x'])
  for (const [way, request] of Object.entries(ways(pairs(64)))) {
    const { parameters = {} } = await reader.send(request)
    assert.equal(Object.keys(parameters).length, 64, way)
  }
  for (const [way, request] of Object.entries(ways(pairs(65))))
    assert.equal((await reader.send(request)).refused, 'bad-form: There are more than 64 parameters.', way)
})

test('a body of nothing but empty pairs is not read for long', async () => {
  await using reader = await startReader({ maxBytes: 10_000_000 })
  const refused = 'bad-form: There are more than 64 parameters.'
  for (const body of ['&', '=&', '=x&'].map((pair) => pair.repeat(1_000_000)))
    assert.equal((await reader.send({ type: URLENCODED, body })).refused, refused)
  const body = `{${'"":1,'.repeat(1_000_000)}"":1}`
  assert.equal((await reader.send({ type: JSON_TYPE, body })).refused, refused)
  const images = { path: '/?source=QUJD', type: URLENCODED, body: 'image=&image=' }
  assert.equal((await reader.send(images)).refused, 'bad-parameter: image: is given twice')
})

test('names that mean something to objects are names like any other', async () => {
  await using reader = await startReader()
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__[a]']
  for (const [way, request] of Object.entries(ways(names.map((name) => [name, 'x'])))) {
    const { parameters = {} } = await reader.send(request)
    assert.deepEqual(Object.keys(parameters).sort(), names.toSorted(), way)
  }
  assert.equal(({} as Record<string, unknown>).a, undefined)
})

test('JSON says what a form can say', async () => {
  await using reader = await startReader()
  const send = (body: string | Buffer) => reader.send({ type: JSON_TYPE, body })
  const { parameters } = await send(
    ' {"a" : 1,\r\n"b":-0.5e+3 , "c":true,"d":false,"e":null,"f":"","g":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\udc08ä🐈","h":12345678901234567890}\t',
  )
  assert.deepEqual(parameters, {
    a: '1',
    b: '-0.5e+3',
    c: '1',
    d: '0',
    g: '"\\/\b\f\n\r\täää🐈🐈'.replace('äää', 'ä🐈ä').replace('🐈🐈', '🐈'),
    h: '12345678901234567890',
  })
  for (const nested of ['{"tags":["a"]}', '{"key":"k","tags":{}}', '{"tags":[[[['])
    assert.equal((await send(nested)).refused, 'bad-parameter: tags: must be a text, a number or a boolean')
  for (const bad of [
    '[]',
    '"x"',
    '1',
    'null',
    '{',
    '}',
    '{}{}',
    '{}x',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{"a":1',
    '{"a":"',
    '{"a":"x"',
    '{a:1}',
    "{'a':1}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":NaN}',
    '{"a":tru}',
    '{"a":True}',
    '{"a":truefalse}',
    '{"a":-}',
    '{"a":1.2.3}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\ud800"}',
    '{"a":"\\ud800x"}',
    '{"a":"\\udc00"}',
    '{"a":"\\ud800\\ud800"}',
    '{"a":"\\ud800\\n"}',
    '{"a":"b\nc"}',
    '\ufeff{}',
    '/**/{}',
    `{"a":${'1'.repeat(2000)}}`,
  ])
    assert.match((await send(bad)).refused ?? '', /^bad-form: The body /, bad)
})

test('what is not UTF-8 or not escaped well is refused by name', async () => {
  await using reader = await startReader()
  const [c4, zz] = [Buffer.from([0xc4]), 'is not valid percent-encoding']
  for (const [type, body, refused] of [
    [URLENCODED, 'title=%C4', 'bad-parameter: title: is not valid UTF-8'],
    [URLENCODED, Buffer.concat([Buffer.from('title='), c4]), 'bad-parameter: title: is not valid UTF-8'],
    [URLENCODED, 'title=%zz', `bad-parameter: title: ${zz}`],
    [URLENCODED, 'title=100%', `bad-parameter: title: ${zz}`],
    [URLENCODED, 'title=%4&a=b', `bad-parameter: title: ${zz}`],
    [URLENCODED, 'source=%4&a=b', `bad-parameter: source: ${zz}`],
    [URLENCODED, 'ti%=b', `bad-form: The name of a parameter ${zz}.`],
    [URLENCODED, '%ff=b', 'bad-form: The name of a parameter is not valid UTF-8.'],
    [URLENCODED, 'x'.repeat(1025), 'bad-form: The name of a parameter is longer than 1024 bytes.'],
    [
      JSON_TYPE,
      Buffer.concat([Buffer.from('{"title":"'), c4, Buffer.from('"}')]),
      'bad-parameter: title: is not valid UTF-8',
    ],
    [
      JSON_TYPE,
      Buffer.concat([Buffer.from('{"'), c4, Buffer.from('":1}')]),
      'bad-form: The name of a parameter is not valid UTF-8.',
    ],
    [MULTIPART, multipart(['name="title"', c4]), 'bad-parameter: title: is not valid UTF-8'],
  ] as const)
    assert.equal((await reader.send({ type, body })).refused, refused)
})
