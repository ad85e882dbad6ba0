import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { type S3Fault, type S3Proxy, s3Faults, startS3Proxy } from '../support/faults/s3-proxy.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { noise, statsOf, type TestTenant, upload } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

/** Every answer that something may be wrong with: the words for it are those of the contract. */
function assertAway(
  { status, headers, text }: Awaited<ReturnType<typeof ask | typeof upload>>,
  what: string,
) {
  assert.equal(status, 503, `${what}: ${text}`)
  assert.match(String(headers['retry-after']), /^\d+$/, what)
}

/** Each of them waits for a time-out at every journey: several journeys wait side by side. */
const hangs: readonly S3Fault[] = ['hangBefore', 'hangAfter']
const lanesOfHang = 4

bucketed.describe('an S3 server that does at one call', () => {
  for (const fault of s3Faults) {
    const isHang = hangs.includes(fault)
    const lanes = isHang ? lanesOfHang : 1
    test(`"${fault}": what is acknowledged is there and counted, and nothing else is`, {
      timeout: 240_000,
      concurrent: isHang,
    }, async () => {
      await Promise.all(Array.from({ length: lanes }, (_, lane) => travel(fault, lane + 1, lanes)))
    })
  }
})

/** One journey after the other, each with a later call gone wrong, until there is no such call. */
async function travel(fault: S3Fault, first: number, step: number): Promise<void> {
  if (radosgw === undefined) return
  await using proxy = await startS3Proxy(radosgw.endpoint)
  const bucket = await freshBucket(radosgw, proxy.port)
  const environment = { SERVICE_STORAGE_URL: bucket.url }
  await using app = await startTestApp({ store: 'postgres', environment })
  const cats = await app.tenant('cats')
  let wasFaulted = true
  for (let number = first; wasFaulted; number += step) {
    wasFaulted = await journey({ app, cats, proxy, number, fault })
    assert.equal((await statsOf(app, cats)).files, 0)
  }
  // All of them were deleted again; what could not be removed at once is noted and nobody's.
  assert.equal((await app.send('GET', '/_/health/ready')).status, 200)
}

interface Journey {
  app: TestApp
  cats: TestTenant
  proxy: S3Proxy
  /** Of the call that goes wrong. */
  number: number
  fault: S3Fault
}

/** Uploads, reads whole and in part, and deletes, with one call gone wrong on the way; tells whether one has. */
async function journey({ app, cats, proxy, number, fault }: Journey): Promise<boolean> {
  const what = `${fault} at call ${number}`
  // Too large for the memory of small files, so that every reading is a call.
  const file = await noise(520, 60)
  const before = proxy.calls()
  const faultOf = (call: number) => (call === before + number ? fault : undefined)
  proxy.onCall(faultOf)
  const wasFaulted = () => proxy.calls() >= before + number
  const answer = await upload(app, cats, { file })
  if (answer.status !== 200) {
    assertAway(answer, what)
    return true
  }
  const { url, delete_url: deleteUrl } = answer.json.image
  assert.equal((await statsOf(app, cats)).files, 1, what)

  for (const [range, wanted] of [
    ['', file],
    ['bytes=5-99', file.subarray(5, 100)],
  ] as const) {
    const headers: Record<string, string> = range ? { range } : {}
    const seen = await ask(app, url, headers).catch(() => undefined)
    // Cut off in the middle is seen as that; what arrives whole is right.
    if (seen && seen.status < 300) assert.ok(seen.bytes.equals(wanted), what)
    else if (seen) assertAway(seen, what)
  }
  if (wasFaulted()) {
    const { status, bytes } = await ask(app, url)
    assert.ok(status === 200 && bytes.equals(file), `${what}: ${status} once the fault is over`)
  }
  const deletion = await ask(app, deleteUrl)
  const isDone = wasFaulted()
  proxy.onCall(() => undefined)
  assert.ok(deletion.status === 200, `${what}: ${deletion.text}`)
  assert.equal((await ask(app, url)).status, 404, what)
  return isDone
}
