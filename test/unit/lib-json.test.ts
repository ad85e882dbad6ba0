import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { Refusal } from '../../src/lib/refusal.ts'
import { parseJsonObject } from '../../src/lib/strict-json.ts'
import { runsOf } from '../support/tiers.ts'

const parse = (text: string) => parseJsonObject(Buffer.from(text))

/** The same values in ordinary objects, as deepEqual compares prototypes too. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

function refusalOf(bytes: Uint8Array): Refusal {
  try {
    parseJsonObject(bytes)
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.equal(error.kind, 'invalid')
    assert.equal(error.code, 'bad-json')
    assert.doesNotMatch(error.message, /unexpected token|syntaxerror|encoded data|JSON\.parse/i)
    return error
  }
  return assert.fail('nothing was refused')
}

const accepted = [
  '{}',
  ' \t\r\n{ } \n',
  '{"a":1}',
  '{"":0}',
  '{"a":-0.5e-3,"b":1E+2,"c":0}',
  '{"a":[],"b":{},"c":[{}]}',
  '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\\ud83d\\ude00"}',
  '{"ü":"日本語😀"}',
  '{"a":true,"b":false,"c":null}',
  '{"a":{"a":{"a":1}},"b":[[1,2],[3]]}',
  '{"a":"}","b":"]","c":","}',
  '{"\\u0061b":1,"ab2":2}',
  '{"a":1,"A":2}',
  '{"a":"\\u2028\u2028\u007f"}',
  '{"1":1,"01":2,"1.0":3}',
  '{"a":9007199254740992}',
  '{"a":"\\u0000"}',
]

test.for(accepted)('%j reads as JSON.parse reads it', (text) => {
  assert.deepEqual(plain(parse(text)), JSON.parse(text))
})

const malformed: readonly [text: string, message: RegExp][] = [
  ['', /must be a JSON object/],
  ['   ', /must be a JSON object/],
  ['[]', /must be a JSON object/],
  ['null', /must be a JSON object/],
  ['"{}"', /must be a JSON object/],
  ['1', /must be a JSON object/],
  ['{', /ends in the middle/],
  ['{"a"', /ends in the middle/],
  ['{"a":', /ends in the middle/],
  ['{"a":1', /ends in the middle/],
  ['{"a":1,', /ends in the middle/],
  ['{"a":"', /ends in the middle/],
  ['{"a":"\\', /ends in the middle/],
  ['{"a":-', /ends in the middle/],
  ['{"a":[1', /ends in the middle/],
  ['{}{}', /position 2/],
  ['{} x', /position 3/],
  ['{}\0', /position 2/],
  ['{a:1}', /position 1/],
  ["{'a':1}", /position 1/],
  ['{1:1}', /position 1/],
  ['{,}', /position 1/],
  ['{"a":1,}', /position 7/],
  ['{"a":[1,]}', /position 8/],
  ['{"a":[,1]}', /position 6/],
  ['{"a":[1 2]}', /position 8/],
  ['{"a":[1}', /position 7/],
  ['{"a" 1}', /position 5/],
  ['{"a":1 "b":2}', /position 7/],
  ['{"a":}', /position 5/],
  ['{"a":tru}', /position 5/],
  ['{"a":True}', /position 5/],
  ['{"a":undefined}', /position 5/],
  ['{"a":NaN}', /position 5/],
  ['{"a":Infinity}', /position 5/],
  ['{"a":01}', /position 6/],
  ['{"a":+1}', /position 5/],
  ['{"a":.5}', /position 5/],
  ['{"a":1.}', /position 7/],
  ['{"a":1e}', /position 7/],
  ['{"a":0x10}', /position 6/],
  ['{"a":--1}', /position 6/],
  ['{"a":1_0}', /position 6/],
  ['{"a":1n}', /position 6/],
  ['{"a":1e400}', /^a: the number 1e400 cannot be kept exactly; send it as a string$/],
  ['{"a":-1e400}', /^a: the number -1e400 cannot be kept exactly/],
  ['{"a":1e-400}', /^a: the number 1e-400 cannot be kept exactly/],
  ['{"a":1000000000000000000000}', /^a: the number 1000000000000000000000 cannot be kept/],
  ['{"a":9007199254740993}', /^a: the number 9007199254740993 cannot be kept exactly/],
  ['{"a":{"b":[1,-18446744073709551615]}}', /^a\.b\.1: the number -18446744073709551615 cannot/],
  ['{"a":0.10000000000000000555}', /^a: the number 0\.10000000000000000555 cannot/],
  ['{"a":"\n"}', /position 6/],
  ['{"a":"\t"}', /position 6/],
  ['{"a":"\0"}', /position 6/],
  ['{"a":"\\x41"}', /string at position 5 has a faulty escape/],
  ['{"a":"\\u12"}', /string at position 5 has a faulty escape/],
  ['{"a":"\\u{41}"}', /string at position 5 has a faulty escape/],
  ['{"a":"\\\n"}', /string at position 5 has a faulty escape/],
  ['{"a":"\\ud800"}', /string at position 5 has half a surrogate pair/],
  ['{"a":"\\udc00\\ud800"}', /half a surrogate pair/],
  ['{"a":"\\ud83d😀"}', /half a surrogate pair/],
  ['{"\\ud800":1}', /string at position 1 has half a surrogate pair/],
  ['{/* */}', /position 1/],
  ['{}//', /position 2/],
  ['{\u00a0}', /position 1/],
  ['{"a":\u2028 1}', /position 5/],
  ['\ufeff{}', /byte order mark/],
]

