import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { openS3Storage } from '../../src/storage/index.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { contentOf, keysOf, put, refuses } from '../support/stores/storage-contract.ts'
import { type Fault, type StubCall, startS3Stub } from '../support/stores/storage-s3-stub.ts'

const quick = { answerMs: 1_000, totalMs: 6_000, pauseMs: 5, restMs: 150 }
/** The tries and the taking back together, and some room for a slow machine. */
const longestMs = quick.totalMs + quick.answerMs + 2_000

const names = ['cat.jpg', 'cat.md.jpg', 'cat.th.jpg']
const files = Object.fromEntries(names.map((name) => [`images/${name}`, `${name} `.repeat(2_000)]))

const passing: Record<string, Fault> = {
  'a 500': { status: 500, code: 'InternalError' },
  'a 503': { status: 503, code: 'SlowDown' },
  'a 500 though it was done': { status: 500, code: 'InternalError', isDone: true },
  'a 409': { status: 409, code: 'ConditionalRequestConflict' },
  'a digest that did not fit': { status: 400, code: 'BadDigest' },
  'no answer': 'hangBefore',
  'no answer though it was done': 'hangAfter',
  'a reset': 'resetBefore',
  'a reset though it was done': 'resetAfter',
}

describe('one fault at each call of a put', () => {
  test.each(Object.entries(passing))('%s is made good', async (_, fault) => {
    for (let number = 1; number <= names.length; number++) {
      await using backend = await openBackend()
      const { stub } = backend
      stub.setFault((call) => (call.number === number ? fault : undefined))
      await put(backend, files)
      assert.deepEqual(stored(stub), files)
      // What was done without an answer is found, not done again.
      const isDone =
        fault === 'hangAfter' || fault === 'resetAfter' || (typeof fault === 'object' && fault.isDone)
      if (isDone) assert.equal(stub.calls.filter(({ action }) => action === 'put').length, names.length)
    }
  })

  test('bytes that the server damaged are taken back and sent again, or refused', async () => {
    await using backend = await openBackend()
    backend.stub.setFault(({ action }) => (action === 'put' ? 'damage' : undefined))
    await refuses(put(backend, files), 'unavailable', 'storage-unavailable')
    assert.deepEqual(stored(backend.stub), {})
    backend.stub.setFault((call) => (call.number === 2 ? 'damage' : undefined))
    await put(backend, files)
    assert.deepEqual(stored(backend.stub), files)
  })

  test('no space there is no space here', async () => {
    for (const fault of [
      { status: 507, code: 'XMinioStorageFull' },
      { status: 403, code: 'QuotaExceeded' },
    ]) {
      await using backend = await openBackend()
      backend.stub.setFault((call) =>
        call.action === 'put' && call.key.includes('.md.') ? fault : undefined,
      )
      for (let round = 0; round < 4; round++) await refuses(put(backend, files), 'unavailable', 'disk-full')
      assert.deepEqual(stored(backend.stub), {})
    }
  })
})

