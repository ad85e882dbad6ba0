import type { App } from '../../app.ts'
import {
  type Control,
  cancelWork,
  insertNewWork,
  type NewWork,
  readMoveStates,
  runOwnWork,
  type Work,
  type WorkRules,
} from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  type Moved,
  type MoveOptions,
  moveTenant,
  partsToMove,
  planMove,
  readLocations,
} from '../../tenants/index.ts'
import { workRuns } from '../errors.ts'

/** The transaction that hands the site over records that a move has finished. */
const moveRules = {
  kind: 'move',
  async run(control, { target }, { signal, onStep }) {
    return { result: await moveTenant(control, target, { signal, onProgress: onStep }) }
  },
  failed: 'move.failed',
  cancelled: 'move.cancelled',
} as const satisfies WorkRules

/** Moves that a server does for others. */
export const serverMoveRules = ({ control }: Pick<App, 'control'>): WorkRules => ({
  ...moveRules,
  // A process that was killed has renewed the lease of its work and that of the move at different times: both must end.
  isHere: async ({ target }) => !(await isBeingMoved(control, target)),
})

async function newMove(control: Control, id: string): Promise<NewWork> {
  return {
    kind: 'move',
    target: id,
    change: await planMove(control, id),
    checkBeside(unfinished) {
      if (unfinished.some(({ target }) => target === id))
        throw workRuns('move-runs', `${id} is already being moved.`)
    },
  }
}

/** Moves a tenant to where its values say, by a server that has time for it. */
export async function askForMove({ control, work }: App, id: string): Promise<Work> {
  const asked = await insertNewWork(control, await newMove(control, id))
  work.wake()
  return asked
}

/** A tenant that is not there is not being moved: what runs then says why it fails. */
async function isBeingMoved(control: Control, id: string): Promise<boolean> {
  try {
    return (await readLocations(control, id)).isMoving
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'not-found') return false
    throw error
  }
}

/** For the overview. A failed move is mended by another move, by values that name where the tenant is, or with the tenant. */
export async function countMoves(control: Control): Promise<{ running: number; failed: number }> {
  const { running, failed } = await readMoveStates(control)
  let count = 0
  for (const id of failed) if (await isToBeMoved(control, id)) count += 1
  return { running, failed: count }
}

async function isToBeMoved(control: Control, id: string): Promise<boolean> {
  try {
    return (await partsToMove(control, id)).length > 0
  } catch (error) {
    if (error instanceof Refusal) return error.kind !== 'not-found'
    throw error
  }
}

type Here = Pick<MoveOptions, 'onStep' | 'acceptMissing'>

/** Moves a tenant in this process, as the tool does. */
export async function moveHere({ control }: Pick<App, 'control'>, id: string, options: Here): Promise<Moved> {
  // Without anything to move this removes stale copies, and refuses a tenant that is not installed.
  if ((await partsToMove(control, id)).length === 0) return moveTenant(control, id, options)
  return runOwnWork(control, await newMove(control, id), {
    ...moveRules,
    async run(control, _work, { signal, onStep }) {
      return { result: await moveTenant(control, id, { ...options, signal, onProgress: onStep }) }
    },
  })
}

/** The site stays where it was, unless it has been handed over by then. */
export async function cancelMove({ control, work }: App, id: string): Promise<Work> {
  const cancelled = await cancelWork(control, { id, kind: 'move', verb: 'move.cancelled' })
  work.stopCancelled(id)
  return cancelled
}
