import { flushCompileCache } from 'node:module'
import { Refusal } from '../lib/refusal.ts'
import { notDecodable, outOfMemory } from './errors.ts'
import { examine } from './examine.ts'
import type { Job, Message, Misbehaviour, Outcome } from './job.ts'
import { lockLibvips } from './pixels/libvips.ts'
import { finishVideo } from './videos/finish-video.ts'
import { probeVideo } from './videos/probe-video.ts'

/** The program of a child process: takes a job, answers, waits for the next. */

const mayMisbehave = process.argv.includes('--misbehave')

lockLibvips()
// Libraries complain there, and nobody listens once we are ready.
process.stderr.on('error', () => undefined)
process.on('message', async (job: Job) => {
  const answer = await work(job)
  process.send?.(answer)
})
// The server has gone.
process.on('disconnect', () => process.exit(0))
process.send?.({ type: 'ready' } satisfies Message)
// Children are ended by a kill, which leaves no time for it.
flushCompileCache()

async function work(job: Job): Promise<Message> {
  const rssBytes = () => process.memoryUsage.rss()
  try {
    return { type: 'done', outcome: await outcomeOf(job), rssBytes: rssBytes() }
  } catch (error) {
    if (isSystemFault(error)) {
      return { type: 'fault', code: error.code, message: error.message, rssBytes: rssBytes() }
    }
    const { kind, code, message, cause } = refusalFor(error)
    return { type: 'refused', kind, code, message, cause: textOf(cause), rssBytes: rssBytes() }
  }
}

async function outcomeOf(job: Job): Promise<Outcome> {
  switch (job.task) {
    case 'examine':
      if (job.misbehave !== undefined && mayMisbehave) await misbehave(job.misbehave)
      return examine(job)
    case 'probe-video':
      return probeVideo(job)
    case 'finish-video':
      return finishVideo(job)
  }
}

/** Whatever a decoder has against a picture, the picture is what is refused. */
function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return /out of memory|allocate memory|allocation failed/i.test(String(error))
    ? outOfMemory(error)
    : notDecodable(error)
}

/** A full disk or a missing file says nothing about the picture. */
function isSystemFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const textOf = (cause: unknown) =>
  cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '')

async function misbehave(way: Misbehaviour): Promise<void> {
  switch (way) {
    case 'abort':
      return process.abort()
    case 'exit':
      return process.exit(3)
    case 'spin':
      for (;;);
    case 'hang':
      return new Promise(() => {})
    case 'eat-memory':
      for (const eaten: Buffer[] = []; ; ) eaten.push(Buffer.alloc(16_777_216, 1))
  }
}