test.for(malformed)('%j is refused with %s', ([text, message]) => {
  assert.match(refusalOf(Buffer.from(text)).message, message)
})

const twice: readonly [text: string, key: string][] = [
  ['{"id":"t0","id":"t1"}', '"id"'],
  ['{"id":1,"b":2,"\\u0069d":1}', '"id"'],
  ['{"":1,"":1}', '""'],
  ['{"a":{"b":{"c":1,"c":1}}}', '"c"'],
  ['{"a":[{"x":1},{"x":1,"y":1,"x":2}]}', '"x"'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ['{"7":1,"7":2}', '"7"'],
  ['{"\\n":1,"\\u000a":2}', '"\\n"'],
  ['{"ü":1,"\\u00fc":2}', '"ü"'],
  [`{"${'k'.repeat(500)}":1,"${'k'.repeat(500)}":2}`, `"${'k'.repeat(64)}…"`],
]

test.for(twice)('%j is refused since it gives %s twice', ([text, key]) => {
  assert.equal(refusalOf(Buffer.from(text)).message, `The key ${key} is given twice.`)
})

test('keys that only look alike are different keys', () => {
  assert.deepEqual(Object.keys(parse('{"é":1,"e\u0301":2,"a":3,"a ":4}')), ['é', 'e\u0301', 'a', 'a '])
})

const brokenBytes: readonly [name: string, bytes: number[]][] = [
  ['a lone continuation byte', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['a cut sequence', [0xe2, 0x82]],
  ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ['Latin-1', [0xfc]],
]

test.for(brokenBytes)('a body with %s is not UTF-8', ([, bytes]) => {
  const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
  assert.equal(refusalOf(body).message, 'The body is not valid UTF-8.')
})

test('UTF-16 and a leading byte order mark are refused', () => {
  refusalOf(Buffer.from('\ufeff{}', 'utf16le'))
  refusalOf(Buffer.from('{}', 'utf16le'))
  refusalOf(Buffer.from('\ufeff{}'))
})

test('nesting is allowed up to the limit and refused beyond it', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  assert.ok(parse(nested(8)))
  assert.match(refusalOf(Buffer.from(nested(9))).message, /nested deeper than 8 levels at position 12/)
  assert.ok(parse(`{"a":[${'[],'.repeat(50)}[]]}`))
  refusalOf(Buffer.from(`{"a":${'['.repeat(1_000_000)}`))
})

test('__proto__ and its like are own keys that pollute nothing', () => {
  const body = parse(
    '{"__proto__":{"polluted":1},"a":{"__proto__":null,"b":1},"constructor":{"prototype":{"polluted":1}}}',
  )
  assert.deepEqual(Object.keys(body), ['__proto__', 'a', 'constructor'])
  assert.equal(Object.getPrototypeOf(body), null)
  assert.deepEqual(Object.keys(body.a as object), ['__proto__', 'b'])
  assert.equal(body.polluted, undefined)
  assert.equal((body.a as Record<string, unknown>).toString, undefined)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('every JSON object reads as JSON.parse reads it, with any white space', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5 })),
      fc.nat(3),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        assert.deepEqual(plain(parse(text)), JSON.parse(text))
      },
    ),
    { numRuns: runsOf(1000) },
  )
})

