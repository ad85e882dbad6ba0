import { hostname } from 'node:os'
import type { Control } from '../../control/index.ts'
import { moveLost } from '../errors.ts'
import { changePlace, type Move } from '../site-places.ts'

const leaseMs = 30_000
const renewEveryMs = 8_000

export const leaseEnd = ({ clock }: Control): string =>
  new Date(clock.now().getTime() + leaseMs).toISOString()

export const ourselves = `${process.pid}@${hostname()}`

/** Whether whoever is at a move may be taken for gone. */
export function isOver({ clock }: Control, { until, by }: Move): boolean {
  if (new Date(until) < clock.now()) return true
  const [id = '', machine] = by.split('@')
  return machine === hostname() && by !== ourselves && !isRunning(Number(id))
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

export interface HeldMove extends Disposable {
  /** Throws once the move is another's, or nobody's. */
  check(): void
}

/** Keeps a move ours while we are at it. That is a courtesy: what counts is asked when the site is handed over. */
export function holdMove(control: Control, site: number, generation: number): HeldMove {
  let isLost = false
  const renew = async () => {
    const renewed = await changePlace(control, site, (record) =>
      record.move?.generation === generation
        ? { ...record, move: { ...record.move, until: leaseEnd(control) } }
        : undefined,
    )
    if (!renewed) isLost = true
  }
  // While the installation cannot be asked, the lease runs on.
  const timer = setInterval(() => void renew().catch(() => undefined), renewEveryMs).unref()
  return {
    check() {
      if (isLost) throw moveLost()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
