import assert from 'node:assert/strict'
import { readFileSync, readlinkSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { parsePsTime } from '../../src/imaging/children/watch-process.ts'
import { FairQueue } from '../../src/imaging/fair-queue.ts'
import { hostileDecoder, orderFor } from '../support/faults/decoder-orders.ts'
import { drawQuarters, startTestImaging } from '../support/fixtures/imaging-pictures.ts'
import { until } from '../support/until.ts'

const picture = await drawQuarters(64, 48).png().toBuffer()

describe('a child that goes wrong takes only its own job along:', () => {
  const broken = { kind: 'invalid', code: 'not-decodable' }
  const ways = {
    abort: broken,
    exit: broken,
    spin: { ...broken, message: 'The file takes more than 2 seconds of processor time to read.' },
    hang: { kind: 'unavailable', code: 'decoder-busy' },
    'eat-memory': broken,
  }
  for (const [way, refusal] of Object.entries(ways)) {
    test(way, async () => {
      // On a busy machine two seconds of the processor take long.
      const maxWallSeconds = way === 'hang' ? 4 : 120
      const limits = { maxSeconds: 2, maxWallSeconds, maxMemoryBytes: 300_000_000 }
      await using it = startTestImaging({ ...limits, worker: hostileDecoder })
      await it.examine(picture)
      const delay = monitorEventLoopDelay({ resolution: 10 })
      delay.enable()
      const [bad, ...good] = await Promise.allSettled([
        it.examine(orderFor(way)),
        ...['b', 'c'].map((tenantKey) => it.examine(picture, { tenantKey })),
      ])
      assert.ok(bad?.status === 'rejected')
      for (const [field, value] of Object.entries(refusal)) assert.equal(bad.reason[field], value)
      assert.deepEqual(
        good.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      )
      const waited = delay.percentile(90) / 1e6
      assert.ok(waited < 100, `the event loop stood still for ${waited} ms`)
      assert.equal((await it.examine(picture)).width, 64)
    })
  }

  test('and a product has no decoder that obeys a file', async () => {
    await using it = startTestImaging()
    await assert.rejects(it.examine(orderFor('abort')), { code: 'not-media' })
  })

  test('and one that is killed from outside is replaced', async () => {
    await using it = startTestImaging()
    await it.examine(picture)
    const [pid = 0] = it.imaging.pids
    process.kill(pid, 'SIGKILL')
    await sleep(200)
    assert.deepEqual(it.imaging.pids, [])
    await it.examine(picture)
    assert.notDeepEqual(it.imaging.pids, [pid])
  })
})

describe('a file whose decoder is killed from outside', () => {
  test('is read by another one, and is not called broken', async () => {
    await using it = startTestImaging()
    await it.examine(picture)
    const [pid = 0] = it.imaging.pids
    const job = it.examine(await drawQuarters(3000, 2000).png().toBuffer())
    process.kill(pid, 'SIGKILL')
    assert.equal((await job).width, 3000)
    assert.ok(!it.imaging.pids.includes(pid))
  })

  test('is tried no more than twice, and may be sent again', async () => {
    await using it = startTestImaging({ worker: hostileDecoder })
    await it.examine(picture)
    const refused = assert.rejects(it.examine(orderFor('hang')), {
      kind: 'unavailable',
      code: 'decoder-killed',
    })
    const [first = 0] = it.imaging.pids
    process.kill(first, 'SIGKILL')
    await until(() => it.imaging.pids.some((pid) => pid !== first), 'another decoder')
    const [second = 0] = it.imaging.pids.filter((pid) => pid !== first)
    process.kill(second, 'SIGTERM')
    await refused
    assert.equal((await it.examine(picture)).width, 64)
  })
})

test('it is processor time that a file may not use too much of, not time that passes', async () => {
  await using it = startTestImaging({ worker: hostileDecoder, maxSeconds: 1 })
  await assert.rejects(it.examine(orderFor('wait', 2_000)), { code: 'not-decodable', cause: /waited/ })
})

test('times of `ps` are read, where there is no /proc', () => {
  const times = ['0:01.50', ' 12:03', '1:00:02', '2-01:00:00'].map(parsePsTime)
  assert.deepEqual(times, [1.5, 723, 3602, 176_400])
})

test('a child knows nothing of the environment and reaches no network', async () => {
  process.env.TERRACE_TEST_SECRET = 'canary'
  await using it = startTestImaging()
  await it.examine(picture)
  const [pid] = it.imaging.pids
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0])
  assert.deepEqual(names.filter((name) => name !== '' && !name?.startsWith('NODE_CHANNEL_')).sort(), [
    'MALLOC_ARENA_MAX',
    'NODE_COMPILE_CACHE',
    'OPENSSL_CONF',
    'VIPS_BLOCK_UNTRUSTED',
  ])
  delete process.env.TERRACE_TEST_SECRET

  const confinement = await it.imaging.confinement()
  if (confinement.hasNetwork) return console.warn('This machine does not let a child be cut off the network.')
  assert.notEqual(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
  assert.doesNotMatch(readFileSync(`/proc/${pid}/net/dev`, 'utf8'), /eth|ens|enp|wlan/)
})

test('a child that has done its number of jobs, or holds much memory, is replaced', async () => {
  await using often = startTestImaging({ jobsPerChild: 2 })
  const seen = new Set<number>()
  for (let job = 0; job < 4; job++) {
    await often.examine(picture)
    for (const pid of often.imaging.pids) seen.add(pid)
  }
  assert.equal(seen.size, 2)

  await using heavy = startTestImaging({ maxIdleBytes: 1 })
  await heavy.examine(picture)
  assert.deepEqual(heavy.imaging.pids, [])
})

