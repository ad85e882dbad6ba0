import { examine } from '../examine.ts'
import { finishVideo } from '../video/finish-video.ts'
import { decodeFrame } from '../video/library/decode-frame.ts'
import { probeVideo } from '../video/probe-video.ts'
import type { Job, Outcome } from './job.ts'

/** Runs in a child process only. */
export async function performJob(job: Job): Promise<Outcome> {
  switch (job.task) {
    case 'examine':
      return examine(job)
    case 'probe-video':
      return probeVideo(job)
    case 'take-frame':
      return decodeFrame(job)
    case 'finish-video':
      return finishVideo(job)
  }
}
