import { Refusal } from '../../lib/refusal.ts'
import { notDecodable, outOfMemory } from '../errors.ts'
import { examine } from '../examine.ts'
import { transform } from '../transform.ts'
import { finishVideo } from '../video/finish-video.ts'
import { decodeFrame } from '../video/library/decode-frame.ts'
import { probeVideo } from '../video/probe-video.ts'
import type { Job, Message, Outcome } from './job.ts'

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
    case 'transform':
      return transform(job)
  }
}

/** The main loop of a child process: receives a job, answers, waits for the next job. */
export function serveJobs(perform: (job: Job) => Promise<Outcome>): void {
  // The server closes its end once the child is ready, and libraries still write messages there.
  process.stderr.on('error', () => undefined)
  process.on('message', async (job: Job) => {
    const answer = await answerTo(job, perform)
    process.send?.(answer)
  })
  // The server has ended.
  process.on('disconnect', () => process.exit(0))
  process.send?.({ type: 'ready' } satisfies Message)
}

async function answerTo(job: Job, perform: (job: Job) => Promise<Outcome>): Promise<Message> {
  try {
    return { type: 'done', outcome: await perform(job) }
  } catch (error) {
    if (isSystemFault(error)) return { type: 'fault', code: error.code, message: error.message }
    const { kind, code, message, params, cause } = refusalFor(error)
    return { type: 'refused', kind, code, message, params, cause: textOf(cause) }
  }
}

/** Every error of a decoder means that the file is refused. */
function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return /out of memory|allocate memory|allocation failed/i.test(String(error))
    ? outOfMemory(error)
    : notDecodable(error)
}

/** Errors of system calls, such as a full disk, are not the file's fault. */
function isSystemFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const textOf = (cause: unknown) =>
  cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '')
