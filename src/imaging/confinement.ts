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
/** Larger than any file that is sent: a child writes what it is given once more, with changes. */
const MAX_FILE_BYTES = 68_719_476_736

const run = promisify(execFile)

/** For our own decoders, which live for many files. */
export const confineDecoder = (memoryBytes: number): Promise<Confinement> =>
  findConfinement([`--data=${memoryBytes + RESERVED_BYTES}`, `--fsize=${MAX_FILE_BYTES}`, '--nofile=256'])

/** For a program that reads one file and writes one small one. */
export const confineProgram = (limits: ProgramLimits): Promise<Confinement> =>
  findConfinement([
    `--as=${limits.memoryBytes}`,
    `--fsize=${limits.fileBytes}`,
    // Whoever does not heed the signal at the first limit is killed at the second.
    `--cpu=${limits.seconds}:${limits.seconds + 1}`,
    '--nofile=64',
  ])

export interface ProgramLimits {
  memoryBytes: number
  fileBytes: number
  seconds: number
}

/** Each program is tried, since a container may have it and still forbid what it does. */
async function findConfinement(resources: readonly string[]): Promise<Confinement> {
  const [ownNetwork, signals, limits] = await Promise.all([
    firstThatWorks([
      ['unshare', '--net', '--'],
      ['unshare', '--user', '--map-current-user', '--net', '--'],
    ]),
    // A child that is busy does not notice that the server has died; the kernel tells it.
    firstThatWorks([['setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--']]),
    firstThatWorks([['prlimit', ...resources, '--core=0', '--']]),
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
