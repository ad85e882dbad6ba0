import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The largest of the tests' files are videos of 500 MB, and three workers write at once. */
const neededBytes = 4_000_000_000

/**
 * Where a run's tests write, as the `TMPDIR` of their workers: in memory where there is room, since a disk takes up to 10 ms
 * for each of the syncs that an upload waits for. Tests of power cuts bring disks of their own.
 */
export function testFolder(): string {
  return join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), `terrace-tests-${process.pid}`)
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > neededBytes
  } catch {
    return false
  }
}
