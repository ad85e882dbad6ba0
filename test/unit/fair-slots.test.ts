import assert from 'node:assert/strict'
import { test } from 'vitest'
import { FairSlots } from '../../src/lib/concurrency/fair-slots.ts'

const busy = () => new Error('busy')
const never = () => new AbortController().signal
const newSlots = (bounds: Partial<ConstructorParameters<typeof FairSlots>[0]> = {}) =>
  new FairSlots({ inAll: 4, perTenant: 2, waiting: 4, waitMs: 60_000, busy, ...bounds })

/** Takes a slot and notes who got one, in order. */
function taker(slots: FairSlots) {
  const got: string[] = []
  const held: Disposable[] = []
  const take = (who: string, signal = never()) =>
    slots.take(who.slice(0, 1), signal).then((slot) => {
      got.push(who)
      held.push(slot)
    })
  const free = async (index: number) => {
    held[index]?.[Symbol.dispose]()
    // The grant goes through a few promises before it is noted.
    await new Promise((done) => setImmediate(done))
  }
  return { got, take, free }
}

test('one tenant gets no more than its share, and another does not wait for it', async () => {
  const slots = newSlots()
  const { got, take, free } = taker(slots)
  const all = ['a1', 'a2', 'a3', 'a4'].map((who) => take(who))
  await take('b1')
  assert.deepEqual(got, ['a1', 'a2', 'b1'])
  assert.deepEqual([slots.inUse, slots.waiting], [3, 2])
  await free(0)
  await free(1)
  await Promise.all(all)
  assert.deepEqual(got, ['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('a free slot goes to the tenant that uses the fewest, then to the one that came first', async () => {
  const slots = newSlots({ inAll: 3 })
  const { got, take, free } = taker(slots)
  await Promise.all([take('a1'), take('a2'), take('b1')])
  const waiting = [take('b2'), take('c1'), take('c2')]
  await free(0)
  assert.deepEqual(got.slice(3), ['c1'])
  await free(1)
  assert.deepEqual(got.slice(3), ['c1', 'b2'])
  await free(2)
  assert.deepEqual(got.slice(3), ['c1', 'b2', 'c2'])
  await Promise.all(waiting)
  // Freed twice is freed once.
  await free(0)
  assert.equal(slots.inUse, 3)
})

test('a full queue refuses the newcomer, or the last waiter of the tenant that fills it', async () => {
  const slots = newSlots({ inAll: 1 })
  const { got, take, free } = taker(slots)
  await take('a0')
  const waiting = ['a1', 'a2', 'a3', 'a4'].map((who) => take(who))
  await assert.rejects(take('a5'), { message: 'busy' })
  for (const [who, leaving] of [
    ['b1', 3],
    ['c1', 2],
    ['d1', 1],
  ] as const) {
    waiting.push(take(who))
    await assert.rejects(waiting[leaving] as Promise<void>, { message: 'busy' })
  }
  // Every tenant has one waiter now: none of them has to leave for another.
  await assert.rejects(take('e1'), { message: 'busy' })
  for (const index of [0, 1, 2, 3]) await free(index)
  await Promise.allSettled(waiting)
  assert.deepEqual(got, ['a0', 'a1', 'b1', 'c1', 'd1'])
})

test('a request that waits too long is refused, and one whose caller leaves takes no slot', async () => {
  const slots = newSlots({ inAll: 1, waitMs: 1 })
  const { got, take, free } = taker(slots)
  await take('a1')
  await assert.rejects(take('a2'), { message: 'busy' })
  const stop = new AbortController()
  const patient = newSlots({ inAll: 1 })
  const other = taker(patient)
  await other.take('a1')
  const left = other.take('a2', stop.signal)
  stop.abort(new Error('left'))
  await assert.rejects(left, { message: 'left' })
  await assert.rejects(other.take('a3', stop.signal), { message: 'left' })
  await other.free(0)
  await free(0)
  assert.deepEqual([slots.inUse, slots.waiting, patient.inUse, patient.waiting], [0, 0, 0, 0])
  assert.deepEqual([got, other.got], [['a1'], ['a1']])
})
