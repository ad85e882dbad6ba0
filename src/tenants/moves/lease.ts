import { hostname } from 'node:os'
import type { Control } from '../../control/index.ts'
import { moveLost } from '../errors.ts'
import { changeLocation, type Move } from '../locations/site-locations.ts'

const leaseMs = 30_000
const renewEveryMs = 8_000

export const leaseEnd = ({ clock }: Control): string =>
  new Date(clock.now().getTime() + leaseMs).toISOString()

export const thisProcess = `${process.pid}@${hostname()}`

/** Whether the process of a move is gone: its lease has ended, or it ran on this machine and runs no more. */
export function isAbandoned({ clock }: Control, { until, by }: Pick<Move, 'until' | 'by'>): boolean {
  if (new Date(until) < clock.now()) return true
  const [id = '', machine] = by.split('@')
  return machine === hostname() && by !== thisProcess && !isRunning(Number(id))
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

export interface MoveLease extends Disposable {
  /** Throws once the move was aborted or taken over. */
  check(): void
}

/**
 * Renews the lease of a move until it is disposed. The lease only stops other processes early; the check that decides
 * is made in the transaction that hands the site over.
 */
export function holdMoveLease(control: Control, site: number, generation: number): MoveLease {
  let isLost = false
  const renew = async () => {
    const renewed = await changeLocation(control, site, (record) =>
      record.move?.generation === generation
        ? { ...record, move: { ...record.move, until: leaseEnd(control) } }
        : undefined,
    )
    if (!renewed) isLost = true
  }
  // A renewal that fails is repeated; meanwhile the lease runs on.
  const timer = setInterval(() => void renew().catch(() => undefined), renewEveryMs).unref()
  return {
    check() {
      if (isLost) throw moveLost()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
