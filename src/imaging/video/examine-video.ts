import { basename, join } from 'node:path'
import type { JobLimits } from '../children/child.ts'
import type { ExaminedVideo, FoundVideo } from '../children/job.ts'
import { kindsByName } from '../kinds/index.ts'
import { takeFrameInChild, type WithChild } from './library/take-frame-in-child.ts'
import { type FrameTool, takeFrame } from './program/take-frame.ts'

interface Tools {
  withChild: WithChild
  /** Undefined if there is no FFmpeg. */
  frames: FrameTool | undefined
  limits: Pick<JobLimits, 'maxSeconds' | 'maxWallSeconds'>
}

/** The slowest supported disk. Steps that read and rewrite the whole file get more time, in proportion to its size. */
const BYTES_PER_SECOND = 10_000_000

/** Probes the container, takes a frame, makes the stored file: each step is a job of its own in a child process. */
export async function examineVideo(
  { withChild, frames, limits }: Tools,
  { kind, sizeBytes }: FoundVideo,
): Promise<ExaminedVideo> {
  const readSeconds = sizeBytes / BYTES_PER_SECOND
  const stepLimits = {
    maxSeconds: limits.maxSeconds + readSeconds,
    maxWallSeconds: limits.maxWallSeconds + readSeconds,
  }
  const video = await withChild((child, { path, maxPixels }) =>
    child.run({ task: 'probe-video', path, kind, maxPixels }, stepLimits),
  )
  const about = { kind: kindsByName[kind], video }
  const frame =
    frames &&
    (frames.ffmpeg.from === 'package'
      ? await takeFrameInChild(withChild, frames, about)
      : await withChild((_, job) => takeFrame(frames, { ...job, ...about })))
  return withChild((child, { path, outputFolder, policy }) => {
    const framePath = frame && join(outputFolder, basename(frame))
    return child.run({ task: 'finish-video', path, outputFolder, policy, kind, video, framePath }, stepLimits)
  })
}
