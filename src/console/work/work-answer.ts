import { readWork, secondsLeft } from '../../control/index.ts'
import type { ConsoleHandler, ConsoleRoute } from '../console-call.ts'

/** How far work is, for the script of a page that shows it. */
const answerWork: ConsoleHandler = async ({ control, params: { id = '' } }) => {
  const work = await readWork(control, id)
  const { kind, state, done, total, rate } = work
  return {
    json: {
      id,
      kind,
      state,
      done,
      total: total ?? null,
      rate: rate ?? null,
      seconds_left: secondsLeft(work) ?? null,
    },
  }
}

export const workPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: '-/work/{id}', isPolled: true, handle: answerWork },
]
