import { type Progress, progressOn } from './progress.ts'
import type { Session } from './session.ts'

/** Progress of work that learns only on its way how much there is to do. */
export async function withSteps<T>(
  { err }: Session,
  what: string,
  work: (onStep: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  let progress: Progress | undefined
  try {
    return await work((done, total) => {
      progress ??= progressOn(err, what, total)
      progress.step(done)
    })
  } finally {
    progress?.[Symbol.dispose]()
  }
}
