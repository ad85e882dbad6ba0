import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { formatSize } from '../../src/common/format.ts'
import { ratioOfShape, shapeAt, shapeCharacter, shapeOf } from '../../src/common/shapes.ts'
import { withTimeout } from '../../src/lib/concurrency/promises.ts'
import { randomHex, randomId, randomSecret } from '../../src/lib/ids.ts'
import { parseSize, parseWholeNumber } from '../../src/lib/sizes.ts'
import { readTime, writeTime } from '../../src/lib/times.ts'
import { runsOf } from '../support/tiers.ts'

const notWhole = [
  '',
  ' ',
  '-1',
  '+5',
  '-0',
  '00',
  '01',
  '007',
  '1.0',
  '1.',
  '.5',
  '1e9',
  '1E3',
  '0x10',
  '0b1',
  '0o7',
  '1_000',
  '1,000',
  ' 5',
  '5 ',
  '5\n',
  '\n5',
  '5\0',
  '\u0665',
  '５',
  '²',
  'Infinity',
  'NaN',
  'null',
  '1n',
  '10%',
  '9007199254740993',
  '1000000000000000',
  '9'.repeat(400),
]

test.for(notWhole)('%j is neither a whole number nor a size', (text) => {
  assert.equal(parseWholeNumber(text), undefined)
  assert.equal(parseSize(text), undefined)
})

test('whole numbers of up to 15 digits are read exactly', () => {
  for (const text of ['0', '1', '10', '999999999999999']) assert.equal(parseWholeNumber(text), Number(text))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (number) => {
      assert.equal(parseWholeNumber(String(number)), number)
      assert.equal(parseSize(String(number)), number)
    }),
  )
})

test('whatever is accepted is written as it was read', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789+-.eExKMG \n') }))
  fc.assert(
    fc.property(text, (candidate) => {
      const number = parseWholeNumber(candidate)
      if (number !== undefined) assert.equal(String(number), candidate)
      const size = parseSize(candidate)
      if (size !== undefined) assert.ok(Number.isSafeInteger(size) && size >= 0)
    }),
    { numRuns: runsOf(5000) },
  )
})

const sizes: readonly [text: string, bytes: number | undefined][] = [
  ['0', 0],
  ['0K', 0],
  ['500', 500],
  ['1K', 1000],
  ['100M', 100_000_000],
  ['2G', 2_000_000_000],
  ['9007199G', 9_007_199_000_000_000],
  ['9007199254740K', 9_007_199_254_740_000],
  ['9007200G', undefined],
  ['9007199254741K', undefined],
  ['999999999999999G', undefined],
  ['1k', undefined],
  ['1m', undefined],
  ['1KB', undefined],
  ['1KK', undefined],
  ['1 K', undefined],
  ['1.5M', undefined],
  ['K', undefined],
  ['01K', undefined],
  ['-1K', undefined],
  ['1T', undefined],
  ['1K\n', undefined],
  ['1\u212a', undefined],
]

test.for(sizes)('the size %j is %j bytes', ([text, bytes]) => {
  assert.equal(parseSize(text), bytes)
})

const written: readonly [bytes: number, text: string][] = [
  [0, '0 B'],
  [1, '1 B'],
  [999, '999 B'],
  [1000, '1 KB'],
  [1049, '1 KB'],
  [1050, '1.1 KB'],
  [1450, '1.5 KB'],
  [53_187, '53.2 KB'],
  [20_000, '20 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1 MB'],
  [2_500_000, '2.5 MB'],
  [999_999_999, '1 GB'],
  [1_234_567_890_123, '1.2 TB'],
  [Number.MAX_SAFE_INTEGER, '9 PB'],
]

test.for(written)('%j bytes are shown as %j', ([bytes, text]) => {
  assert.equal(formatSize(bytes), text)
})

test('a size is shown with at most one decimal and never with more than 999.9', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      const [, count, unit] = /^([0-9]{1,3}(?:\.[1-9])?) (B|KB|MB|GB|TB|PB)$/.exec(formatSize(bytes)) ?? []
      assert.ok(count !== undefined && unit !== undefined)
      const unitBytes = 1000 ** ['B', 'KB', 'MB', 'GB', 'TB', 'PB'].indexOf(unit)
      assert.ok(Math.abs(Number(count) * unitBytes - bytes) <= unitBytes * 0.0501)
    }),
    { numRuns: runsOf(2000) },
  )
})

