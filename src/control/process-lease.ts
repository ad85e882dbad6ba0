import { hostname } from 'node:os'
import type { Control } from './control.ts'

const leaseMs = 30_000

export const leaseEnd = ({ clock }: Pick<Control, 'clock'>): string =>
  new Date(clock.now().getTime() + leaseMs).toISOString()

export const thisProcess = `${process.pid}@${hostname()}`

/** The process that works on something, as `pid@hostname`, and until when the others leave it alone. */
export interface ProcessLease {
  by: string
  until: string
}

/** Whether the process of a lease is gone: the lease has ended, or it ran on this machine and runs no more. */
export function isAbandoned({ clock }: Pick<Control, 'clock'>, { until, by }: ProcessLease): boolean {
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
