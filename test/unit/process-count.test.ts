import assert from 'node:assert/strict'
import { test } from 'vitest'
import { processesFor, roomHere } from '../../src/lib/processes/process-count.ts'

const mb = 1_048_576

test('a server has one process for each core that has 512 MB of memory, and one at least', () => {
  const cases = [
    [{ cores: 4, memoryBytes: 8_192 * mb }, 4],
    [{ cores: 4, memoryBytes: 1_500 * mb }, 2],
    [{ cores: 4, memoryBytes: 1_023 * mb }, 1],
    [{ cores: 4, memoryBytes: 256 * mb }, 1],
    [{ cores: 1, memoryBytes: 8_192 * mb }, 1],
  ] as const
  for (const [room, count] of cases) assert.equal(processesFor({ ...room, sharesPorts: true }), count)
  assert.equal(processesFor({ cores: 4, memoryBytes: 8_192 * mb, sharesPorts: false }), 1)
})

test('the room is that of this process, never more than the machine has', () => {
  const { cores, memoryBytes } = roomHere()
  assert.ok(cores >= 1 && Number.isInteger(cores))
  assert.ok(memoryBytes > 64 * mb && memoryBytes < 2 ** 50)
})