test('a time is written in UTC to the second', () => {
  assert.equal(writeTime(new Date('2024-02-29T23:59:59.999Z')), '2024-02-29 23:59:59')
  assert.equal(writeTime(new Date('2024-03-01T01:00:00+02:00')), '2024-02-29 23:00:00')
})

test('a time that was written is read back', () => {
  const anySecond = fc.date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(anySecond, (at) => {
      const second = new Date(Math.floor(at.getTime() / 1000) * 1000)
      assert.deepEqual(readTime(writeTime(at)), second)
    }),
  )
})

const notTimes = [
  '',
  '2024-01-01',
  '2024-01-01T00:00:00',
  '2024-01-01 00:00:00Z',
  '2024-01-01 00:00',
  '2024-1-1 00:00:00',
  '2023-02-29 00:00:00',
  '2024-02-30 00:00:00',
  '2024-04-31 00:00:00',
  '1900-02-29 00:00:00',
  '2024-00-01 00:00:00',
  '2024-13-01 00:00:00',
  '2024-01-00 00:00:00',
  '2024-01-32 00:00:00',
  '2024-01-01 24:00:00',
  '2024-01-01 23:60:00',
  '2016-12-31 23:59:60',
  '2024-01-01  00:00:00',
  ' 2024-01-01 00:00:00',
  '2024-01-01 00:00:00 ',
  '2024-01-01 00:00:00\n',
  '2024-01-01 00:00:00.000',
  '+02024-01-01 00:00:00',
  '20240-01-01 00:00:00',
  '２024-01-01 00:00:00',
  'tomorrow',
  '0',
]

test.for(notTimes)('%j is not a time', (text) => {
  assert.equal(readTime(text), undefined)
})

test('the last day of February is read in leap years only', () => {
  assert.deepEqual(readTime('2024-02-29 12:00:00'), new Date('2024-02-29T12:00:00Z'))
  assert.deepEqual(readTime('2000-02-29 12:00:00'), new Date('2000-02-29T12:00:00Z'))
})

test('random ids have the length asked for and do not repeat', () => {
  assert.match(randomId(), /^[0-9A-Za-z]{12}$/)
  assert.match(randomId(40), /^[0-9A-Za-z]{40}$/)
  assert.equal(randomId(0), '')
  assert.equal(new Set(Array.from({ length: 10_000 }, () => randomId())).size, 10_000)
})

test('every letter and digit is equally likely in a random id', () => {
  const counts = new Map<string, number>()
  const length = 124_000
  for (const letter of randomId(length)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  assert.equal(counts.size, 62)
  const expected = length / 62
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // With 61 degrees of freedom, more than 140 comes by chance less than once in ten million runs.
  assert.ok(chiSquared < 140, String(chiSquared))
})

test('a secret carries at least the bits of the bytes asked for', () => {
  assert.match(randomSecret(), /^[0-9A-Za-z]{43}$/)
  for (const bytes of [1, 12, 16, 24, 32, 64, 100]) {
    assert.ok(randomSecret(bytes).length * Math.log2(62) >= bytes * 8)
  }
})

test('random hex has two digits a byte', () => {
  assert.match(randomHex(16), /^[0-9a-f]{32}$/)
  assert.notEqual(randomHex(16), randomHex(16))
})

test('a result that misses its time is reported as late, and its own end disturbs no caller', async () => {
  const late = () => new Error('late')
  assert.equal(await withTimeout(60_000, Promise.resolve(5), late), 5)
  await assert.rejects(withTimeout(60_000, Promise.reject(new Error('its own')), late), /its own/)
  const { promise, reject } = Promise.withResolvers<never>()
  await assert.rejects(withTimeout(1, promise, late), /late/)
  reject(new Error('afterwards'))
})

test('a shape is read back from its character', () => {
  const shapes = Array.from({ length: 91 }, (_, shape) => shape)
  const text = shapes.map(shapeCharacter).join('')
  assert.deepEqual(
    shapes.map((_, index) => shapeAt(text, index)),
    shapes,
  )
  for (const shape of shapes) assert.equal(shapeOf({ width: ratioOfShape(shape), height: 1 }), shape)
})
