/** How a bucket is treated. */
export interface Tuning {
  /** The wait for one answer, and for all tries of one file together; long files get more, see `extraMs`. */
  answerMs: number
  totalMs: number
  tries: number
  /** Between two tries, at first; jittered and doubled. */
  pauseMs: number
  /** So many calls in a row without an answer, and the bucket is left alone for a while. */
  failuresMost: number
  restMs: number
  /** Files longer than this are sent in parts. */
  largeBytes: number
  partBytes: number
}

export const usualTuning: Tuning = {
  // With the taking back of a batch that failed, at most 30 seconds.
  answerMs: 8_000,
  totalMs: 22_000,
  tries: 3,
  pauseMs: 100,
  failuresMost: 5,
  restMs: 3_000,
  largeBytes: 64_000_000,
  partBytes: 16 * 1024 * 1024,
}

/** A slow line that moves a megabyte a second is still a line. */
export function extraMs(sizeBytes: number): number {
  return sizeBytes / 1_000
}
