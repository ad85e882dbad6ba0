import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RewriteOptions, type Rewritten, rewriteMovie } from '../src/imaging/movies/rewrite-movie.ts'
import { ffmpegPath, h264, moving, sound } from './videos.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'terrace-movies-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** A place for a file that is gone when the test is over. */
export const placeFor = (name: string): string => join(folder, `${files++}-${name}`)

/** What becomes of a movie; the file that came where nothing changes. */
export function rewrite(movie: Buffer, options: RewriteOptions): { result: Rewritten; movie: Buffer } {
  const input = placeFor('input')
  const output = placeFor('output')
  writeFileSync(input, movie)
  try {
    const result = rewriteMovie(input, output, options)
    if (result.isUnchanged && existsSync(output)) throw new Error('An unchanged movie was written.')
    return { result, movie: result.isUnchanged ? movie : readFileSync(output) }
  } finally {
    rmSync(input, { force: true })
    rmSync(output, { force: true })
  }
}

/** Words for picture and sound in the codecs that most movies have. */
export const film = [...moving(), ...sound(), ...h264, '-c:a', 'aac', '-shortest']

async function tell(movie: Buffer, before: string[], after: string[]): Promise<{ out: string; log: string }> {
  const path = placeFor('movie')
  writeFileSync(path, movie)
  try {
    const { stdout, stderr } = await run(ffmpegPath, ['-nostdin', ...before, '-i', path, ...after, '-'])
    return { out: stdout, log: stderr }
  } finally {
    rmSync(path)
  }
}

/** A sum over each decoded stream, and the time and sum of each frame of it. */
export async function framesOf(movie: Buffer, ...before: string[]): Promise<string> {
  const quiet = ['-loglevel', 'error', ...before]
  return (await tell(movie, quiet, ['-map', '0:v?', '-map', '0:a?', '-f', 'framemd5'])).out
}

/** A sum over each stream as it lies in the file. */
export async function packetsOf(movie: Buffer): Promise<string> {
  const words = ['-map', '0', '-c', 'copy', '-f', 'streamhash']
  return (await tell(movie, ['-loglevel', 'error'], words)).out
}

/** Every text that ffmpeg finds about the movie and its streams. */
export async function textsOf(movie: Buffer): Promise<string> {
  const { out, log } = await tell(movie, [], ['-map', '0:v', '-c', 'copy', '-f', 'ffmetadata'])
  // Paths, addresses in memory and how fast it went stand in the same log.
  const lines = log.split('\n').filter((line) => !/^(Input|Output|\[|size=)/.test(line))
  return `${out}\n${lines.join('\n')}`
}

/** The names of the outermost boxes, in order. */
export function outline(movie: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + 8 <= movie.length; ) {
    names.push(movie.toString('latin1', at + 4, at + 8))
    const size = movie.readUInt32BE(at)
    at = size === 0 ? movie.length : at + (size === 1 ? Number(movie.readBigUInt64BE(at + 8)) : size)
  }
  return names
}

export function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const data = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  )
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + data.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data])
}

export function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** The bytes of an outermost box, its head included. */
export function partOf(movie: Buffer, type: string): Buffer {
  for (let at = 0; at + 8 <= movie.length; at += movie.readUInt32BE(at)) {
    if (movie.toString('latin1', at + 4, at + 8) === type)
      return movie.subarray(at, at + movie.readUInt32BE(at))
  }
  throw new Error(`There is no ${type} in the movie.`)
}

/** The movie with one more box at the end of its header, where its places in the file stay as they are. */
export function withInHeader(movie: Buffer, added: Buffer): Buffer {
  const header = partOf(movie, 'moov')
  const isLast = movie.indexOf(header) + header.length === movie.length
  if (!isLast) throw new Error('The header of this movie does not stand at its end.')
  return Buffer.concat([
    movie.subarray(0, movie.length - header.length),
    box('moov', header.subarray(8), added),
  ])
}
