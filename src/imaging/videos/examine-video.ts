import type { Child } from '../child.ts'
import type { ExaminedVideo, ExamineJob, FoundVideo } from '../job.ts'
import { videoKindNamed } from '../kinds/find-kind.ts'
import { type FrameTool, takeFrame } from './take-frame.ts'

interface Tools {
  /** Has told that it is a video, and does what needs no ffmpeg. */
  child: Child
  /** Nothing where there is no ffmpeg. */
  frames: FrameTool | undefined
  maxSeconds: number
}

/** The slowest disk that is waited for: large files are read whole, and written once more. */
const BYTES_PER_SECOND = 10_000_000

/** Step by step: each in a process that can do no more than that step. */
export async function examineVideo(
  { child, frames, maxSeconds }: Tools,
  job: ExamineJob,
  found: FoundVideo,
): Promise<ExaminedVideo> {
  const { path, outputFolder, policy, maxPixels } = job
  const { kind } = found
  const seconds = maxSeconds + found.sizeBytes / BYTES_PER_SECOND
  const video = await child.run({ task: 'probe-video', path, kind, maxPixels }, seconds)
  const framePath =
    frames && (await takeFrame(frames, { path, outputFolder, kind: videoKindNamed(kind), video, maxPixels }))
  return child.run({ task: 'finish-video', path, outputFolder, policy, kind, video, framePath }, seconds)
}
