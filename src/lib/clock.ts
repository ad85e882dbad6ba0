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

/** Clocks of servers differ by less than this. A later time was written before the clock was set back. */
const toleratedMs = 60_000

export const latestTime = (now: Date): Date => new Date(now.getTime() + toleratedMs)

/** Whether a time in milliseconds lies within the last `ms`. More than a minute ahead counts as old. */
export const isRecent = (at: number, ms: number, now: Date): boolean =>
  now.getTime() - at < ms && at <= latestTime(now).getTime()
