import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { InnerSandbox } from './inner-sandbox.ts'
import { restrictFiles } from './landlock.ts'
import { openLibc } from './libc.ts'
import { restrictCalls } from './seccomp.ts'

/**
 * Enters the sandbox and becomes another program: `enter.ts SANDBOX PROGRAM ARGUMENTS…`. This must happen before the decoder
 * starts, because a running Node has threads, which the sandbox would not cover.
 */

const PR_SET_PDEATHSIG = 1
const PR_SET_NO_NEW_PRIVS = 38
const SIGKILL = 9n

const [, , sandbox = '{}', program = '', ...args] = process.argv

function enter({ files, calls, channel, environment }: InnerSandbox): void {
  const path = pathOf(program)
  const libc = openLibc()
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1n)
  // A busy program does not notice that the server has died, so the kernel kills it.
  libc.prctl(PR_SET_PDEATHSIG, SIGKILL)
  if (channel !== undefined) libc.keepOpen(channel)
  if (files !== undefined) restrictFiles(libc, files)
  if (calls !== undefined) restrictCalls(libc, calls)
  process.execve?.(path, [path, ...args], {
    ...environment,
    ...channelVariables(channel),
  })
}

/** Node removed these from its environment when it started. */
const channelVariables = (channel: number | undefined) =>
  channel === undefined ? {} : { NODE_CHANNEL_FD: String(channel), NODE_CHANNEL_SERIALIZATION_MODE: 'json' }

const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/** `execve` does not search PATH. */
function pathOf(name: string): string {
  const paths = name.includes('/') ? [name] : PROGRAM_FOLDERS.map((folder) => join(folder, name))
  return paths.find((path) => existsSync(path)) ?? name
}

enter(JSON.parse(sandbox) as InnerSandbox)
