import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe as anyDescribe, test as anyTest } from 'vitest'
import { findFfmpeg } from '../../src/imaging/index.ts'
import { addressOfRun } from './run/run-servers.ts'
import { writeNeed } from './run/skip-reason.ts'

const browserPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const

/** Debian's. Without the parts of a window a context takes a third of the CPU. */
export const browserPath = browserPaths.find((path) => existsSync(path)) ?? browserPaths[0]

/**
 * Everything that a test may need beyond Node and the packages, and why it cannot be had here; undefined when it can.
 * `.ci/run` installs all of it.
 */
const faults = {
  linux: async () => (process.platform === 'linux' ? undefined : `this is ${process.platform}`),
  strace: async () => (await import('../faults/crash/strace.ts')).tracingFault(),
  'small disk': async () =>
    (await import('../faults/crash/mounts.ts')).mountFault('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs'),
  'loop device': async () => (await import('../faults/crash/power.ts')).powerFault(),
  'mount namespace': async () =>
    process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0
      ? undefined
      : 'unshare -m needs root',
  radosgw: async () => (await addressOfRun('radosgw')).fault,
  chromium: async () => (existsSync(browserPath) ? undefined : `there is no ${browserPath}`),
  'video libraries': async () =>
    (await findFfmpeg({})) ? undefined : 'their package is not installed for this machine',
  exiftool: () => programFault('exiftool', '-ver'),
  ffmpeg: () => programFault('ffmpeg', '-version'),
  npm: () => programFault('npm', '--version'),
  tar: () => programFault('tar', '--version'),
  bsdtar: () => programFault('bsdtar', '--version'),
  python: () => programFault('python3', '--version'),
  script: () => programFault('script', '--version'),
  curl: () => programFault('curl', '--version'),
  openssl: () => programFault('openssl', 'version'),
  nginx: () => programFault('nginx', '-v'),
  caddy: () => programFault('caddy', 'version'),
  citus: async () => (process.env.TEST_CITUS_URL ? undefined : 'TEST_CITUS_URL names no coordinator'),
  pgbouncer: () => programFault('pgbouncer', '--version'),
} satisfies Record<string, () => Promise<string | undefined>>

export type Need = keyof typeof faults

async function programFault(program: string, word: string): Promise<string | undefined> {
  return spawnSync(program, [word]).status === 0 ? undefined : `${program} is not installed`
}

interface Needing {
  describe: typeof anyDescribe
  test: typeof anyTest
  isMet: boolean
}

/** `describe` and `test` for what cannot be shown without these. A test that is skipped says in its name what it needs. */
export async function needing(...needs: Need[]): Promise<Needing> {
  for (const need of needs) {
    const fault = await faults[need]()
    if (fault === undefined) continue
    const [why = ''] = fault.split('\n')
    const named = (name: unknown) => `${String(name)} ${writeNeed({ need, why: why.slice(0, 120) })}`
    return {
      describe: ((name: string, ...rest: []) => anyDescribe.skip(named(name), ...rest)) as typeof anyDescribe,
      test: ((name: string, ...rest: []) => anyTest.skip(named(name), ...rest)) as typeof anyTest,
      isMet: false,
    }
  }
  return { describe: anyDescribe, test: anyTest, isMet: true }
}
