import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFfmpeg } from '../src/imaging/index.ts'

const ffmpeg = await findFfmpeg({ searchPath: process.env.PATH })
const encoders = ffmpeg ? execFileSync(ffmpeg.path, ['-hide_banner', '-encoders'], { encoding: 'utf8' }) : ''
if (!ffmpeg)
  console.warn('There is no ffmpeg on this machine: no videos are made, and nothing is shown of them.')

/** Whether videos can be made here. */
export const hasFfmpeg = ffmpeg !== undefined

export const ffmpegPath = ffmpeg?.path ?? ''

export function hasEncoder(name: string): boolean {
  const isThere = encoders.includes(` ${name} `)
  if (!isThere) console.warn(`This ffmpeg has no encoder ${name}.`)
  return isThere
}

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

async function make(name: string, words: readonly string[]): Promise<Buffer> {
  const path = join(folder, name)
  await run(ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', ...words, path])
  return readFile(path)
}

/** A file to be read by its path, as long as this process lives. */
export function keep(name: string, bytes: Buffer | string, mode = 0o600): string {
  const path = join(folder, `kept-${kept++}-${name}`)
  writeFileSync(path, bytes, { mode })
  return path
}

let kept = 0

/** The sums of all pictures and sounds, decoded. */
export async function picturesOf(video: Buffer): Promise<string> {
  const { stdout } = await run(ffmpegPath, [
    '-loglevel',
    'error',
    '-i',
    keep('decoded', video),
    '-f',
    'framemd5',
    '-',
  ])
  return stdout
}

/** What ffmpeg finds written in it. */
export async function tagsOf(video: Buffer): Promise<string> {
  const { stdout } = await run(ffmpegPath, [
    '-loglevel',
    'error',
    '-i',
    keep('tagged', video),
    '-f',
    'ffmetadata',
    '-',
  ])
  return stdout
}

interface Drawing {
  size?: string
  seconds?: number
  rate?: number
}

/** Words for a moving picture; the colours and the running number tell one frame from another. */
export const moving = ({ size = '320x240', seconds = 2, rate = 10 }: Drawing = {}): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc=size=${size}:duration=${seconds}:rate=${rate}`],
]

export const sound = (seconds = 2): string[] => ['-f', 'lavfi', '-i', `sine=duration=${seconds}`]

export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** A small H.264 film of two seconds, its index in front. */
export const plainMp4 = (): Promise<Buffer> =>
  videoOf('plain.mp4', ...moving(), ...h264, '-movflags', '+faststart')

/** The same as VP9. */
export const plainWebm = (): Promise<Buffer> =>
  videoOf('plain.webm', ...moving(), '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8')
