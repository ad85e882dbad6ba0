import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { openS3Storage } from '../../src/storage/index.ts'
import { keysOf, refuses } from '../support/stores/storage-contract.ts'
import { type Paging, startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runsOf } from '../support/tiers.ts'

const keys = Array.from({ length: 15 }, (_, index) => `images/${String(index).padStart(2, '0')}.jpg`)

async function openBackend(paging: Paging) {
  const stub = await startS3Stub()
  const storage = await openS3Storage({ url: stub.url })
  for (const key of keys) stub.objects.set(key, { bytes: Buffer.from(key), headers: {} })
  stub.setPaging(paging)
  return {
    stub,
    storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await stub[Symbol.asyncDispose]()
    },
  }
}

const pagings = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
  hasEmptyPages: fc.boolean(),
  isRepeating: fc.boolean(),
})

test('pages of 1 to 4, empty ones and repeated keys: every key is listed once, and in order', async () => {
  const property = fc.asyncProperty(
    pagings,
    fc.integer({ min: 1, max: 20 }),
    async ({ sizes, ...rest }, limit) => {
      let page = 0
      await using backend = await openBackend({ ...rest, pageSize: () => sizes[page++ % sizes.length] ?? 1 })
      const listed: string[] = []
      for (let after: string | undefined; ; ) {
        const some = await backend.storage.list('images', after, limit)
        listed.push(...some.map(({ key }) => key))
        if (some.length < limit) break
        after = some.at(-1)?.key
      }
      assert.deepEqual(listed, keys)
    },
  )
  await fc.assert(property, { numRuns: runsOf(200) })
})

test('a folder is removed to its last key, however short or empty its pages are', async () => {
  await using backend = await openBackend({ pageSize: () => 2, hasEmptyPages: true, isRepeating: true })
  backend.stub.objects.set('other/1.jpg', { bytes: Buffer.from('other'), headers: {} })
  await backend.storage.removeAll('images')
  assert.deepEqual([...backend.stub.objects.keys()], ['other/1.jpg'])
})

test('a server that says there is more and does not say where is refused, not believed to be done', async () => {
  await using backend = await openBackend({ pageSize: () => 0 })
  await refuses(keysOf(backend.storage), 'unavailable', 'storage-unavailable')
})

test('unfinished uploads are aborted over all pages, in the folder that was named', async () => {
  await using backend = await openBackend({ pageSize: () => 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    backend.stub.uploads.set(name, { key: `films/${name}`, headers: {}, parts: new Map() })
  backend.stub.uploads.set('x', { key: 'strangers/x', headers: {}, parts: new Map() })
  await backend.storage.removeUnfinished('films', new Date('2026-11-16T00:00:00Z'))
  assert.deepEqual([...backend.stub.uploads.keys()], ['x'])
})
