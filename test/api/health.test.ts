import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { until } from '../support/until.ts'

test('readiness is asked of the storage once a second, however often a server is asked for it', async () => {
  await using stub = await startS3Stub()
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: stub.url } })
  const statusOf = async () => (await app.send('GET', '/_/health/ready')).status
  assert.equal(await statusOf(), 200)
  const before = stub.calls.length
  const start = performance.now()
  for (let round = 0; round < 10; round += 1) {
    const statuses = await Promise.all(Array.from({ length: 10 }, statusOf))
    assert.deepEqual(new Set(statuses), new Set([200]))
  }
  const seconds = (performance.now() - start) / 1_000
  const asked = stub.calls.length - before
  // A check is at most two calls.
  assert.ok(asked <= 2 * Math.ceil(seconds), `the storage was asked ${asked} times in ${seconds} s`)

  stub.setFault(() => ({ status: 403, code: 'AccessDenied' }))
  await until(async () => (await statusOf()) === 503, 'trouble is reported')
  stub.setFault(() => undefined)
  await until(async () => (await statusOf()) === 200, 'its end is reported')
})
