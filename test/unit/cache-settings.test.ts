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
