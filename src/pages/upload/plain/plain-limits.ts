/** What one form without script takes: all of it is received before the first file is stored. */
export const mostPlainFiles = 20

export const mostPlainBytes = (mostBytesOfFile: number): number =>
  Math.min(5 * mostBytesOfFile, Number.MAX_SAFE_INTEGER)
