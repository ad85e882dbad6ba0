import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { multipartParser } from '../../src/http/uploads/reading/multipart.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { runsOf } from '../support/tiers.ts'

/** One part as a reader reports it. */
interface Read {
  name: string
  isFile: boolean
  fileName: string | undefined
  bytes: string
}

interface Part {
  name: string
  fileName: string | undefined
  type: string | undefined
  bytes: Buffer
}

/** Sends the body in the given pieces to our reader. */
function readByUs(boundary: string, pieces: readonly Buffer[]): Read[] {
  const read: Read[] = []
  const parser = multipartParser(({ name, isFile, fileName }) => {
    const chunks: Buffer[] = []
    return {
      // A text's bytes are the caller's again after `push`, hence the copy.
      push: (bytes) => void chunks.push(Buffer.from(bytes)),
      end: () =>
        void read.push({
          name,
          isFile,
          fileName,
          bytes: Buffer.concat(chunks).toString('latin1'),
        }),
    }
  }, `multipart/form-data; boundary=${boundary}`)
  for (const piece of pieces) parser.push(piece)
  parser.end()
  return read
}

/** Sends the same pieces to busboy. Parts are ordered as they end, which is as they begin. */
async function readByBusboy(boundary: string, pieces: readonly Buffer[]): Promise<Read[]> {
  const read: Read[] = []
  const busboy = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    limits: { fieldSize: 1_000_000, fileSize: 1_000_000, parts: 1_000 },
  })
  busboy.on('field', (name, value) => {
    read.push({ name, isFile: false, fileName: undefined, bytes: Buffer.from(value).toString('latin1') })
  })
  busboy.on('file', (name, stream, fileName) => {
    const entry: Read = { name, isFile: true, fileName, bytes: '' }
    read.push(entry)
    stream.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.toString('latin1')
    })
  })
  const finished = once(busboy, 'finish')
  for (const piece of pieces) busboy.write(piece)
  busboy.end()
  await finished
  return read
}

function bodyOf(boundary: string, parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, fileName, type, bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
          `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n` +
          `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

function cut(body: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cutAt) => cutAt % body.length))].sort((one, other) => one - other)
  return [0, ...at].map((start, index) => body.subarray(start, at[index] ?? body.length))
}

const boundary = fc
  .stringMatching(/^[A-Za-z0-9'()+_./:=?-]{0,40}[A-Za-z0-9]$/)
  .filter((text) => !/[':=?/(]/.test(text))

/** Bytes that often hold pieces of a delimiter. */
const content = (delimiter: string) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom('\r', '\n', '\r\n', '--', `\r\n--${delimiter.slice(0, -1)}`, `--${delimiter}x`, '\0'),
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      ),
      { maxLength: 8 },
    )
    .map((texts) => Buffer.from(texts.join(''), 'latin1'))
    .filter(
      (bytes) =>
        !bytes.includes(`\r\n--${delimiter}`) && !bytes.toString('latin1').startsWith(`--${delimiter}`),
    )

const textName = fc
  .stringMatching(/^[a-zA-Zäß漢_-][a-zA-Z0-9äß漢_. -]{0,19}$/)
  .filter((name) => name !== 'source' && name !== 'image')
const fileName = fc.stringMatching(/^[a-zA-Z0-9äß漢_-][a-zA-Z0-9äß漢_. -]{0,19}$/)

const partOf = (delimiter: string): fc.Arbitrary<Part> =>
  fc.oneof(
    fc.record({
      name: textName,
      fileName: fc.constant(undefined),
      type: fc.constantFrom(undefined, 'text/plain'),
      // Both readers take a text for UTF-8; busboy replaces what is not, we refuse it later.
      bytes: fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => Buffer.from(text)),
    }),
    fc.record({
      name: fc.constantFrom('source', 'image'),
      fileName,
      type: fc.constantFrom(undefined, 'image/png', 'application/octet-stream', 'text/plain'),
      bytes: content(delimiter),
    }),
  )

const form = boundary.chain((delimiter) =>
  fc.record({
    delimiter: fc.constant(delimiter),
    parts: fc.array(
      partOf(delimiter).filter(({ bytes }) => !bytes.includes(`--${delimiter}`)),
      { minLength: 1, maxLength: 8 },
    ),
    cuts: fc.array(fc.nat(), { maxLength: 12 }),
  }),
)

describe('our multipart reader and busboy', () => {
  test('read the same fields and files from every form, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(form, async ({ delimiter, parts, cuts }) => {
        const pieces = cut(bodyOf(delimiter, parts), cuts)
        const ours = readByUs(delimiter, pieces)
        assert.deepEqual(ours, await readByBusboy(delimiter, pieces))
        assert.equal(ours.length, parts.length)
      }),
      { numRuns: runsOf(1_000) },
    )
  })

  const png = Buffer.from('\x89PNG', 'latin1')
  const differences: [why: string, part: Part, ours: Read[], theirs: Read[]][] = [
    [
      'we drop a file that is not the source, because no parameter takes one',
      { name: 'other', fileName: 'a.png', type: 'image/png', bytes: png },
      [],
      [{ name: 'other', isFile: true, fileName: 'a.png', bytes: '\x89PNG' }],
    ],
    [
      'we take a source of a type other than text for a file, with or without a file name',
      { name: 'source', fileName: undefined, type: 'image/png', bytes: Buffer.from('png') },
      [{ name: 'source', isFile: true, fileName: undefined, bytes: 'png' }],
      [{ name: 'source', isFile: false, fileName: undefined, bytes: 'png' }],
    ],
    [
      'we read %22 in a file name as the quotation mark that browsers escape',
      { name: 'source', fileName: 'a%22b.png', type: 'image/png', bytes: png },
      [{ name: 'source', isFile: true, fileName: 'a"b.png', bytes: '\x89PNG' }],
      [{ name: 'source', isFile: true, fileName: 'a%22b.png', bytes: '\x89PNG' }],
    ],
  ]

  test.for(differences)('differ on purpose: %s', async ([, part, ours, theirs]) => {
    const body = bodyOf('xYz', [part])
    assert.deepEqual(readByUs('xYz', [body]), ours)
    assert.deepEqual(await readByBusboy('xYz', [body]), theirs)
  })

  test('both refuse a form without its end', async () => {
    const part = { name: 'a', fileName: undefined, type: undefined, bytes: Buffer.from('1') }
    const broken = bodyOf('xYz', [part]).subarray(0, -12)
    assert.throws(() => readByUs('xYz', [broken]), { code: 'bad-form' })
    await assert.rejects(readByBusboy('xYz', [broken]), /Unexpected end/)
  })
})
