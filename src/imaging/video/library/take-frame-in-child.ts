import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../../lib/refusal.ts'
import type { Child } from '../../children/child.ts'
import type { ExamineJob, Video } from '../../children/job.ts'
import { notDecodable } from '../../errors.ts'
import type { VideoKind } from '../../kinds/kind.ts'
import { attemptsFor } from '../frame-rules.ts'
import type { FrameTool } from '../program/take-frame.ts'

/** Runs one step in a child process, with the job's files in the child's folder. If a step ends its child, the next step gets another. */
export type WithChild = <T>(step: (child: Child, job: ExamineJob) => Promise<T>) => Promise<T>

interface About {
  kind: VideoKind
  video: Video
}

/** Takes the frame with the library. Each attempt is a job of a child process, so a crash or hang ends only that child. */
export async function takeFrameInChild(
  withChild: WithChild,
  tool: FrameTool,
  { kind, video }: About,
): Promise<string> {
  const about = { task: 'take-frame', kind: kind.name, video, library: tool.ffmpeg.path } as const
  const refusals: Refusal[] = []
  for (const { timeFraction, ...attempt } of attemptsFor(video)) {
    const limits = {
      maxSeconds: tool.maxSeconds * timeFraction,
      maxWallSeconds: tool.maxWallSeconds * timeFraction,
      maxMemoryBytes: tool.maxMemoryBytes,
    }
    try {
      return await withChild(async (child, { path, outputFolder, maxPixels }) => {
        const job = { ...about, ...attempt, path, outputFolder, maxPixels }
        const frame = await child.run(job, limits).catch(async (error) => {
          await rm(join(outputFolder, 'frame.jpeg'), { force: true })
          throw error
        })
        return frame.path
      })
    } catch (error) {
      tool.signal.throwIfAborted()
      if (!isWorthNextAttempt(error)) throw error
      refusals.push(error)
    }
  }
  throw worstOf(refusals)
}

/** The next attempt may succeed: it decodes another part of the video, with a time limit of its own. */
const isWorthNextAttempt = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.kind === 'invalid' || error.code === 'decoder-busy')

/** A busy machine takes precedence, because then the client may send the file again. */
function worstOf(refusals: readonly Refusal[]): Refusal {
  const cause = refusals.map((refusal) => refusal.cause ?? refusal.message).join('\n')
  const overloaded = refusals.find(({ kind }) => kind === 'unavailable')
  const worst = overloaded ?? refusals.at(-1) ?? notDecodable(cause)
  return new Refusal(worst.kind, worst.code, worst.message, { cause })
}
