import assert from 'node:assert/strict'
import { test } from 'vitest'
import { hedged } from '../../src/lib/concurrency/promises.ts'

const never = new Promise<string>(() => undefined)
const answer = async (text: string) => text
const fail = async (text: string): Promise<string> => {
  throw new Error(text)
}
const wontBeAsked = () => fail('the second was asked')

test('a second source is asked only if the first is late or fails', async () => {
  assert.equal(await hedged(answer('first'), wontBeAsked, 10_000), 'first')
  assert.equal(await hedged(fail('first'), () => answer('second'), 10_000), 'second')
  assert.equal(await hedged(never, () => answer('second'), 1), 'second')
})

test('a late first source may still answer before the second', async () => {
  const first = Promise.withResolvers<string>()
  const asked = hedged(
    first.promise,
    () => {
      first.resolve('first')
      return never
    },
    1,
  )
  assert.equal(await asked, 'first')
})

test('if both sources fail, the error is that of the second', async () => {
  await assert.rejects(
    hedged(fail('first'), () => fail('second'), 10_000),
    { message: 'second' },
  )
})
