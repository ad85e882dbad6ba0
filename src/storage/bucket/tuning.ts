/** Time-outs, retries and sizes of calls to a bucket. */
export interface Tuning {
  /** Time-outs of one call, and of all attempts for one file; long files get more, see `extraMs`. */
  answerMs: number
  totalMs: number
  tries: number
  /** Before the first retry; jittered, and doubled for each further one. */
  pauseMs: number
  /** After this many outages in a row, the first of which began `failingMs` ago, the circuit opens for `restMs`. */
  failuresMost: number
  failingMs: number
  restMs: number
  /** Files longer than this are sent in parts. */
  largeBytes: number
  partBytes: number
}

export const usualTuning: Tuning = {
  // With the clean-up of a failed batch, at most 30 seconds.
  answerMs: 8_000,
  totalMs: 22_000,
  // With their pauses, about a second and a half: the time in which a server behind a load balancer is replaced.
  tries: 5,
  pauseMs: 100,
  failuresMost: 5,
  failingMs: 1_000,
  restMs: 3_000,
  largeBytes: 64_000_000,
  partBytes: 16 * 1024 * 1024,
}

/** Allows for a connection of one megabyte a second. */
export function extraMs(sizeBytes: number): number {
  return sizeBytes / 1_000
}
