import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What this machine lets us take away from a child, as the words of a command that starts it. */
export interface Confinement {
  prefix: readonly string[]
  hasNetwork: boolean
  hasMemoryLimit: boolean
}

/** Room that V8 and the threads reserve in writable memory without using it. */
const RESERVED_BYTES = 805_306_368
const MAX_FILE_BYTES = 2_147_483_648

const run = promisify(execFile)

/** Each program is tried, since a container may have it and still forbid what it does. */
export async function findConfinement(memoryBytes: number): Promise<Confinement> {
  const [ownNetwork, signals, limits] = await Promise.all([
    firstThatWorks([
      ['unshare', '--net', '--'],
      ['unshare', '--user', '--map-current-user', '--net', '--'],
    ]),
    // A child that is busy does not notice that the server has died; the kernel tells it.
    firstThatWorks([['setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--']]),
    firstThatWorks([
      [
        'prlimit',
        `--data=${memoryBytes + RESERVED_BYTES}`,
        `--fsize=${MAX_FILE_BYTES}`,
        '--nofile=256',
        '--core=0',
        '--',
      ],
    ]),
  ])
  return {
    // The signal comes last, because a new user namespace would take it back.
    prefix: [...ownNetwork, ...limits, ...signals],
    hasNetwork: ownNetwork.length === 0,
    hasMemoryLimit: limits.length > 0,
  }
}

async function firstThatWorks(candidates: readonly string[][]): Promise<readonly string[]> {
  for (const [program = '', ...words] of candidates) {
    try {
      await run(program, [...words, 'true'], { env: {}, timeout: 5_000 })
      return [program, ...words]
    } catch {
      // Not on this machine: the next way, or none.
    }
  }
  return []
}
