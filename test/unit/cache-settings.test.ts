import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ConfigFaults, type Environment, readConfig } from '../../src/config.ts'

function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment, '/')
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigFaults)
    return error.list
  }
}

test('tags for caches are in one header or in both', () => {
  const read = (value: string) => readConfig({ SERVICE_CACHE_TAG_HEADER: value }, '/').cacheTagHeaders
  assert.deepEqual(read(''), [])
  assert.deepEqual(read('cache-tag'), ['cache-tag'])
  assert.deepEqual(read('surrogate-key , cache-tag'), ['surrogate-key', 'cache-tag'])
  for (const value of ['Cache-Tag', 'x', 'cache-tag,', 'cache-tag;surrogate-key'])
    assert.match(
      faultsOf({ SERVICE_CACHE_TAG_HEADER: value }).join(),
      /^SERVICE_CACHE_TAG_HEADER: must/,
      value,
    )
})

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const url = 'https://cache.example.com/purge?token=canary'

test('purges need an address and a secret of at least 24 bytes, which no message repeats', () => {
  const read = (environment: Environment) => readConfig(environment, '/').purge
  assert.equal(read({}), undefined)
  const given = read({ SERVICE_PURGE_URL: url, SERVICE_PURGE_SECRET: secretOf(24) })
  assert.deepEqual([given?.url, given?.secret], [url, Buffer.alloc(24, 7)])
  for (const value of ['ftp://a/b', 'http://user:canary@a/b', 'cache.example.com', 'http://a/#canary'])
    assert.match(
      faultsOf({ SERVICE_PURGE_URL: value, SERVICE_PURGE_SECRET: secretOf(32) }).join('|'),
      /^SERVICE_PURGE_URL: must be a URL((?!canary).)*$/,
    )
  assert.match(
    faultsOf({ SERVICE_PURGE_URL: url }).join('|'),
    /^SERVICE_PURGE_URL: needs SERVICE_PURGE_SECRET/,
  )
  for (const secret of [secretOf(23), secretOf(32).slice(6), `${secretOf(32)}!`, 'whsec_canary'])
    assert.match(
      faultsOf({ SERVICE_PURGE_URL: url, SERVICE_PURGE_SECRET: secret }).join('|'),
      /^SERVICE_PURGE_SECRET: must be whsec_((?!canary).)*$/,
    )
})
