import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  BOUNDARY,
  JSON_TYPE,
  MULTIPART,
  multipart,
  type Part,
  readPieces,
  URLENCODED,
} from '../support/clients/upload-reading.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terrace-splits-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Sent {
  bytes: Buffer
  fileName: string
  parameters: Record<string, string>
}

const unquotable = /[\p{C}"\\/]|%22/u
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const plainText = text.filter((each) => !unquotable.test(each))
const sent: fc.Arbitrary<Sent> = fc.record({
  bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fileName: plainText.filter((name) => !['', '.', '..'].includes(name)),
  parameters: fc
    .array(
      fc.tuple(
        plainText.filter((name) => !['', 'source', 'image'].includes(name)),
        fc.oneof(text, fc.string({ unit: anyCharacter, maxLength: 20 })),
      ),
      { maxLength: 5 },
    )
    .map((pairs) => Object.assign(Object.create(null), Object.fromEntries(pairs))),
})
const cuts = fc.array(fc.nat(), { maxLength: 12 })

/** In every encoding: the type and the body. */
const encodings: Record<string, (sent: Sent) => { type: string; body: Buffer; name?: string }> = {
  'a file part': ({ bytes, fileName, parameters }) => ({
    type: MULTIPART,
    body: multipart([`name="source"; filename="${fileName}"`, bytes], ...partsOf(parameters)),
    name: fileName,
  }),
  'a text part': ({ bytes, parameters }) => ({
    type: MULTIPART,
    body: multipart(...partsOf(parameters), ['name="source"', bytes.toString('base64')]),
  }),
  'a form': ({ bytes, parameters }) => ({
    type: URLENCODED,
    body: Buffer.from(String(new URLSearchParams({ ...parameters, source: bytes.toString('base64') }))),
  }),
  'a form that escapes little': ({ bytes, parameters }) => ({
    type: URLENCODED,
    body: Buffer.from(
      Object.entries({ source: bytes.toString('base64'), ...parameters })
        .map((pair) => pair.map((each) => each.replaceAll(/[%&=+]/g, encodeURIComponent)).join('='))
        .join('&')
        .replaceAll('%2B', (plus) => plus.toLowerCase()),
    ),
  }),
  'a data URI in a form': ({ bytes, parameters }) => ({
    type: URLENCODED,
    body: Buffer.from(
      String(
        new URLSearchParams({
          ...parameters,
          source: `data:image/png;base64,${encodeURIComponent(bytes.toString('base64'))}`,
        }),
      ),
    ),
  }),
  JSON: ({ bytes, parameters }) => ({
    type: JSON_TYPE,
    body: Buffer.from(JSON.stringify({ ...parameters, source: bytes.toString('base64url') })),
  }),
  'JSON, all escaped': ({ bytes, parameters }) => ({
    type: JSON_TYPE,
    body: Buffer.from(
      JSON.stringify({ source: bytes.toString('base64'), ...parameters }, undefined, 1).replaceAll(
        /\\u[0-9a-f]{4}|[^\0-\x7f]|(?<=\w)[a-f](?=\w)/g,
        (each) => (each.startsWith('\\') ? each : each.split('').map(escaped).join('')),
      ),
    ),
  }),
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

function partsOf(parameters: Record<string, string>): Part[] {
  return Object.entries(parameters).map(([name, value]) => [`name="${name}"`, value])
}

function split(body: Buffer, at: number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % body.length))].sort((one, other) => one - other)
  return [0, ...places]
    .map((from, index) => body.subarray(from, places[index] ?? body.length))
    .filter((piece) => piece.length > 0)
}

describe('whatever is sent, and wherever it is cut, comes out as it was:', () => {
  for (const [title, encode] of Object.entries(encodings)) {
    test(title, async () => {
      await fc.assert(
        fc.asyncProperty(sent, cuts, async (each, places) => {
          const { type, body, name } = encode(each)
          const { bytes, ...outcome } = await readPieces(folder, type, split(body, places))
          const given = Object.entries(each.parameters).filter(([, value]) => value !== '')
          assert.equal(outcome.refused, undefined)
          assert.deepEqual(outcome.parameters, Object.fromEntries(given))
          assert.deepEqual([bytes, outcome.name, outcome.sourceField], [each.bytes, name, 'source'])
        }),
        { numRuns: 100 },
      )
      assert.deepEqual(await readdir(folder), [])
    })
  }
})

