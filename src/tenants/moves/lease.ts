import { type Control, leaseEnd } from '../../control/index.ts'
import { moveLost } from '../errors.ts'
import { changeLocation } from '../locations/site-locations.ts'

const renewEveryMs = 8_000

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
