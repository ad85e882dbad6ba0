import assert from 'node:assert/strict'
import { test } from 'vitest'
import { signedQuery, verifiedPairs } from '../../src/lib/signed-address.ts'
import { areSigningKeys } from '../../src/site/index.ts'

const key = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex')
const path = '/images/2026/11/15/cat.png'

test('the signature of a known address', () => {
  const pairs = [
    ['width', '640'],
    ['format', 'webp'],
    ['e', '1800000000'],
  ] as const
  const query = signedQuery(key, { path, pairs, version: 1 })
  assert.equal(query, 'width=640&format=webp&e=1800000000&s=866989809c83fcd6a9d7d2f5d1e13888')
  assert.deepEqual(verifiedPairs(key, { path, query, version: 1 }), new Map(pairs))
  assert.equal(verifiedPairs(key, { path, query, version: 2 }), undefined)
})

test('what an archive has as signing keys is checked', () => {
  const signingKey = key.toString('base64')
  const at = '2026-11-19T00:00:00.000Z'
  const keyRotation = { number: 1, createdAt: at, previous: { key: signingKey, endsAt: at } }
  for (const sound of [{}, { keyRotation: { ...keyRotation, previous: undefined } }, { keyRotation }])
    assert.ok(areSigningKeys({ signingKey, keyRotation: undefined, ...sound }))
  const short = key.subarray(1).toString('base64')
  const broken: [unknown, unknown][] = [
    [undefined, undefined],
    [short, undefined],
    [signingKey, null],
    [signingKey, 'x'],
    [signingKey, { ...keyRotation, number: 0 }],
    [signingKey, { ...keyRotation, number: 1.5 }],
    [signingKey, { ...keyRotation, createdAt: 'yesterday' }],
    [signingKey, { ...keyRotation, previous: null }],
    [signingKey, { ...keyRotation, previous: { key: short, endsAt: at } }],
    [signingKey, { ...keyRotation, previous: { key: signingKey, endsAt: '2026-13-01T00:00:00.000Z' } }],
  ]
  for (const [one, rotation] of broken)
    assert.ok(!areSigningKeys({ signingKey: one, keyRotation: rotation }), JSON.stringify([one, rotation]))
})
