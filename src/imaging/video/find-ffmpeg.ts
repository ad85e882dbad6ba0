import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpegNotRunnable } from '../errors.ts'

export interface FfmpegCandidates {
  /** If given, no other is tried. */
  named?: string | undefined
  /** The variable PATH of the environment. */
  searchPath?: string | undefined
  /** FFmpeg is not used at all. */
  isOff?: boolean
  /** The npm package with FFmpeg's libraries; the one for this platform by default. */
  packageName?: string
}

export interface Ffmpeg {
  /** Of the program; if `from` is 'package', of the library that a child process loads. */
  path: string
  from: 'FFMPEG_PATH' | 'package' | 'PATH'
  version: string
}

/** The npm package with FFmpeg's libraries as one native Node module. */
export const FFMPEG_PACKAGE = `@seydx/node-av-${process.platform}-${process.arch}`

const MAX_SECONDS = 10

const run = promisify(execFile)

/**
 * Finds the FFmpeg that takes frames from videos: the named program, else the package's library, else a program in PATH. The
 * library precedes PATH because it starts no process for each frame, and because its version is the tested one.
 */
export async function findFfmpeg(candidates: FfmpegCandidates): Promise<Ffmpeg | undefined> {
  const { named, searchPath = '', packageName = FFMPEG_PACKAGE } = candidates
  if (candidates.isOff === true) return undefined
  if (named !== undefined) {
    const version = await versionOf(named).catch((error) => Promise.reject(ffmpegNotRunnable(named, error)))
    return { path: named, from: 'FFMPEG_PATH', version }
  }
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder))
  return (await findLibrary(packageName)) ?? (await findProgram(folders))
}

async function findProgram(folders: readonly string[]): Promise<Ffmpeg | undefined> {
  for (const folder of folders) {
    const path = join(folder, 'ffmpeg')
    const version = await versionOf(path).catch(() => undefined)
    if (version !== undefined) return { path, from: 'PATH', version }
  }
  return undefined
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ['-version'], { env: {}, timeout: MAX_SECONDS * 1_000 })
  const [, version] = /^ffmpeg version (\S+)/.exec(stdout) ?? []
  if (version === undefined) throw new Error('The output of -version is not that of ffmpeg.')
  return version
}

/**
 * Undefined if the package is missing or cannot be loaded: it is built for glibc, and npm installs it on systems with musl too.
 * Loaded in a process of its own, because the server's process must not load decoders.
 */
async function findLibrary(packageName: string): Promise<Ffmpeg | undefined> {
  try {
    const path = createRequire(import.meta.url).resolve(`${packageName}/node-av.node`)
    const args = ['--print', `require(${JSON.stringify(path)}).getFFmpegInfo().version`]
    const { stdout } = await run(process.execPath, args, { env: {}, timeout: MAX_SECONDS * 1_000 })
    return { path, from: 'package', version: stdout.trim() }
  } catch {
    return undefined
  }
}
