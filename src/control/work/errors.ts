import { Refusal } from '../../lib/refusal.ts'

export const workNotFound = () => new Refusal('not-found', 'work-not-found', 'There is no such work.')

export const workEnded = () =>
  new Refusal('conflict', 'work-ended', 'This work has already ended, so it cannot be cancelled.')

export const workCancelled = () => new Refusal('conflict', 'work-cancelled', 'The work was cancelled.')

/** The server is being stopped: another one goes on, or this one after its start. */
export const workStopped = () => new Refusal('unavailable', 'work-stopped', 'The server is being stopped.')

export const workTaken = () =>
  new Refusal(
    'conflict',
    'work-taken',
    'Another server has taken this work over, because its lease had ended.',
  )

export const toolEnded = () =>
  new Refusal(
    'unavailable',
    'tool-ended',
    'The command that did this was ended before it had finished. Nothing is lost: start it again.',
  )

export const workLost = (times: number) =>
  new Refusal(
    'unavailable',
    'work-lost',
    `${times} servers that worked on this ended without finishing it. Read their logs, then start it again.`,
    { params: { times } },
  )
