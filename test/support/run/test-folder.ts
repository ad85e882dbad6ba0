import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The largest of the tests' files are videos of 500 MB, and three workers write at once. */
const bytesOfTests = 4_000_000_000

/** Where a run's tests write, as the `TMPDIR` of their workers. Tests of power cuts bring disks of their own. */
export function testFolder(): string {
  return join(quickestFolder(bytesOfTests), `terrace-tests-${process.pid}`)
}

/**
 * In memory where there is room for so many bytes: a disk takes up to 10 ms for each of the syncs that an upload waits for,
 * and 150 ms in place of 15 for a new database of PostgreSQL.
 */
export function quickestFolder(neededBytes: number): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > neededBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
