import assert from 'node:assert/strict'
import { test } from 'vitest'
import { secondsLeft } from '../../src/control/index.ts'

test('work that hardly moves has no estimate of its end', () => {
  assert.equal(secondsLeft({ done: 100, total: 700, rate: 10 }), 60)
  assert.equal(secondsLeft({ done: 9, total: 5, rate: 1 }), 0)
  assert.equal(secondsLeft({ done: 0, total: 99 * 3_600, rate: 1 }), 99 * 3_600)
  for (const work of [
    { done: 0, total: 9e15, rate: 1 },
    { done: 0, total: 100, rate: 0 },
    { done: 0, total: undefined, rate: 1 },
    { done: 0, total: 100, rate: undefined },
  ])
    assert.equal(secondsLeft(work), undefined)
})
