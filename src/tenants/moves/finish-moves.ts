import type { Control } from '../../control/index.ts'
import { type Move, readLocation } from '../locations/site-locations.ts'
import { relocatedSitesAfter } from '../sites-table.ts'
import { abortMove, giveUpCopiedBytes } from './abort-move.ts'
import { isAbandoned } from './lease.ts'
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
