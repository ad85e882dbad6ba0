import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, test } from 'vitest'
import { isWithinLimits, noLimits } from '../../src/accounts/keys/key-rules.ts'
import { answerVersion, checkIfMatch, etagOf, isNotModified } from '../../src/http/requests/conditions.ts'
import { isMediaPath } from '../../src/http/requests/paths.ts'
import { readQuery } from '../../src/http/wire/query.ts'
import { lineOf } from '../../src/lib/faults.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { openSealedText, sealText } from '../../src/lib/sealed-text.ts'

describe('a query', () => {
  const schema = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    count: Type.Optional(Type.Boolean()),
    sort: Type.Optional(Type.String({ enum: ['created', '-created'] })),
    q: Type.Optional(Type.String()),
  })
  const faultsOf = (query: string) => readQuery(schema, `/x?${query}`).faults.map(lineOf)

  test('is read in the types of its schema', () => {
    const { values, faults } = readQuery(schema, '/x?limit=20&count=true&sort=-created&q=a+b%20c%3D')
    assert.deepEqual(values, { limit: 20, count: true, sort: '-created', q: 'a b c=' })
    assert.deepEqual(faults, [])
    assert.deepEqual(readQuery(undefined, '/x'), { values: {}, faults: [], valueFaults: [] })
  })

  test('is refused with every fault', () => {
    assert.deepEqual(faultsOf('limit=0&count=1&sort=up&q=&page=1&q=2&__proto__=1'), [
      'limit: must be a whole number from 1 to 200',
      'count: must be true or false',
      'sort: must be one of created, -created, not "up"',
      'q: must not be empty',
      'page: is not a known parameter',
      'q: is given twice',
      '__proto__: is not a known parameter',
    ])
    assert.deepEqual(faultsOf('q=%ff'), ['q: is not valid percent-encoded UTF-8'])
    assert.deepEqual(faultsOf('q=%00'), ['q: must not contain NUL'])
    assert.deepEqual(faultsOf('limit=1e1'), ['limit: must be a whole number from 1 to 200'])
  })

  test('of any form breaks nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readQuery(schema, `/x?${text}`)
      }),
    )
  })
})

describe('conditions', () => {
  const isRefused = (header: string) => {
    try {
      checkIfMatch({ 'if-match': header }, 7)
      return false
    } catch (error) {
      assert.ok(error instanceof Refusal && error.code === 'version-differs')
      return true
    }
  }

  test('If-Match is met by the version, by a list with it, and by *', () => {
    for (const header of ['"7"', '"6", "7"', ' "7" ', '*']) assert.equal(isRefused(header), false, header)
    assert.doesNotThrow(() => checkIfMatch({}, 7))
  })

  test('a weak, another or a broken tag is refused', () => {
    for (const header of ['W/"7"', '"8"', '7', '', '"7', '"7" x', '"7",'])
      assert.equal(isRefused(header), true, header)
  })

  test('If-None-Match compares weakly', () => {
    const isKnown = (header: string) => isNotModified({ 'if-none-match': header }, 7)
    assert.deepEqual(['"7"', 'W/"7"', '*', '"1", "7"'].map(isKnown), [true, true, true, true])
    assert.deepEqual(['"8"', '7', ''].map(isKnown), [false, false, false])
    assert.equal(etagOf(7), '"7"')
  })
})

test('a thing with a version is sent with its tag, or not again', () => {
  const call = (headers: object) => ({ request: { headers } }) as never
  const headers = { etag: '"7"', 'cache-control': 'private, no-cache' }
  assert.deepEqual(answerVersion(call({}), 7, { id: 'a' }), { status: 200, body: { id: 'a' }, headers })
  assert.deepEqual(answerVersion(call({ 'if-none-match': '"7"' }), 7, {}), { status: 304, headers })
})

describe('a sealed text', () => {
  const key = randomBytes(32)

  test('opens for what it belongs to, and for nothing else', () => {
    const sealed = sealText(key, 'ä text', 'list a')
    assert.equal(openSealedText(key, sealed, 'list a'), 'ä text')
    assert.equal(openSealedText(key, sealed, 'list b'), undefined)
    assert.equal(openSealedText(randomBytes(32), sealed, 'list a'), undefined)
    assert.notEqual(sealText(key, 'ä text', 'list a'), sealed)
  })

  test('opens no more if any character was changed', () => {
    const sealed = sealText(key, 'a text', 'a')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < sealed.length; at += 1) {
      for (const character of [alphabet[(alphabet.indexOf(sealed[at] ?? '') + 1) % 64], '', '=', '+'])
        assert.equal(
          openSealedText(key, sealed.slice(0, at) + character + sealed.slice(at + 1), 'a'),
          undefined,
        )
    }
    assert.equal(openSealedText(key, '', 'a'), undefined)
  })
})

test('a key is within the limits of another if it has each of them', () => {
  const outer = {
    expiresAt: new Date('2030-01-01'),
    allowedOrigins: ['https://a.test', 'https://b.test'],
    allowedAddresses: ['10.0.0.0/8'],
  }
  assert.equal(isWithinLimits(outer, noLimits), true)
  assert.equal(isWithinLimits(outer, outer), true)
  assert.equal(isWithinLimits({ ...outer, allowedOrigins: ['https://b.test'] }, outer), true)
  for (const looser of [
    { expiresAt: undefined },
    { expiresAt: new Date('2030-01-02') },
    { allowedOrigins: [] },
    { allowedOrigins: ['https://c.test'] },
    { allowedAddresses: [] },
    { allowedAddresses: ['0.0.0.0/0'] },
  ])
    assert.equal(isWithinLimits({ ...outer, ...looser }, outer), false, JSON.stringify(looser))
})

test('every path below /api/5 is of the site’s own API, but /api/5/upload', () => {
  for (const path of [
    '/api/5',
    '/api/5/',
    '/api/5/me',
    '//api//5//keys',
    '/api/5/uploads',
    '/api/5/upload/x',
  ])
    assert.equal(isMediaPath(path), true, path)
  for (const path of ['/api/5/upload', '/api/5/upload/', '/api/1/upload', '/api/50/me', '/api', '/x/api/5'])
    assert.equal(isMediaPath(path), false, path)
})
