import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  BOUNDARY,
  JSON_TYPE,
  MULTIPART,
  multipart,
  readPieces,
  URLENCODED,
} from '../support/clients/upload-reading.ts'
import { runsOf } from '../support/tiers.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terrace-fuzz-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const base64 = Buffer.from('The quick brown cat \xff\xfe').toString('base64')
const bodies: Record<string, { type: string; body: Buffer; tokens: string[] }> = {
  multipart: {
    type: MULTIPART,
    body: multipart(
      ['name="key"', 'k'],
      ['name="source"; filename="C:\\x\\cät.jpg"', 'bytes\r\n--\r\n-', 'image/jpeg'],
      ['name="image"', base64, 'text/plain; charset=utf-8'],
      ['name="tags"; filename=""', ''],
    ),
    tokens: [
      `\r\n--${BOUNDARY}`,
      `--${BOUNDARY}--`,
      '\r\n',
      '\r\n\r\n',
      '\r',
      '\n',
      '--',
      '"',
      '\\',
      ';',
      'name=',
      "filename*=x''%ff",
      'Content-Type: x',
      ':',
      '\0',
    ],
  },
  urlencoded: {
    type: URLENCODED,
    body: Buffer.from(
      `key=k&source=${encodeURIComponent(base64)}&title=%C3%84+%F0%9F%90%88&&a=&=b&image=http%3A%2F%2Fx.test`,
    ),
    tokens: [
      '&',
      '=',
      '%',
      '%2',
      '%zz',
      '+',
      'source=',
      '&source=',
      'image=http://',
      '%00',
      '%ff',
      '\0',
      '__proto__=',
    ],
  },
  json: {
    type: JSON_TYPE,
    body: Buffer.from(
      JSON.stringify({
        key: 'k',
        source: base64,
        title: 'Ä 🐈\n"',
        nsfw: 1,
        flag: true,
        none: null,
        n: -1.5e-7,
      }).replace('🐈', '\\ud83d\\udc08'),
    ),
    tokens: [
      '"',
      '\\',
      '\\u',
      '\\ud800',
      '{',
      '}',
      '[',
      ':',
      ',',
      '0',
      '-',
      'e',
      'null',
      '"source":',
      '\n',
      '\0',
      '\ufeff',
      '"__proto__":1,',
    ],
  },
}

type Change = [kind: 'flip' | 'drop' | 'insert' | 'repeat' | 'cut', at: number, much: number, token: number]
const changes = fc.array(
  fc.tuple(
    fc.constantFrom('flip', 'drop', 'insert', 'repeat', 'cut') as fc.Arbitrary<Change[0]>,
    fc.nat(),
    fc.nat(40),
    fc.nat(),
  ),
  { minLength: 1, maxLength: 6 },
)

function mutate(body: Buffer, tokens: string[], [kind, place, much, token]: Change): Buffer {
  const at = body.length === 0 ? 0 : place % body.length
  const [before, after] = [body.subarray(0, at), body.subarray(at)]
  if (kind === 'cut') return before
  if (kind === 'drop') return Buffer.concat([before, after.subarray(much)])
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, much), after])
  if (kind === 'insert')
    return Buffer.concat([before, Buffer.from(tokens[token % tokens.length] ?? ''), after])
  const flipped = Buffer.from(body)
  if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << (much % 8))
  return flipped
}

describe('a body that was tampered with is read or refused, and nothing worse:', () => {
  for (const [title, { type, body, tokens }] of Object.entries(bodies)) {
    test(title, async () => {
      await fc.assert(
        fc.asyncProperty(changes, fc.integer({ min: 1, max: 300 }), async (all, size) => {
          const changed = all.reduce((each, change) => mutate(each, tokens, change), body)
          const pieces = Array.from({ length: Math.ceil(changed.length / size) }, (_, index) =>
            changed.subarray(index * size, (index + 1) * size),
          )
          const outcome = await Promise.race([
            readPieces(folder, type, pieces, 1000),
            wait(5000, undefined, { ref: false }),
          ])
          assert.ok(outcome, 'It hangs.')
          assert.equal(outcome.error, undefined)
          assert.ok(outcome.refused ?? outcome.parameters)
        }),
        { numRuns: runsOf(2_000) },
      )
      assert.deepEqual(await readdir(folder), [])
    })
  }
})
