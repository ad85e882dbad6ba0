import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFfmpeg } from '../../src/imaging/index.ts'
import { needing } from './needs.ts'

const program = await findFfmpeg({ searchPath: process.env.PATH, packageName: 'no-package' })

/** For tests of videos, which are made with the libraries. */
export const videos = await needing('video libraries')

/** For tests that also need the machine's program, which FFMPEG_PATH may name. */
export const programmed = await needing('video libraries', 'ffmpeg')

export const ffmpegPath = program?.path ?? ''

/** The two ways to a frame, as settings of a server. */
export const WAYS = [
  { way: 'by the library', environment: {} as Record<string, string>, needed: videos },
  { way: 'by a program', environment: { FFMPEG_PATH: ffmpegPath }, needed: programmed },
] as const

const maker = fileURLToPath(new URL('./make-video.ts', import.meta.url))
const teller = fileURLToPath(new URL('./print-video.ts', import.meta.url))

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'terrace-videos-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const made = new Map<string, Promise<Buffer>>()

/** What ffmpeg makes of these words; the same words make the same file once. */
export function videoOf(name: string, ...words: string[]): Promise<Buffer> {
  const recipe = [name, ...words].join(' ')
  const known = made.get(recipe) ?? make(`${made.size}-${name}`, words)
  made.set(recipe, known)
  return known
}

/** Chapters and texts are more than the libraries can be told to write from here. */
const needsProgram = (words: readonly string[]) =>
  words.includes('-map_chapters') || words.includes('mov_text')

async function make(name: string, words: readonly string[]): Promise<Buffer> {
  const path = join(folder, name)
  if (needsProgram(words)) await run(ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', ...words, path])
  else await run(process.execPath, [maker, path, ...words])
  return readFile(path)
}

/** A file to be read by its path, as long as this process lives. */
export function keep(name: string, bytes: Buffer | string, mode = 0o600): string {
  const path = join(folder, `kept-${kept++}-${name}`)
  writeFileSync(path, bytes, { mode })
  return path
}

let kept = 0

/** What the libraries find in a video, with options for its reader. */
export async function tell(
  what: 'frames' | 'packets' | 'texts',
  video: Buffer,
  ...options: string[]
): Promise<string> {
  const path = keep('told', video)
  const { stdout } = await run(process.execPath, [teller, what, path, ...options], { maxBuffer: 1e8 })
  rmSync(path)
  return stdout
}

/** The sums of all pictures and sounds, decoded. */
export const picturesOf = (video: Buffer): Promise<string> => tell('frames', video)

/** What is written in it. */
export const tagsOf = (video: Buffer): Promise<string> => tell('texts', video)

interface Drawing {
  size?: string
  seconds?: number
  rate?: number
}

/** Words for a moving picture; the colours and the running number tell one frame from another. */
export const moving = ({ size = '320x240', seconds = 2, rate = 10 }: Drawing = {}): string[] => [
  '-f',
  'lavfi',
  '-i',
  `testsrc=size=${size}:duration=${seconds}:rate=${rate}`,
]

export const sound = (seconds = 2): string[] => ['-f', 'lavfi', '-i', `sine=duration=${seconds}`]

export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** A small H.264 video of two seconds, its index in front. */
export const plainMp4 = (): Promise<Buffer> =>
  videoOf('plain.mp4', ...moving(), ...h264, '-movflags', '+faststart')

/** The same as VP9. */
export const plainWebm = (): Promise<Buffer> =>
  videoOf('plain.webm', ...moving(), '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8')
