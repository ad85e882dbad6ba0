import type { Video } from '../children/job.ts'

/** Rules that hold for both ways to decode a frame: by the program ffmpeg and by its libraries. */

/** The allowed decoders of FFmpeg: the codecs that cameras, phones and editors write into these containers. */
export const DECODERS: readonly string[] = [
  'h264',
  'hevc',
  'vp8',
  'vp9',
  'libvpx',
  'libvpx-vp9',
  'av1',
  'libdav1d',
  'libaom-av1',
  'mpeg4',
  'h263',
  'mjpeg',
  'prores',
  'dnxhd',
  'qtrle',
  'png',
]

/** The largest value of FFmpeg's option `max_pixels`. */
const MAX_PIXELS_OPTION = 2_147_483_647

export const pixelLimit = (maxPixels: number): number => Math.min(maxPixels, MAX_PIXELS_OPTION)

/** A JPEG has BT.601 colours in full range, and square pixels. */
export const pictureFilters = ({ width, height }: Video): [name: string, options: string][] => [
  ['scale', `${width}:${height}:out_color_matrix=bt601:out_range=full`],
  ['setsar', '1'],
  ['format', 'yuvj420p'],
]

/** On the encoder's scale from 1 (best) to 31. */
export const JPEG_QUALITY = 3

export interface Attempt {
  atSeconds: number
  /** Decodes up to that time, instead of taking the key frame before it. */
  isExact: boolean
  /** The part of the time limit that this attempt may use. */
  timeFraction: number
}

/** The frame at a quarter of the duration; if that fails, the key frame before it, then the first frame. */
export function attemptsFor({ durationSeconds }: Video): Attempt[] {
  const quarter = durationSeconds / 4
  return [
    { atSeconds: quarter, isExact: true, timeFraction: 0.4 },
    { atSeconds: quarter, isExact: false, timeFraction: 0.3 },
    { atSeconds: 0, isExact: false, timeFraction: 0.3 },
  ]
}
