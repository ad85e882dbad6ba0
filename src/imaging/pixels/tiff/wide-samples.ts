import type { RawPixels } from '../raw-pixels.ts'

/**
 * Scales integers of 32 bits to eight, from the smallest (at most zero) to the greatest value of the picture. The unit is known
 * only to the instrument that wrote them, and few instruments use the full range.
 */
export function toEightBits(samples: Uint32Array | Int32Array): Buffer {
  let [least, most] = [0, 0]
  for (const sample of samples) {
    if (sample < least) least = sample
    if (sample > most) most = sample
  }
  const factor = most === least ? 0 : 255 / (most - least)
  const bytes = Buffer.allocUnsafe(samples.length)
  for (let index = 0; index < samples.length; index++) {
    bytes[index] = Math.round(((samples[index] ?? 0) - least) * factor)
  }
  return bytes
}

/** Raw bytes as integers of four bytes, in the machine's byte order. */
export function samplesOf({ data }: Pick<RawPixels, 'data'>, isSigned: boolean): Uint32Array | Int32Array {
  // A copy, because a typed array must begin at a multiple of four bytes.
  const { buffer } = Uint8Array.from(data)
  return isSigned ? new Int32Array(buffer) : new Uint32Array(buffer)
}
