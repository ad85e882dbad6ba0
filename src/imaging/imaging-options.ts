import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { SandboxLayer } from './sandbox/confinement.ts'
import type { FfmpegCandidates } from './video/find-ffmpeg.ts'

export type ImagingSettings = Required<Omit<ImagingOptions, 'folder'>> & Pick<ImagingOptions, 'folder'>

export interface ImagingOptions {
  /** How many files are decoded in parallel; by default one for each core. */
  children?: number
  /** The length of the queue, all tenants together. Queued files are on disk, so `maxWaitSeconds` is the limit that usually applies. */
  maxWaiting?: number
  maxWaitSeconds?: number
  /** CPU time of one job. */
  maxSeconds?: number
  /** Wall-clock time of one job, for a machine that is too busy to give the job its CPU time. */
  maxWallSeconds?: number
  maxMemoryBytes?: number
  maxFrames?: number
  /** A child serves one tenant only, and is replaced when another one needs it: starting it costs more than most pictures. */
  isChildPerTenant?: boolean
  /** A child is replaced after this many jobs. */
  jobsPerChild?: number
  /** A child that holds more memory than this after a job is replaced. */
  maxIdleBytes?: number
  /** Where to look for FFmpeg, which is done at the first video. */
  ffmpeg?: FfmpegCandidates
  /** Called once if there is no FFmpeg. */
  onNoFfmpeg?: () => void
  /** Called once if this machine refuses layers of the sandbox around the program ffmpeg. */
  onMissingLayers?: (missing: readonly SandboxLayer[]) => void
  maxFrameSeconds?: number
  maxFrameWallSeconds?: number
  maxFrameMemoryBytes?: number
  /** Contains a work folder for each child; on the file system of the spool, so that files are renamed and not copied. A temporary folder by default. */
  folder?: string | undefined
  /** The module that child processes run; the one in `children/` by default. */
  worker?: string
}

export const defaultOptions = (): ImagingSettings => ({
  children: availableParallelism(),
  maxWaiting: 4096,
  maxWaitSeconds: 30,
  maxSeconds: 10,
  maxWallSeconds: 60,
  maxMemoryBytes: 1_073_741_824,
  maxFrames: 1000,
  isChildPerTenant: false,
  // High, because starting a child costs as much CPU as decoding several pictures.
  jobsPerChild: 10_000,
  maxIdleBytes: 419_430_400,
  ffmpeg: {},
  onNoFfmpeg: () => undefined,
  onMissingLayers: () => undefined,
  maxFrameSeconds: 30,
  maxFrameWallSeconds: 90,
  maxFrameMemoryBytes: 1_610_612_736,
  worker: fileURLToPath(new URL('./children/worker.ts', import.meta.url)),
})