describe('faults that stay', () => {
  test.each(Object.entries(passing))('%s for ever is refused in time', async (_, fault) => {
    for (const from of [1, 3]) {
      await using backend = await openBackend()
      backend.stub.setFault((call) => (call.action === 'put' && call.number >= from ? fault : undefined))
      const paths = await tempFiles(backend)
      const batch = names.map((name, index) => ({ key: `images/${name}`, path: paths[index] ?? '' }))
      using watch = startStopwatch()
      const outcome = await backend.storage.put(batch).then(
        () => 'done',
        (error) => error.code,
      )
      assert.ok(watch.ms() < longestMs)
      if (outcome === 'done') assert.deepEqual(stored(backend.stub), files)
      else {
        assert.equal(outcome, 'storage-unavailable')
        assert.deepEqual(stored(backend.stub), {}, 'what was placed is taken back')
        assert.ok(
          paths.every((path) => existsSync(path)),
          'the temporary files stay',
        )
      }
    }
  })

  test('a server that is silent altogether is given up in time', async () => {
    await using backend = await openBackend()
    const calls = [
      () => put(backend, files),
      () => backend.storage.read('images/cat.jpg'),
      () => backend.storage.list('', undefined, 10),
      () => backend.storage.remove(['images/cat.jpg']),
      () => backend.storage.check(),
    ]
    for (const fault of ['hangBefore', 'drip', 'resetBefore'] as const) {
      backend.stub.setFault(() => fault)
      for (const call of calls) {
        using watch = startStopwatch()
        if (fault !== 'drip') await refuses(call(), 'unavailable', 'storage-unavailable')
        else await call().catch(() => {})
        assert.ok(watch.ms() < longestMs)
      }
    }
  })

  test('what is wrong for good is not tried again', async () => {
    await using backend = await openBackend()
    backend.stub.setFault(() => ({ status: 403, code: 'SignatureDoesNotMatch' }))
    const refusal = await refuses(backend.storage.check(), 'unavailable', 'storage-unavailable')
    assert.equal(backend.stub.calls.length, 1)
    assert.match(String(refusal.cause), /SignatureDoesNotMatch \(403\)/)
    backend.stub.setFault(() => ({ status: 404, code: 'NoSuchBucket' }))
    await refuses(backend.storage.read('a.jpg'), 'unavailable', 'storage-unavailable')
  })

  test('no refusal shows a secret or the words of the far end', async () => {
    await using backend = await openBackend()
    for (const fault of [...Object.values(passing), { status: 403, code: 'AccessDenied' }]) {
      backend.stub.setFault(() => fault)
      const error = await put(backend, files).catch((reason: unknown) => reason)
      assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /verysecret/)
    }
  })
})

describe('a key that another writer takes', () => {
  test('a put whose first try was lost gives way, and takes nothing of the other’s away', async () => {
    await using backend = await openBackend()
    const { stub } = backend
    const theirs = { bytes: Buffer.from('theirs'), headers: { 'x-amz-meta-put': 'other' } }
    stub.setFault((call) => {
      if (call.action !== 'put' || call.number > 1) return undefined
      stub.objects.set(call.key, theirs)
      return 'hangBefore'
    })
    await refuses(put(backend, { 'images/cat.jpg': 'ours' }), 'conflict', 'key-taken')
    assert.deepEqual(stored(stub), { 'images/cat.jpg': 'theirs' })
  })

  test('when nothing can be found out, nothing of another’s is taken away', async () => {
    await using backend = await openBackend()
    const { stub } = backend
    stub.objects.set('images/cat.jpg', { bytes: Buffer.from('theirs'), headers: {} })
    stub.setFault(({ action }) => (action === 'put' || action === 'head' ? 'resetAfter' : undefined))
    await refuses(put(backend, { 'images/cat.jpg': 'ours' }), 'unavailable', 'storage-unavailable')
    assert.deepEqual(stored(stub), { 'images/cat.jpg': 'theirs' })
  })

  test('a server that hangs up instead of saying that the key is taken is understood', async () => {
    await using backend = await openBackend()
    const { stub } = backend
    const headers = { 'x-amz-meta-put': 'of another server' }
    stub.objects.set('images/cat.jpg', { bytes: Buffer.from('theirs'), headers })
    stub.setFault(({ action }) => (action === 'put' ? 'resetBefore' : undefined))
    await refuses(put(backend, { 'images/cat.jpg': 'ours' }), 'conflict', 'key-taken')
    assert.deepEqual(stored(stub), { 'images/cat.jpg': 'theirs' })
  })
})

