import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileRules } from './landlock.ts'
import type { CallRules } from './seccomp.ts'

/** The layers that a process applies to itself: Landlock and seccomp. */
export interface InnerSandbox {
  files?: FileRules | undefined
  calls?: CallRules | undefined
  /** The descriptor of the IPC channel to the server. */
  channel?: number | undefined
  environment: Readonly<Record<string, string>>
}

const ENTER = fileURLToPath(new URL('./enter.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/nix/store', '/gnu/store']
const PROGRAMS = ['/bin', '/usr/bin', '/usr/local/bin']
const LINKER = ['/etc/ld.so.cache', '/etc/alternatives']
/** For text in SVG drawings. */
const FONTS = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/etc/fonts',
  '/usr/share/fontconfig',
  '/var/cache/fontconfig',
  '/usr/share/zoneinfo',
  '/etc/localtime',
]
const DEVICES = ['/dev/zero', '/dev/urandom', '/dev/random']

/** Node's IPC channel: the first descriptor after standard input, output and error. */
const CHANNEL = 3

/** A decoder may read our code and its packages, and write to its working directory. */
export function sandboxOfDecoder(
  worker: string,
  environment: Readonly<Record<string, string>>,
): InnerSandbox {
  const { NODE_COMPILE_CACHE: compileCache } = environment
  const code = [
    join(ROOT, 'src'),
    join(ROOT, 'build'),
    join(ROOT, 'package.json'),
    dirname(worker),
    ...packageFolders(),
  ]
  return {
    files: {
      run: [process.execPath, ...LIBRARIES],
      read: [...code, ...LINKER, ...FONTS, ...DEVICES, ...(compileCache ? [compileCache] : [])],
      write: ['.', '/dev/null'],
    },
    calls: { mayFork: false },
    channel: CHANNEL,
    environment,
  }
}

/** `node_modules/sharp` may be a symbolic link. */
function packageFolders(): string[] {
  const packages = join(ROOT, 'node_modules')
  return [packages, dirname(realpathSync(join(packages, 'sharp')))]
}

/** A program of the machine may read the libraries it is linked to, and write to its working directory. */
export function sandboxOfProgram(path: string): InnerSandbox {
  return {
    files: {
      run: [path, realpathSync(path), ...PROGRAMS, ...LIBRARIES],
      read: [...LINKER, ...DEVICES],
      write: ['.', '/dev/null'],
    },
    calls: { mayFork: true },
    environment: {},
  }
}

/** The command prefix that starts a program in this sandbox; empty if there are no rules. */
export function innerPrefix(sandbox: InnerSandbox): string[] {
  if (sandbox.files === undefined && sandbox.calls === undefined) return []
  return [process.execPath, '--disable-warning=ExperimentalWarning', ENTER, JSON.stringify(sandbox)]
}
