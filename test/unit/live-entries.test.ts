import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test, vi } from 'vitest'
import { until } from '../support/until.ts'

afterEach(() => void vi.useRealTimers())

async function age(path: string): Promise<void> {
  const before = new Date(Date.now() - 3_600_000)
  await utimes(path, before, before)
}

test('what is alive has its time set every minute, for the sweeps of other processes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-alive-'))
  try {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    // Test files share a process: the heartbeat of an earlier one may run already, by the real clock.
    vi.resetModules()
    const { keepAlive } = await import('../../src/lib/files/live-entries.ts')
    const { removeOldEntries } = await import('../../src/lib/files/live-entries.ts')
    await mkdir(join(folder, 'one'))
    const living = keepAlive(join(folder, 'one'))
    const ageMs = async () => Date.now() - (await stat(join(folder, 'one'))).mtimeMs
    for (let minute = 0; minute < 3; minute += 1) {
      await age(join(folder, 'one'))
      assert.ok((await ageMs()) > 600_000)
      vi.advanceTimersByTime(60_000)
      await until(async () => (await ageMs()) < 600_000, 'the time is set')
    }
    living[Symbol.dispose]()
    await age(join(folder, 'one'))
    vi.advanceTimersByTime(120_000)
    assert.equal(await removeOldEntries(folder, { olderThanMs: 600_000 }), 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