describe('a bucket that is down', () => {
  test('is left alone after a few failures, answered for at once, and found again', async () => {
    await using backend = await openBackend({ ...quick, restMs: 1_000, failingMs: 0 })
    const { stub, storage } = backend
    stub.setFault(() => ({ status: 503, code: 'ServiceUnavailable' }))
    for (let round = 0; round < 2; round++)
      await refuses(storage.check(), 'unavailable', 'storage-unavailable')
    assert.equal(stub.calls.length, 5)

    using watch = startStopwatch()
    for (let round = 0; round < 50; round++)
      await refuses(storage.check(), 'unavailable', 'storage-unavailable')
    assert.ok(watch.ms() < 900)
    assert.equal(stub.calls.length, 5)

    await sleep(1_050)
    const probes = Array.from({ length: 10 }, () =>
      refuses(storage.check(), 'unavailable', 'storage-unavailable'),
    )
    await Promise.all(probes)
    assert.equal(stub.calls.length, 6, 'one call looks whether it is back')

    stub.setFault(() => undefined)
    await sleep(1_050)
    await storage.check()
    await put(backend, files)
    assert.deepEqual(stored(stub), files)
  })
})

describe('a moment in which every connection breaks', () => {
  test('is no outage: the files are put by the next attempt', async () => {
    await using backend = await openBackend({ ...quick, restMs: 60_000 })
    backend.stub.setFault(({ number }) => (number <= 10 ? 'resetBefore' : undefined))
    await put(backend, files)
    assert.deepEqual(stored(backend.stub), files)
  })
})

describe('reading and removing through faults', () => {
  test('a read is tried again until its first byte, and never ends early without saying so', async () => {
    await using backend = await openBackend()
    const { stub, storage } = backend
    await put(backend, files)
    for (const fault of [passing['a 500'], 'hangBefore', 'resetBefore'] as Fault[]) {
      stub.setFault((call) => (call.number === 1 ? fault : undefined))
      assert.equal(String(await contentOf(storage, 'images/cat.jpg')), files['images/cat.jpg'])
    }
    stub.setFault(() => 'truncate')
    await assert.rejects(contentOf(storage, 'images/cat.jpg'))
    await assert.rejects(async () => {
      const ranged = await storage.read('images/cat.jpg', { start: 0, end: 9 })
      if (ranged?.content instanceof Readable) await ranged.content.toArray()
    })
  })

  test('lists and removals that fail half-way are done again', async () => {
    await using backend = await openBackend()
    const { stub, storage } = backend
    await put(backend, files)
    for (const fault of ['truncate', 'drip', 'resetAfter', passing['a 503']] as Fault[]) {
      stub.setFault((call) => (call.number === 1 ? fault : undefined))
      assert.deepEqual(await keysOf(storage), Object.keys(files).sort())
    }
    stub.setFault((call) => (call.number === 1 ? 'refuseDeletes' : undefined))
    await storage.remove(['images/cat.jpg'])
    assert.equal(stub.objects.has('images/cat.jpg'), false)
    stub.setFault(() => 'refuseDeletes')
    await refuses(storage.remove(['images/cat.md.jpg']), 'unavailable', 'storage-unavailable')
    stub.setFault((call) => (call.number === 2 ? 'hangAfter' : undefined))
    await storage.removeAll('')
    assert.deepEqual(stored(stub), {})
  })
})

