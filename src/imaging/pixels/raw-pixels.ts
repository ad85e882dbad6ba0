/** Decoded pixels: eight bits for each channel, row by row from the top, without padding. */
export interface RawPixels {
  data: Uint8Array
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
  /** The ICC profile; undefined for sRGB. */
  profile?: Buffer | undefined
}
