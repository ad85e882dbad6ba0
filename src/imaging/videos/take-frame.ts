import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Confinement } from '../confinement.ts'
import { notDecodable, outOfTime } from '../errors.ts'
import type { Video } from '../job.ts'
import type { VideoKind } from '../kinds/kind.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import { runProgram } from './run-program.ts'

/** A program to take frames with, and what keeps it in. */
export interface FrameTool {
  ffmpeg: Ffmpeg
  confinement: Confinement
  maxSeconds: number
  maxMemoryBytes: number
  signal: AbortSignal
}

export interface FrameRequest {
  path: string
  outputFolder: string
  kind: VideoKind
  video: Video
  maxPixels: number
}

/** Of all that ffmpeg can decode, what cameras, phones and editors write into these containers. */
const DECODERS = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'av1', 'libdav1d', 'libaom-av1'],
  ...['mpeg4', 'h263', 'mjpeg', 'prores', 'dnxhd', 'qtrle', 'png'],
].join(',')

/** Largest number that the option takes. */
const MOST_PIXELS = 2_147_483_647

interface Attempt {
  atSeconds: number
  /** Decodes up to that moment, and not only the last whole picture before it. */
  isExact: boolean
  /** Of all the time. */
  share: number
}

/** The frame at a quarter of the video, in full size as a JPEG; where that cannot be decoded, an earlier one. */
export async function takeFrame(tool: FrameTool, request: FrameRequest): Promise<string> {
  const framePath = join(request.outputFolder, 'frame.jpeg')
  const quarter = request.video.durationSeconds / 4
  const attempts: Attempt[] = [
    { atSeconds: quarter, isExact: true, share: 0.4 },
    { atSeconds: quarter, isExact: false, share: 0.3 },
    { atSeconds: 0, isExact: false, share: 0.3 },
  ]
  const complaints: string[] = []
  let isLate = false
  for (const attempt of attempts) {
    const command = [...tool.confinement.prefix, tool.ffmpeg.path, ...wordsFor(request, attempt, framePath)]
    const ended = await runProgram(command, { ...tool, seconds: tool.maxSeconds * attempt.share })
    tool.signal.throwIfAborted()
    if (ended.isDone && (await sizeOf(framePath)) > 0) return framePath
    if (DISK_IS_FULL.test(ended.complaints)) throw noSpace()
    await rm(framePath, { force: true })
    isLate = ended.isLate
    complaints.push(ended.complaints)
  }
  throw isLate ? outOfTime(tool.maxSeconds) : notDecodable(complaints.join('\n'))
}

const DISK_IS_FULL = /No space left on device/

/** Nothing that the video could be blamed for. */
const noSpace = () => Object.assign(new Error('ffmpeg found no space for the frame.'), { code: 'ENOSPC' })

function wordsFor(request: FrameRequest, { atSeconds, isExact }: Attempt, framePath: string): string[] {
  const { kind, video, maxPixels, path } = request
  // A JPEG has the colours of old television, and square pixels.
  const filter = `scale=${video.width}:${video.height}:out_color_matrix=bt601:out_range=full,setsar=1,format=yuvj420p`
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-filter_threads', '1'],
    // One reader of containers, no address of any kind but that of a file, and known decoders.
    ...['-threads', '1', '-protocol_whitelist', 'file', '-format_whitelist', kind.demuxer],
    ...['-codec_whitelist', DECODERS, '-max_pixels', String(Math.min(maxPixels, MOST_PIXELS))],
    ...(isExact ? [] : ['-noaccurate_seek']),
    ...['-ss', atSeconds.toFixed(3), '-f', kind.demuxer, '-i', `file:${path}`],
    // Nothing but a picture that is not a cover, without sound, texts and data.
    ...['-map', '0:V:0', '-an', '-sn', '-dn', '-map_metadata', '-1', '-frames:v', '1'],
    ...['-vf', filter, '-threads', '1', '-q:v', '3', '-flags:v', '+bitexact', '-fflags', '+bitexact'],
    ...['-f', 'mjpeg', `file:${framePath}`],
  ]
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