describe('long files in parts', () => {
  const tuning = { ...quick, largeBytes: 50_000, partBytes: 20_000 }
  const long = { 'films/long.mp4': randomBytes(32_000).toString('hex') }

  test.each(Object.entries(passing))('%s at each call is made good', async (_, fault) => {
    // The place-holder, the beginning, four parts and the completion.
    for (let number = 1; number <= 7; number++) {
      await using backend = await openBackend(tuning)
      backend.stub.setFault((call) => (call.number === number ? fault : undefined))
      await put(backend, long)
      assert.deepEqual(stored(backend.stub), long)
    }
  })

  test.each(['put', 'begin', 'part', 'complete'])('when each %s fails, nothing stays', async (action) => {
    await using backend = await openBackend({ ...tuning, failuresMost: 1_000 })
    backend.stub.setFault((call) =>
      call.action === action ? { status: 500, code: 'InternalError' } : undefined,
    )
    await refuses(put(backend, long), 'unavailable', 'storage-unavailable')
    assert.deepEqual(stored(backend.stub), {})
    assert.equal(backend.stub.uploads.size, 0)
  })

  test('are read back if the tags of their parts are no checksums', async () => {
    await using backend = await openBackend(tuning)
    backend.stub.setEcho('opaque')
    await put(backend, long)
    assert.deepEqual(stored(backend.stub), long)
    backend.stub.objects.clear()
    backend.stub.setFault(({ action }) => (action === 'part' ? 'damage' : undefined))
    await refuses(put(backend, long), 'unavailable', 'storage-unavailable')
    assert.deepEqual(stored(backend.stub), {})
  })

  test('of two at once exactly one wins, and what was cut off is swept', async () => {
    await using backend = await openBackend(tuning)
    const other = { 'films/long.mp4': randomBytes(32_000).toString('hex') }
    const outcomes = await Promise.allSettled([put(backend, long), put(backend, other)])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.deepEqual(stored(backend.stub), outcomes[0]?.status === 'fulfilled' ? long : other)

    backend.stub.uploads.set('left', { key: 'films/cut.mp4', headers: {}, parts: new Map() })
    await backend.storage.removeUnfinished('', new Date('2026-11-14T00:00:00Z'))
    assert.equal(backend.stub.uploads.size, 1)
    await backend.storage.removeUnfinished('', new Date('2026-11-16T00:00:00Z'))
    assert.equal(backend.stub.uploads.size, 0)
  })
})

test('whatever fails in whatever order, done means stored, and a refusal takes nothing of others away', async () => {
  const faults: (Fault | undefined)[] = [
    ...Object.values(passing),
    undefined,
    undefined,
    undefined,
    undefined,
    'damage',
  ]
  const script = fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 25 })
  const property = fc.asyncProperty(script, fc.boolean(), async (steps, isTaken) => {
    await using backend = await openBackend({
      ...quick,
      answerMs: 60,
      totalMs: 400,
      largeBytes: 20_000,
      partBytes: 9_000,
    })
    const { stub } = backend
    if (isTaken) stub.objects.set('images/cat.md.jpg', { bytes: Buffer.from('theirs'), headers: {} })
    stub.setFault((call: StubCall) => steps[call.number - 1])
    using watch = startStopwatch()
    const outcome = await put(backend, files).then(
      () => 'done',
      (error) => error.code,
    )
    assert.ok(watch.ms() < 400 + 60 + 2_000)
    assert.ok(['done', 'key-taken', 'storage-unavailable'].includes(outcome), outcome)
    if (outcome === 'done') assert.deepEqual(stored(stub), files)
    if (isTaken) assert.notEqual(outcome, 'done')
    if (isTaken) assert.equal(stored(stub)['images/cat.md.jpg'], 'theirs')
  })
  await fc.assert(property, { numRuns: 80 })
})

async function openBackend(tuning: object = quick) {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-s3-'))
  const stub = await startS3Stub()
  const storage = await openS3Storage({ url: stub.url, tuning })
  return {
    stub,
    storage,
    async tempFile(bytes: Buffer | string) {
      const path = join(folder, randomBytes(8).toString('hex'))
      await writeFile(path, bytes)
      return path
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await stub[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

function tempFiles({ tempFile }: { tempFile(text: string): Promise<string> }): Promise<string[]> {
  return Promise.all(Object.values(files).map(tempFile))
}

function stored({ objects }: Awaited<ReturnType<typeof startS3Stub>>): Record<string, string> {
  return Object.fromEntries(
    [...objects].filter(([key]) => key !== '.probe').map(([key, { bytes }]) => [key, bytes.toString()]),
  )
}