test('whatever is accepted is what JSON.parse accepts, and means the same', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '"a"',
    '"b"',
    '"a":',
    '{"a":',
    '\\',
    '\\u0061',
    '\\ud800',
    '0',
    '1',
    '-',
    '.5',
    'e3',
    'true',
    'null',
    ' ',
    '\n',
    '\t',
    '\0',
    'ü',
    '\u00a0',
    '"__proto__":1',
    '{}',
    '[]',
    ',"b":',
    '"\\n"',
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const text = `{"x":${tokens.join('')}}`
      let expected: unknown
      try {
        expected = JSON.parse(text)
      } catch {
        refusalOf(Buffer.from(text))
        return
      }
      try {
        assert.deepEqual(plain(parse(text)), plain(expected))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        assert.match(error.message, /given twice|surrogate|deeper|kept exactly/)
      }
    }),
    { numRuns: runsOf(20_000) },
  )
})

test('arbitrary bytes are read or refused, never an error of another kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (noise) => {
      const body = Buffer.concat([Buffer.from('{"a":"'), noise, Buffer.from('"}')])
      try {
        parseJsonObject(body)
      } catch {
        refusalOf(body)
      }
    }),
    { numRuns: runsOf(5000) },
  )
})

test('a whole number is read with all its digits or refused', () => {
  const digits = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 53n }),
    fc.bigInt({ min: 2n ** 53n, max: 10n ** 21n - 1n }),
  )
  fc.assert(
    fc.property(
      digits,
      fc.constantFrom('', '-'),
      fc.constantFrom('', '.0', 'e0', '.000E-0'),
      (n, sign, end) => {
        const text = `{"a":${sign}${n}${end}}`
        if (String(Number(n)) === String(n)) assert.equal(Math.abs(parse(text).a as number), Number(n))
        else assert.match(refusalOf(Buffer.from(text)).message, /^a: the number \S+ cannot be kept exactly/)
      },
    ),
    { numRuns: runsOf(2_000) },
  )
})

test('all numbers that cannot be kept are named at once', () => {
  const { list } = refusalOf(Buffer.from('{"a":1e999,"b":1,"c":{"d":[0,1e-999]}}'))
  assert.deepEqual(
    list.map((line) => line.split(':')[0]),
    ['a', 'c.d.1'],
  )
})

const MEBIBYTE = 2 ** 20

function fill(unit: (index: number) => string, before = '{"a":[', after = ']}'): string {
  const units: string[] = []
  for (let length = 0; length < MEBIBYTE; length += (units.at(-1)?.length ?? 0) + 1)
    units.push(unit(units.length))
  return `${before}${units.join(',')}${after}`
}

const baseline = fill(() => '1')

const heavy: readonly [name: string, text: string][] = [
  ['short numbers', baseline],
  ['escaped strings', fill(() => '"\\n"')],
  ['empty objects', fill(() => '{}')],
  ['nested arrays', fill(() => '[[[[[[]]]]]]')],
  ['short keys', fill((index) => `"${index.toString(36)}":0`, '{', '}')],
  ['numeric keys', fill((index) => `"${4_294_967_294 - index * 4096}":0`, '{', '}')],
  ['one long string', `{"a":"${'x'.repeat(MEBIBYTE)}"}`],
  ['one string of escapes', `{"a":"${'\\u0041'.repeat(MEBIBYTE / 6)}"}`],
  ['one long fraction', `{"a":0.5${'0'.repeat(MEBIBYTE)}}`],
  ['white space', `{${' '.repeat(MEBIBYTE)}}`],
]

// What is refused must be so as fast: zeros in the middle, and as many numbers as fit.
const heavyAndInexact: readonly [name: string, text: string][] = [
  ['zeros before a digit', `{"a":0.1${'0'.repeat(MEBIBYTE)}1}`],
  ['digits', `{"a":${'1'.repeat(MEBIBYTE)}}`],
  ['large numbers', fill(() => '1e999')],
]

test.for(heavyAndInexact)('a mebibyte of %s is refused at once', ([, text]) => {
  const bytes = Buffer.from(text)
  assertLinear(() => assert.ok(refusalOf(bytes).message.length < 200_000))
})

test.for(heavy)('a mebibyte of %s is read at once', ([, text]) => {
  const bytes = Buffer.from(text)
  assertLinear(() => parseJsonObject(bytes))
})

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Compared with Node's own reader of as many bytes. The factor is loose; quadratic time is ten thousand times as much. */
function assertLinear(work: () => unknown): void {
  const [, middle = 0] = [1, 2, 3].map(() => cpuMs(() => JSON.parse(baseline))).sort((a, b) => a - b)
  const taken = cpuMs(work)
  assert.ok(taken < 200 * Math.max(1, middle), `${taken} ms, where JSON.parse takes ${middle} ms`)
}
