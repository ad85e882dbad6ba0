import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ExamineJob, FileJob } from './children/job.ts'
import type { MetadataPolicy } from './kinds/kind.ts'

export interface ExamineRequest {
  /** Tenants are served in turn: the queue takes one job of each key after the other. */
  tenantKey: string
  /** An existing folder. It may contain the file itself, under a name without extension; after a refusal it may contain partial output. */
  outputFolder: string
  policy: MetadataPolicy
  /** For all frames of a picture together, or for one frame of a video; 0 is no limit. */
  maxPixels?: number
  allowSvg?: boolean
  /** Reduces the stored picture to this width. Ignored if it would enlarge, and for animations, videos and drawings. */
  width?: number | undefined
  /** Makes a medium of a picture that is small enough by itself, too: one that is encoded anew, without metadata. */
  hasMediumAlways?: boolean
  /** Aborted if the client disconnects: a queued job is dropped, a running job is stopped if it is not done soon. */
  signal?: AbortSignal | undefined
  /** Called when the job leaves the queue and begins to cost CPU. */
  onBegin?: (() => void) | undefined
}

const DEFAULT_MAX_PIXELS = 100_000_000

/** Removes partial output of a killed decoder: the next decoder creates files of the same names, and fails if one exists. */
export async function removeOutput({ path, outputFolder }: FileJob): Promise<void> {
  const names = await readdir(outputFolder)
  const output = names.map((name) => join(outputFolder, name)).filter((each) => each !== path)
  await Promise.all(output.map((each) => rm(each, { force: true })))
}

export function jobOf(path: string, request: ExamineRequest, maxFrames: number): ExamineJob {
  const { policy, allowSvg = false, width, hasMediumAlways = false } = request
  const maxPixels = request.maxPixels ?? DEFAULT_MAX_PIXELS
  return {
    // Absolute, because a child has another working directory.
    path: resolve(path),
    outputFolder: resolve(request.outputFolder),
    task: 'examine',
    policy,
    allowSvg,
    width,
    hasMediumAlways,
    maxFrames,
    maxPixels: maxPixels === 0 ? Number.MAX_SAFE_INTEGER : maxPixels,
  }
}
