import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RewriteOptions, type Rewritten, rewriteVideo } from '../../src/formats/video/rewrite-video.ts'
import { h264, moving, sound, tell } from './videos.ts'

const folder = mkdtempSync(join(tmpdir(), 'terrace-video-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** A place for a file that is gone when the test is over. */
export const temporaryPath = (name: string): string => join(folder, `${files++}-${name}`)

/** What becomes of a video; the file that came where nothing changes. */
export function rewrite(video: Buffer, options: RewriteOptions): { result: Rewritten; video: Buffer } {
  const input = temporaryPath('input')
  const output = temporaryPath('output')
  writeFileSync(input, video)
  try {
    const result = rewriteVideo(input, output, options)
    if (result.isUnchanged && existsSync(output)) throw new Error('An unchanged video was written.')
    return { result, video: result.isUnchanged ? video : readFileSync(output) }
  } finally {
    rmSync(input, { force: true })
    rmSync(output, { force: true })
  }
}

/** Words for picture and sound in the codecs that most videos have. */
export const videoArguments = [...moving(), ...sound(), ...h264, '-c:a', 'aac', '-shortest']

/** A line for each decoded frame of each stream, with its time and sum. */
export const framesOf = (video: Buffer, ...options: string[]): Promise<string> =>
  tell('frames', video, ...options)

/** A sum over each stream as it lies in the file. */
export const packetsOf = (video: Buffer): Promise<string> => tell('packets', video)

/** Every text that FFmpeg finds about the video and its streams. */
export const textsOf = (video: Buffer): Promise<string> => tell('texts', video)

/** The names of the outermost boxes, in order. */
export function outline(video: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + 8 <= video.length; ) {
    names.push(video.toString('latin1', at + 4, at + 8))
    const size = video.readUInt32BE(at)
    at = size === 0 ? video.length : at + (size === 1 ? Number(video.readBigUInt64BE(at + 8)) : size)
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
export function partOf(video: Buffer, type: string): Buffer {
  for (let at = 0; at + 8 <= video.length; at += video.readUInt32BE(at)) {
    if (video.toString('latin1', at + 4, at + 8) === type)
      return video.subarray(at, at + video.readUInt32BE(at))
  }
  throw new Error(`There is no ${type} in the video.`)
}

/** The video with one more box at the end of its header, where its places in the file stay as they are. */
export function withInHeader(video: Buffer, added: Buffer): Buffer {
  const header = partOf(video, 'moov')
  const isLast = video.indexOf(header) + header.length === video.length
  if (!isLast) throw new Error('The header of this video does not stand at its end.')
  return Buffer.concat([
    video.subarray(0, video.length - header.length),
    box('moov', header.subarray(8), added),
  ])
}
