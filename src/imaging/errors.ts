import { Refusal } from '../lib/refusal.ts'

export { notDecodable } from '../formats/errors.ts'

export const notMedia = (why: string) =>
  new Refusal('invalid', 'not-media', 'This is not a picture or video of an accepted kind.', { cause: why })

export const kindOff = (kind: string) =>
  new Refusal('invalid', 'kind-off', `Files of the kind ${kind.toUpperCase()} are switched off.`, {
    params: { kind: kind.toUpperCase() },
  })

export const outOfTime = (cpuSeconds: number) =>
  new Refusal(
    'invalid',
    'not-decodable',
    `The file takes more than ${Math.round(cpuSeconds)} seconds of processor time to read.`,
  )

/** The wall-clock limit: the machine was too busy, so the file is not to blame and may be sent again. */
export const decoderOverloaded = (seconds: number) =>
  new Refusal(
    'unavailable',
    'decoder-busy',
    `The file could not be read within ${Math.round(seconds)} seconds: the server is busy. Try again later.`,
  )

export const outOfMemory = (cause: unknown) =>
  new Refusal('invalid', 'not-decodable', 'The file needs more memory than allowed.', { cause })

export const tooManyPixels = (pixels: number, limit: number) =>
  new Refusal(
    'invalid',
    'too-many-pixels',
    `The picture has ${pixels} pixels in all its frames, the limit is ${limit}.`,
  )

export const frameTooLarge = (pixels: number, limit: number) =>
  new Refusal(
    'invalid',
    'too-many-pixels',
    `A frame of the video has ${pixels} pixels, the limit is ${limit}.`,
  )

export const tooManyFrames = (limit: number) =>
  new Refusal('invalid', 'too-many-frames', `The picture has more than ${limit} frames.`)

export const noPictures = () =>
  new Refusal('invalid', 'not-decodable', 'The video has no pictures: there is no video track in it.')

export const noDuration = (seconds: number) =>
  new Refusal('invalid', 'not-decodable', 'The video has no duration.', {
    cause: `it lasts ${seconds} seconds`,
  })

export const tooLong = (seconds: number, limit: number) =>
  new Refusal(
    'invalid',
    'not-decodable',
    `The video lasts ${Math.round(seconds)} seconds, the limit is ${limit}.`,
  )

export const tooManyStreams = (count: number, limit: number) =>
  new Refusal('invalid', 'not-decodable', `The video has ${count} streams, the limit is ${limit}.`)

export const sideTooLong = (side: number, limit: number) =>
  new Refusal('invalid', 'not-decodable', `The video is ${side} pixels wide or high, the limit is ${limit}.`)

export const decoderBusy = () =>
  new Refusal('unavailable', 'decoder-busy', 'Too many files are being read. Try again in a moment.')

export const decoderUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'decoder-unavailable', 'Files cannot be read at the moment.', { cause })

/** The kernel's out-of-memory killer or an operator ended the process: the file is not to blame and may be sent again. */
export const decoderKilled = (cause: unknown) =>
  new Refusal('unavailable', 'decoder-killed', 'Files cannot be read at the moment.', { cause })

export const clientDisconnected = () =>
  new Refusal('unavailable', 'caller-left', 'The caller left before the file was read.')

export const ffmpegNotRunnable = (path: string, cause: unknown) =>
  new Refusal('invalid', 'ffmpeg-not-runnable', `FFMPEG_PATH: "${path}" cannot be run as ffmpeg`, { cause })
