import assert from 'node:assert/strict'
import { readFileSync, readlinkSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { TurnQueue } from '../src/imaging/turn-queue.ts'
import { drawQuarters, startTestImaging } from './imaging-pictures.ts'
import { until } from './until.ts'

const picture = await drawQuarters(64, 48).png().toBuffer()

describe('a child that goes wrong takes only its own job along:', () => {
  const ways = ['abort', 'exit', 'spin', 'hang', 'eat-memory'] as const
  for (const misbehave of ways) {
    test(misbehave, async () => {
      await using it = startTestImaging({ maxSeconds: 2, maxMemoryBytes: 300_000_000, mayMisbehave: true })
      await it.examine(picture)
      const delay = monitorEventLoopDelay({ resolution: 10 })
      delay.enable()
      const startedAt = performance.now()
      const [bad, ...good] = await Promise.allSettled([
        it.examine(picture, { misbehave }),
        ...['b', 'c'].map((share) => it.examine(picture, { share })),
      ])
      assert.equal(bad?.status === 'rejected' && bad.reason.code, 'not-decodable')
      assert.ok(performance.now() - startedAt < 8000)
      assert.deepEqual(
        good.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      )
      const waited = delay.percentile(90) / 1e6
      assert.ok(waited < 100, `the event loop stood still for ${waited} ms`)
      assert.equal((await it.examine(picture)).width, 64)
    })
  }

  test('and nobody can ask for it unless it was allowed', async () => {
    await using it = startTestImaging()
    assert.equal((await it.examine(picture, { misbehave: 'abort' })).width, 64)
  })

  test('and one that somebody else kills is replaced', async () => {
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
    'VIPS_BLOCK_UNTRUSTED',
  ])
  delete process.env.TERRACE_TEST_SECRET

  const confinement = await it.imaging.confinement()
  if (confinement.hasNetwork) return console.warn('This machine does not let a child be cut off the network.')
  assert.notEqual(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
  assert.doesNotMatch(readFileSync(`/proc/${pid}/net/dev`, 'utf8'), /eth|ens|enp|wlan/)
})

test('a child that has done its share of jobs, or holds much memory, makes way for a new one', async () => {
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

test('one share with many pictures does not keep another waiting to the end', async () => {
  await using it = startTestImaging()
  await it.examine(picture)
  const order: string[] = []
  const many = Array.from({ length: 20 }, () =>
    it.examine(picture, { share: 'many' }).then(() => order.push('many')),
  )
  const one = it.examine(picture, { share: 'one' }).then(() => order.push('one'))
  await Promise.all([...many, one])
  assert.ok(order.indexOf('one') <= 2, `served as number ${order.indexOf('one')}`)
})

test('a full line refuses, and lets in a share that has less in it', async () => {
  await using it = startTestImaging({ maxWaiting: 3 })
  const outcomes: string[] = []
  const ask = (share: string) =>
    it.examine(picture, { share }).then(
      () => outcomes.push(share),
      (refusal) => outcomes.push(`${share}: ${refusal.kind} ${refusal.code}`),
    )
  const all = [...Array(5).fill('many'), 'one'].map(ask)
  assert.equal(it.imaging.waiting, 3)
  await Promise.all(all)
  const busy = 'many: unavailable decoder-busy'
  assert.deepEqual(outcomes.sort(), ['many', 'many', 'many', busy, busy, 'one'].sort())
})

test('who gives up leaves the line', async () => {
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

test('a child that ends before it is needed keeps nobody from another', async () => {
  await using it = startTestImaging()
  const warmed = it.imaging.warmUp()
  await until(() => it.imaging.pids.length > 0, 'a child')
  const [pid = 0] = it.imaging.pids
  process.kill(pid, 'SIGKILL')
  await assert.rejects(warmed, { code: 'decoder-unavailable' })
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
  const settled = Promise.allSettled(jobs)
  await it[Symbol.asyncDispose]()
  assert.ok((await settled).some(({ status }) => status === 'rejected'))
  assert.throws(() => process.kill(pid, 0))
  await assert.rejects(it.imaging.examine('', { share: '', outputFolder: '', policy: 'keep' }), {
    code: 'decoder-unavailable',
  })
})

test('turns are fair: a share waits for at most one of each other share', () => {
  const pushes = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  fc.assert(
    fc.property(pushes, (shares) => {
      const line = new TurnQueue<string>(100)
      for (const share of shares) line.push(share, share)
      const waits = new Map<string, number>()
      for (let taken = line.take(); taken !== undefined; taken = line.take()) {
        for (const [share, wait] of waits) waits.set(share, wait + 1)
        assert.ok((waits.get(taken) ?? 0) <= 4)
        waits.set(taken, 0)
      }
      assert.equal(line.size, 0)
    }),
  )
})

test('the line never grows beyond its limit, and nothing in it is lost', () => {
  const pushes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 })
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 8 }), (shares, limit) => {
      const line = new TurnQueue<object>(limit)
      const left: object[] = []
      for (const share of shares) {
        const leaving = line.push(share, { share })
        if (leaving !== undefined) left.push(leaving)
        assert.ok(line.size <= limit)
      }
      const taken: object[] = []
      for (let item = line.take(); item !== undefined; item = line.take()) taken.push(item)
      assert.equal(new Set([...left, ...taken]).size, shares.length)
    }),
  )
})
