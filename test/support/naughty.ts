import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Description } from '../../src/http/endpoint.ts'
import { anyCharacter } from './any-character.ts'

/** Strings that often break programs, with their control characters. */
const listed = JSON.parse(
  readFileSync(new URL('../corpus/blns/blns.json', import.meta.url), 'utf8'),
) as readonly string[]

const numbers = [
  '0',
  '-1',
  '1.5',
  '1e309',
  '-1e309',
  'NaN',
  'Infinity',
  '0x10',
  '９',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775808',
  '9'.repeat(400),
  `1${'0'.repeat(400)}`,
]
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001',
  '\u202e',
  '\ufeff',
  '\ufffe',
  '\u{10ffff}',
  '%00',
  '%',
  '../..',
  "'",
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '[]',
  '{}',
  'x'.repeat(70_000),
  '💥'.repeat(300),
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '+275760-09-14',
  '2026-02-30',
  'P999999999Y',
  '~',
  'a~b',
  '.',
  ',',
]

/** Any text, of which some mean something here. */
export const naughtyText = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    { weight: 3, arbitrary: fc.constantFrom(...texts) },
    { weight: 2, arbitrary: fc.constantFrom(...listed) },
    { weight: 2, arbitrary: fc.constantFrom(...numbers) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
  )

/** A part of a path or a value of a query: encoded, or bytes that are no text at all. */
const encoded = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: naughtyText(known).map((text) => encodeURIComponent(text.slice(0, 3_000).toWellFormed())),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%ff', '%c0%80', '%ed%a0%80', '%', '%zz', '%2e%2e', '%252e', '%5c'),
    },
  )

/** Fields of a form, some of them more than once. */
const pairsOf = (names: readonly string[], known: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...names, 'other'), encoded(known)), { maxLength: 6 })
    .map((pairs) => pairs.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&'))

/** An address of a route: the parts in braces and the rest of the path are anything, and so is the query. */
export const addressOf = (
  path: string,
  { names, known }: { names: readonly string[]; known: readonly string[] },
): fc.Arbitrary<string> => {
  const parts = path.split(/(\{\w+\}|\*)/)
  return fc
    .tuple(
      fc.array(encoded(known), { minLength: parts.length, maxLength: parts.length }),
      fc.oneof(fc.constant(''), pairsOf(names, known)),
    )
    .map(([values, query]) => {
      const address = parts.map((part, at) => (/^[{*]/.test(part) ? values[at] : part)).join('')
      return query === '' ? address : `${address}?${query}`
    })
}

export const formOf = pairsOf

const propertiesOf = (schema: unknown): readonly string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})

export const queryNamesOf = ({ query }: Description): readonly string[] => propertiesOf(query)

const value = (known: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    naughtyText(known),
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 31,
      2 ** 53,
      -(2 ** 63),
      1e308,
      [],
      {},
      [[]],
      [null],
    ),
    fc.array(naughtyText(known), { maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  )

/** A JSON body: the example of the call with fields of any kind, or something that is no such body at all. */
export function jsonOf({ body, bodyExample }: Description, known: readonly string[]): fc.Arbitrary<string> {
  const fields = fc
    .array(fc.tuple(fc.constantFrom(...propertiesOf(body), 'other'), value(known)), { maxLength: 3 })
    .map((pairs) => JSON.stringify({ ...(bodyExample as object), ...Object.fromEntries(pairs) }))
  return fc.oneof(
    { weight: 8, arbitrary: fields },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((any) => JSON.stringify(any)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '{"a":1,"a":2}', '[[[[[[[[[[]]]]]]]]]]', '"\\ud800"', '\0'),
    },
  )
}

const headerNames = [
  'range',
  'if-range',
  'if-none-match',
  'if-match',
  'if-modified-since',
  'accept',
  'accept-language',
  'x-share',
  'idempotency-key',
  'cookie',
  'origin',
  'x-api-key',
  'x-forwarded-for',
  'content-type',
]

/** Header values are visible characters of Latin-1: Node sends no others. */
export const headersOf = (known: readonly string[]): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    fc.dictionary(
      fc.constantFrom(...headerNames),
      fc.oneof(
        naughtyText(known).map((text) => text.replaceAll(/[^ -~\u00a0-\u00ff]/g, '').slice(0, 2_000)),
        fc.constantFrom(
          'bytes=0-',
          'bytes=-1',
          'bytes=5-1',
          `bytes=0-${'9'.repeat(30)}`,
          '"1"',
          'W/"1"',
          '*',
        ),
      ),
      { maxKeys: 2 },
    ),
  )
