/** Where code reads the time, so that tests can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

const mostDriftMs = 10 * 60_000

/** Whether the machine's time has been set by more than a clock is corrected by, since this process started. */
export function hasClockJumped(): boolean {
  return Math.abs(Date.now() - (performance.timeOrigin + performance.now())) > mostDriftMs
}
