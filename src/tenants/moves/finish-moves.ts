import { type Control, isAbandoned } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { moveLost, siteBusy } from '../errors.ts'
import { unfinishedCopies } from '../locations/drop-copies.ts'
import { changeLocation, type LocationRecord, type Move, readLocation } from '../locations/site-locations.ts'
import { relocatedSitesAfter } from '../sites-table.ts'
import { isKeptLately, removeStaleCopies } from './stale-copies.ts'

/** How long the bytes of an aborted move are kept for a repetition of it. */
const keptMs = 24 * 60 * 60_000

/** Longer than any server's cached location of a site stays valid. */
const cachedMs = 2_000

const pageSize = 500

/** Finishes the moves whose process was killed. Failures are reported per site. Returns the number of sites changed. */
export async function finishMoves(
  control: Control,
  onFault: (site: number, fault: unknown) => void,
): Promise<number> {
  let done = 0
  for (let last = 0; ; ) {
    const page = await relocatedSitesAfter(control.store.control, last, pageSize)
    for (const { number } of page) {
      if (await finishMove(control, number).catch((fault) => onFault(number, fault))) done += 1
    }
    last = page.at(-1)?.number ?? last
    if (page.length < pageSize) return done
  }
}

/** Aborts an abandoned move and removes stale copies. False if there was nothing to do yet. */
export async function finishMove(control: Control, site: number): Promise<boolean> {
  const { move, abortedMove, staleCopies, movedAt = '' } = await readLocation(control, site)
  const ageMs = (at: string) => control.clock.now().getTime() - (Date.parse(at) || 0)
  const isOutdated = abortedMove && ageMs(abortedMove.at) > keptMs
  if (move && !isAbandoned(control, move)) return false
  // Servers that have the old location cached may still read there.
  const isStillRead = ageMs(movedAt) < cachedMs
  const isClean = staleCopies.every((copy) => isKeptLately(control, copy))
  if (!move && !isOutdated && (isClean || isStillRead)) return false
  if (move) await abortMove(control, site, { keepsBytes: true })
  if (isOutdated) await giveUpCopiedBytes(control, site)
  await removeStaleCopies(control, site, { skipsKept: true })
  return true
}

const recovering = new WeakMap<Control, Set<number>>()

/**
 * A killed mover may have left the write fence closed: the next request to the site starts the recovery, and does not
 * wait for it. A failed recovery is repeated by a later request and by the job `finish-moves`.
 */
export function recoverStaleMove(control: Control, site: number, move: Pick<Move, 'until' | 'by'>): void {
  if (!isAbandoned(control, move)) return
  const sites = recovering.get(control) ?? new Set()
  recovering.set(control, sites)
  if (sites.has(site)) return
  sites.add(site)
  void finishMove(control, site)
    .catch(() => undefined)
    .finally(() => sites.delete(site))
}

interface Abort {
  /** Aborts only this move; without it, the move must be abandoned. */
  generation?: number
  /** Keeps the copied bytes for the next move to this storage. */
  keepsBytes: boolean
}

/**
 * Aborts an unfinished move. The control row forgets the move first, so that its process can no longer hand the site
 * over; only then does the write fence open again.
 */
export async function abortMove(control: Control, site: number, abort: Abort): Promise<void> {
  let aborted: LocationRecord['move']
  const record = await changeLocation(control, site, ({ move, ...rest }) => {
    if (!move) return undefined
    const isMeant =
      abort.generation === undefined ? isAbandoned(control, move) : move.generation === abort.generation
    if (!isMeant) return undefined
    aborted = move
    const copies = unfinishedCopies({ ...rest, move })
    const keepsBytes = abort.keepsBytes && move.bytesGeneration !== rest.bytesGeneration
    const { storage, bytesGeneration } = move
    return {
      ...rest,
      staleCopies: [...rest.staleCopies, ...copies.filter(({ kind }) => kind === 'rows' || !keepsBytes)],
      ...(keepsBytes
        ? { abortedMove: { storage, bytesGeneration, at: control.clock.now().toISOString() } }
        : {}),
    }
  })
  if (!record || !aborted) return
  await openWriteFence(control, site, record, aborted.generation)
}

const maxTries = 12

/** Waits for open transactions. Later ones of the old generation are refused by the fence. */
export async function closeWriteFence(
  control: Control,
  site: number,
  { record, move }: { record: LocationRecord; move: Move },
): Promise<void> {
  const store = await control.backends.store(record.database)
  const fence = { rowsGeneration: record.rowsGeneration, from: record.generation, to: move.generation }
  for (let tried = 1; ; tried += 1) {
    try {
      if (!(await store.setWriteFence(site, fence))) throw moveLost()
      return
    } catch (error) {
      const isBusy = error instanceof Refusal && error.code === 'store-busy'
      if (!isBusy) throw error
      if (tried === maxTries) throw siteBusy()
    }
  }
}

/** Lets processes write again that know the site's current generation. */
async function openWriteFence(
  control: Control,
  site: number,
  record: LocationRecord,
  from: number,
): Promise<void> {
  const store = await control.backends.store(record.database)
  await store.setWriteFence(site, { rowsGeneration: record.rowsGeneration, from, to: record.generation })
}

/** Turns the bytes that an aborted move has copied into a stale copy. */
export async function giveUpCopiedBytes(control: Control, site: number): Promise<void> {
  await changeLocation(control, site, ({ abortedMove, ...record }) => {
    if (!abortedMove || record.move?.bytesGeneration === abortedMove.bytesGeneration) return undefined
    const { storage, bytesGeneration } = abortedMove
    return { ...record, staleCopies: [...record.staleCopies, { kind: 'bytes', storage, bytesGeneration }] }
  })
}
