/** Where code reads the time, so that tests can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

const mostDriftMs = 10 * 60_000

/** Whether the system's time was set, by more than a usual correction, since this process started. */
export function hasClockJumped(): boolean {
  return Math.abs(Date.now() - (performance.timeOrigin + performance.now())) > mostDriftMs
}
