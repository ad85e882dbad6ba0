/** Pixels without any wrapping: eight bits for each channel, row by row from the top. */
export interface RawPixels {
  data: Uint8Array
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
  /** What the colours mean, when it is not sRGB. */
  profile?: Buffer | undefined
}