describe('pieces of any one size make no difference:', () => {
  const each: Sent = {
    bytes: Buffer.from('The cat \xff\xfe\xfd sat on the mat.', 'latin1'),
    fileName: 'kätzchen 🐈.jpg',
    parameters: { title: 'Ä 🐈 "\\\n', key: 'k', empty: '' },
  }
  for (const [title, encode] of Object.entries(encodings)) {
    test(title, async () => {
      const { type, body, name } = encode(each)
      for (let size = 1; size <= body.length; size++) {
        const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
          body.subarray(index * size, (index + 1) * size),
        )
        const outcome = await readPieces(folder, type, pieces)
        assert.deepEqual(outcome.bytes, each.bytes, `${size}`)
        assert.deepEqual(
          [outcome.parameters, outcome.name],
          [{ title: each.parameters.title, key: 'k' }, name],
        )
      }
    })
  }
})

test('base64 comes out as it went in, however it is wrapped, padded and cut', async () => {
  const alphabets = fc.constantFrom('base64', 'base64url') as fc.Arbitrary<BufferEncoding>
  const wrap = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.constantFrom('', '\n', '\r\n', '\t', '\f\n\n'))
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      alphabets,
      wrap,
      cuts,
      async (bytes, alphabet, [width, end], places) => {
        const base64 = Buffer.from(bytes)
          .toString(alphabet)
          .replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${end}`)
        const body = multipart(['name="image"', base64])
        const outcome = await readPieces(folder, MULTIPART, split(body, places))
        assert.deepEqual(outcome.bytes, Buffer.from(bytes))
      },
    ),
    { numRuns: 200 },
  )
})

test('a text is base64 or not, wherever it is cut', async () => {
  const almost = fc
    .oneof(
      fc.string({ maxLength: 12 }),
      fc.base64String({ maxLength: 24 }),
      fc.constantFrom('data:', 'data:;base64,', 'http:', 'https:/', ' ', '==', 'data:x,'),
    )
    .chain((start) => fc.base64String({ maxLength: 12 }).map((rest) => start + rest))
  await fc.assert(
    fc.asyncProperty(almost, cuts, fc.boolean(), async (source, places, isJson) => {
      const [type, body] = isJson
        ? [JSON_TYPE, JSON.stringify({ source })]
        : [URLENCODED, String(new URLSearchParams({ source }))]
      const { folder: _one, ...whole } = await readPieces(folder, type, [Buffer.from(body)])
      const { folder: _other, ...pieces } = await readPieces(folder, type, split(Buffer.from(body), places))
      assert.deepEqual(pieces, whole)
    }),
    { numRuns: 400 },
  )
})

test('what looks like a delimiter and is none is a part of the value, wherever it is cut', async () => {
  const delimiter = `\r\n--${BOUNDARY}`
  const beginnings = Array.from(delimiter, (_, end) => delimiter.slice(0, end + 1)).slice(0, -1)
  const almost = fc
    .array(
      fc.constantFrom(
        ...beginnings,
        '-',
        '--',
        '\r',
        '\n',
        'x',
        delimiter.slice(2),
        `${delimiter.slice(1)}--`,
      ),
      {
        maxLength: 12,
      },
    )
    .map((pieces) => pieces.join(''))
    .filter((value) => value !== '' && !`${value}\r\n`.includes(delimiter))
  await fc.assert(
    fc.asyncProperty(almost, cuts, async (value, places) => {
      const body = multipart(['name="source"; filename="a"', value], ['name="title"', 't'])
      const { bytes, parameters } = await readPieces(folder, MULTIPART, split(body, places))
      assert.equal(bytes?.toString(), value)
      assert.deepEqual({ ...parameters }, { title: 't' })
    }),
    { numRuns: 500 },
  )
})
