import type { Control } from '../../control/index.ts'
import type { PlaceRecord } from '../site-places.ts'
import { finishMove } from './end-move.ts'
import { isOver } from './lease.ts'

const underWay = new WeakMap<Control, Set<number>>()

/** A mover that was killed may have left the site closed: whoever comes by opens it, and is not kept waiting for that. */
export function healMove(control: Control, site: number, { move }: PlaceRecord): void {
  if (!move || !isOver(control, move)) return
  const sites = underWay.get(control) ?? new Set()
  underWay.set(control, sites)
  if (sites.has(site)) return
  sites.add(site)
  // What fails is tried again by the next one who comes, and by the installation's own job.
  void finishMove(control, site)
    .catch(() => undefined)
    .finally(() => sites.delete(site))
}
