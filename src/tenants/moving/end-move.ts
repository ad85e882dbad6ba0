import type { Control } from '../../control/index.ts'
import { dropCopy, unfinishedCopies } from '../drop-copies.ts'
import { changePlace, type LeftCopy, type PlaceRecord, readPlace } from '../site-places.ts'
import { placedSitesAfter } from '../sites-table.ts'
import { isOver } from './lease.ts'

/** How long the bytes of a stopped move wait for somebody to repeat it. */
const waitMs = 24 * 60 * 60_000

/** Longer than any server believes what it has heard of a place. */
const readMs = 2_000

interface Ending {
  /** Only this move; without it, one whose mover is gone. */
  generation?: number
  /** Keeps the bytes that are copied for the next move to the same storage. */
  keepsBytes: boolean
}

/**
 * Ends a move that has not come to its end. First the installation forgets it, so that it cannot hand the site over any
 * more; only then is the site opened again to those who write.
 */
export async function endMove(control: Control, site: number, ending: Ending): Promise<void> {
  let ended: PlaceRecord['move']
  const record = await changePlace(control, site, (known) => {
    const { move, ...rest } = known
    if (
      !move ||
      (ending.generation === undefined ? !isOver(control, move) : move.generation !== ending.generation)
    ) {
      return undefined
    }
    ended = move
    const copies = unfinishedCopies({ ...rest, move })
    const isStopped = ending.keepsBytes && move.bytesAt !== rest.bytesAt
    const { storage, bytesAt } = move
    return {
      ...rest,
      left: [...rest.left, ...copies.filter(({ kind }) => kind === 'rows' || !isStopped)],
      ...(isStopped ? { stopped: { storage, bytesAt, at: control.clock.now().toISOString() } } : {}),
    }
  })
  if (!record || !ended) return
  await openGate(control, site, record, ended.generation)
}

/** To those who know the place as it is. */
async function openGate(control: Control, site: number, record: PlaceRecord, from: number): Promise<void> {
  const store = await control.places.store(record.database)
  await store.passGate(site, { placedAt: record.rowsAt, from, to: record.generation })
}

/** Removes what moves have left, one after the other. May be repeated. */
export async function removeLeft(control: Control, site: number): Promise<void> {
  for (;;) {
    const { left } = await readPlace(control, site)
    const [copy] = left
    if (!copy) return
    await dropCopy(control, site, copy)
    await changePlace(control, site, (record) => ({
      ...record,
      left: record.left.filter((other) => !isSame(other, copy)),
    }))
  }
}

const isSame = (one: LeftCopy, two: LeftCopy) => JSON.stringify(one) === JSON.stringify(two)

const pageSize = 500

/** Carries on what stopped processes left of moves. Trouble with one place is no other's. Tells how many had something. */
export async function finishMoves(
  control: Control,
  onFault: (site: number, fault: unknown) => void,
): Promise<number> {
  let done = 0
  for (let last = 0; ; ) {
    const page = await placedSitesAfter(control.store.control, last, pageSize)
    for (const { number } of page) {
      if (await finishMove(control, number).catch((fault) => onFault(number, fault))) done += 1
    }
    last = page.at(-1)?.number ?? last
    if (page.length < pageSize) return done
  }
}

export async function finishMove(control: Control, site: number): Promise<boolean> {
  const { move, stopped, left, movedAt = '' } = await readPlace(control, site)
  const ageMs = (at: string) => control.clock.now().getTime() - (Date.parse(at) || 0)
  const isForgotten = stopped && ageMs(stopped.at) > waitMs
  if (move && !isOver(control, move)) return false
  // Whoever knows the old place only may still read there.
  const isRead = ageMs(movedAt) < readMs
  if (!move && !isForgotten && (left.length === 0 || isRead)) return false
  if (move) await endMove(control, site, { keepsBytes: true })
  if (isForgotten) await forgetStopped(control, site)
  await removeLeft(control, site)
  return true
}

/** Gives up the bytes that a stopped move has copied. */
export async function forgetStopped(control: Control, site: number): Promise<void> {
  await changePlace(control, site, ({ stopped, ...record }) => {
    if (!stopped || record.move?.bytesAt === stopped.bytesAt) return undefined
    const { storage, bytesAt } = stopped
    return { ...record, left: [...record.left, { kind: 'bytes', storage, bytesAt }] }
  })
}
