import { rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Video } from '../../children/job.ts'
import type { ExceededLimit } from '../../children/watch-process.ts'
import { decoderOverloaded, notDecodable, outOfTime } from '../../errors.ts'
import type { VideoKind } from '../../kinds/kind.ts'
import type { Confinement } from '../../sandbox/confinement.ts'
import type { Ffmpeg } from '../find-ffmpeg.ts'
import {
  type Attempt,
  attemptsFor,
  DECODERS,
  JPEG_QUALITY,
  pictureFilters,
  pixelLimit,
} from '../frame-rules.ts'
import { runProgram } from './run-program.ts'

/** FFmpeg with its sandbox and limits. */
export interface FrameTool {
  ffmpeg: Ffmpeg
  confinement: Confinement
  /** CPU time. */
  maxSeconds: number
  maxWallSeconds: number
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

/** Takes the frame with the program ffmpeg, each attempt in a process of its own. */
export async function takeFrame(tool: FrameTool, request: FrameRequest): Promise<string> {
  const framePath = join(request.outputFolder, 'frame.jpeg')
  const errors: string[] = []
  const exceeded = new Set<ExceededLimit | undefined>()
  for (const attempt of attemptsFor(request.video)) {
    const command = [
      ...tool.confinement.prefix,
      tool.ffmpeg.path,
      ...argumentsFor(request, attempt, framePath),
    ]
    const times = {
      maxCpuSeconds: tool.maxSeconds * attempt.timeFraction,
      maxWallSeconds: tool.maxWallSeconds * attempt.timeFraction,
    }
    const ended = await runProgram(command, { ...tool, ...times, folder: dirname(request.outputFolder) })
    tool.signal.throwIfAborted()
    if (ended.isDone && (await sizeOf(framePath)) > 0) return framePath
    if (DISK_IS_FULL.test(ended.stderr)) throw noSpace()
    await rm(framePath, { force: true })
    exceeded.add(ended.exceeded)
    errors.push(ended.stderr)
  }
  if (exceeded.has('wall')) throw decoderOverloaded(tool.maxWallSeconds)
  throw exceeded.has('cpu') ? outOfTime(tool.maxSeconds) : notDecodable(errors.join('\n'))
}

const DISK_IS_FULL = /No space left on device/

/** A full disk is not the video's fault. */
const noSpace = () => Object.assign(new Error('ffmpeg found no space for the frame.'), { code: 'ENOSPC' })

function argumentsFor(request: FrameRequest, { atSeconds, isExact }: Attempt, framePath: string): string[] {
  const { kind, video, maxPixels, path, outputFolder } = request
  // Relative, because the sandbox may allow no access to the folders above.
  const withinFolder = (each: string) => relative(dirname(outputFolder), each)
  const filter = pictureFilters(video)
    .map(([name, options]) => `${name}=${options}`)
    .join(',')
  return [
    '-nostdin',
    '-hide_banner',
    '-loglevel',
    'error',
    '-y',
    '-filter_threads',
    '1',
    // One demuxer, no protocol but `file`, and only known decoders.
    '-threads',
    '1',
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    kind.demuxer,
    '-codec_whitelist',
    DECODERS.join(','),
    '-max_pixels',
    String(pixelLimit(maxPixels)),
    ...(isExact ? [] : ['-noaccurate_seek']),
    '-ss',
    atSeconds.toFixed(3),
    '-f',
    kind.demuxer,
    '-i',
    `file:${withinFolder(path)}`,
    // The first video stream that is not a cover; no audio, subtitles, data or metadata.
    '-map',
    '0:V:0',
    '-an',
    '-sn',
    '-dn',
    '-map_metadata',
    '-1',
    '-frames:v',
    '1',
    '-vf',
    filter,
    '-threads',
    '1',
    '-q:v',
    String(JPEG_QUALITY),
    '-flags:v',
    '+bitexact',
    '-fflags',
    '+bitexact',
    '-f',
    'mjpeg',
    `file:${withinFolder(framePath)}`,
  ]
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
