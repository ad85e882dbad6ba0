import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Budget } from '../../src/lib/concurrency/budget.ts'
import { Slots } from '../../src/lib/concurrency/slots.ts'
import { addressKey } from '../../src/lib/net/addresses.ts'

const patient = new AbortController().signal
const busy = { silentMs: () => 0, end: () => assert.fail('it is not silent') }

describe('slots', () => {
  const limits = { most: 3, mostPerKey: 2, waitMs: 20, silentMs: 1_000 }

  test('are bounded in all and for each key, and callers wait for them in turn', async () => {
    const slots = new Slots({ ...limits, waitMs: 60_000 })
    const first = await slots.take('a', busy, patient)
    await slots.take('a', busy, patient)
    const order: string[] = []
    const waiting = ['a', 'b', 'c'].map(async (key) => {
      const release = await slots.take(key, busy, patient)
      order.push(key)
      return release
    })
    // One of another key passes the one whose key is at its bound.
    await waiting[1]
    assert.deepEqual([order, slots.heldCount], [['b'], 3])
    first?.()
    first?.()
    await waiting[0]
    assert.deepEqual([order, slots.heldCount], [['b', 'a'], 3])
    ;(await waiting[1])?.()
    await waiting[2]
    assert.deepEqual(order, ['b', 'a', 'c'])
  })

  test('are not waited for beyond the time, or by a caller who is gone', async () => {
    const slots = new Slots({ ...limits, most: 1 })
    const release = await slots.take('a', busy, patient)
    assert.equal(await slots.take('b', busy, patient), undefined)
    const gone = new AbortController()
    const waiting = slots.take('b', busy, gone.signal)
    gone.abort()
    assert.equal(await waiting, undefined)
    release?.()
    assert.equal(slots.heldCount, 0)
    assert.ok(await slots.take('b', busy, patient))
  })

  test('are taken from the holder that has been silent longest, where it helps', async () => {
    const slots = new Slots({ ...limits, waitMs: 60_000 })
    const ended: string[] = []
    const hold = async (key: string, name: string, silentMs: number) => {
      const end = () => {
        ended.push(name)
        release?.()
      }
      const release = await slots.take(key, { silentMs: () => silentMs, end }, patient)
    }
    await hold('a', 'short', 500)
    await hold('a', 'long', 2_000)
    await hold('b', 'longest', 9_000)
    assert.ok(await slots.take('a', busy, patient))
    assert.deepEqual(ended, ['long'])
    assert.ok(await slots.take('c', busy, patient))
    assert.deepEqual(ended, ['long', 'longest'])
  })

  test('of callers without a key are bounded in all alone', async () => {
    const slots = new Slots(limits)
    for (let count = 0; count < 3; count += 1) assert.ok(await slots.take(undefined, busy, patient))
    assert.equal(await slots.take(undefined, busy, patient), undefined)
  })
})

test('a budget is bounded in all and for each key, and is given back once', () => {
  const budget = new Budget({ mostBytes: 10, mostBytesPerKey: 6 })
  const [one, two, three] = [budget.open('a'), budget.open('a'), budget.open(undefined)]
  assert.deepEqual(
    [one.take(4), two.take(3), two.take(2), three.take(5), three.take(4)],
    [true, false, true, false, true],
  )
  assert.equal(budget.takenBytes, 10)
  one.close()
  one.close()
  assert.deepEqual([budget.takenBytes, one.take(100), budget.takenBytes], [6, true, 6])
  assert.ok(two.take(4))
  two.close()
  three.close()
  assert.equal(budget.takenBytes, 0)
})

test('callers are counted by IPv4 address or by the /64 of an IPv6 one', () => {
  assert.equal(addressKey('192.0.2.7'), '192.0.2.7')
  assert.equal(addressKey('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(addressKey('2001:db8::1'), addressKey('2001:db8:0:0:ffff::2'))
  assert.notEqual(addressKey('2001:db8::1'), addressKey('2001:db8:0:1::1'))
})