test('one tenant with many pictures does not keep another waiting to the end', async () => {
  await using it = startTestImaging()
  await it.examine(picture)
  const order: string[] = []
  const many = Array.from({ length: 20 }, () =>
    it.examine(picture, { tenantKey: 'many' }).then(() => order.push('many')),
  )
  const one = it.examine(picture, { tenantKey: 'one' }).then(() => order.push('one'))
  await Promise.all([...many, one])
  assert.ok(order.indexOf('one') <= 2, `served as number ${order.indexOf('one')}`)
})

test('a job that waits too long is refused, and may be sent again', async () => {
  await using it = startTestImaging({ worker: hostileDecoder, maxWaitSeconds: 0.2 })
  await it.examine(picture)
  const leaving = new AbortController()
  const first = it.examine(orderFor('hang'), { signal: leaving.signal })
  await assert.rejects(it.examine(picture), { kind: 'unavailable', code: 'decoder-busy' })
  assert.equal(it.imaging.waiting, 0)
  leaving.abort()
  await assert.rejects(first)
})

test('a job that takes long is stopped when its caller has left', async () => {
  await using it = startTestImaging({ worker: hostileDecoder })
  await it.examine(picture)
  const leaving = new AbortController()
  const job = it.examine(orderFor('hang'), { signal: leaving.signal, onBegin: () => leaving.abort() })
  await assert.rejects(job)
  assert.equal((await it.examine(picture)).width, 64)
})

test('a full queue refuses, and accepts a tenant that has fewer items in it', async () => {
  await using it = startTestImaging({ maxWaiting: 3 })
  const outcomes: string[] = []
  const ask = (tenantKey: string) =>
    it.examine(picture, { tenantKey }).then(
      () => outcomes.push(tenantKey),
      (refusal) => outcomes.push(`${tenantKey}: ${refusal.kind} ${refusal.code}`),
    )
  const all = [...Array(5).fill('many'), 'one'].map(ask)
  assert.equal(it.imaging.waiting, 3)
  await Promise.all(all)
  const busy = 'many: unavailable decoder-busy'
  assert.deepEqual(outcomes.sort(), ['many', 'many', 'many', busy, busy, 'one'].sort())
})

test('a job whose caller gives up leaves the queue', async () => {
  await using it = startTestImaging()
  const leaving = new AbortController()
  const first = it.examine(picture)
  const second = it.examine(picture, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await assert.rejects(second, /gone/)
  assert.equal(it.imaging.waiting, 0)
  await first
})

test('a child that was started before it is needed is the one that works', async () => {
  await using it = startTestImaging()
  const warmed = [it.imaging.warmUp(), it.imaging.warmUp()]
  // Sooner than it can be ready.
  const first = it.examine(picture)
  await until(() => it.imaging.pids.length > 0, 'a child')
  const pids = it.imaging.pids
  await first
  await Promise.all([...warmed, it.imaging.warmUp()])
  await it.examine(picture)
  assert.equal(pids.length, 1)
  assert.deepEqual(it.imaging.pids, pids)
})

test('a child that ends before it is needed keeps no caller from another', async () => {
  await using it = startTestImaging()
  const warmed = it.imaging.warmUp()
  await until(() => it.imaging.pids.length > 0, 'a child')
  const [pid = 0] = it.imaging.pids
  process.kill(pid, 'SIGKILL')
  await assert.rejects(warmed, { code: 'decoder-killed' })
  assert.equal((await it.examine(picture)).width, 64)
  assert.ok(!it.imaging.pids.includes(pid))
})

test('closing ends a child that has not started yet', async () => {
  const it = startTestImaging()
  const warmed = it.imaging.warmUp()
  await until(() => it.imaging.pids.length > 0, 'a child')
  const [pid = 0] = it.imaging.pids
  await it[Symbol.asyncDispose]()
  await warmed
  assert.throws(() => process.kill(pid, 0))
})

test('closing ends the children and refuses what waits', async () => {
  const it = startTestImaging()
  await it.examine(picture)
  const [pid = 0] = it.imaging.pids
  const jobs = [it.examine(picture), it.examine(picture)]
  const reconciled = Promise.allSettled(jobs)
  await it[Symbol.asyncDispose]()
  assert.ok((await reconciled).some(({ status }) => status === 'rejected'))
  assert.throws(() => process.kill(pid, 0))
  await assert.rejects(it.imaging.examine('', { tenantKey: '', outputFolder: '', policy: 'keep' }), {
    code: 'decoder-unavailable',
  })
})

test('turns are fair: a tenant waits for at most one item of each other tenant', () => {
  const pushes = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  fc.assert(
    fc.property(pushes, (keys) => {
      const queue = new FairQueue<string>(100)
      for (const key of keys) queue.push(key, key)
      const waits = new Map<string, number>()
      for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
        for (const [key, wait] of waits) waits.set(key, wait + 1)
        assert.ok((waits.get(taken) ?? 0) <= 4)
        waits.set(taken, 0)
      }
      assert.equal(queue.size, 0)
    }),
  )
})

test('the queue never grows beyond its limit, and no item is lost', () => {
  const pushes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 })
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 8 }), (keys, limit) => {
      const queue = new FairQueue<object>(limit)
      const left: object[] = []
      for (const key of keys) {
        const leaving = queue.push(key, { key })
        if (leaving !== undefined) left.push(leaving)
        assert.ok(queue.size <= limit)
      }
      const taken: object[] = []
      for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
      assert.equal(new Set([...left, ...taken]).size, keys.length)
    }),
  )
})
