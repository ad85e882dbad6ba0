import { Refusal } from '../lib/refusal.ts'

export const notMedia = (why: string) =>
  new Refusal('invalid', 'not-media', 'This is not a picture of an accepted kind.', { cause: why })

export const kindOff = (kind: string) =>
  new Refusal('invalid', 'kind-off', `Files of the kind ${kind.toUpperCase()} are switched off.`)

export const notDecodable = (cause: unknown) =>
  new Refusal('invalid', 'not-decodable', 'The picture is broken or incomplete and cannot be read.', {
    cause,
  })

export const outOfTime = (seconds: number) =>
  new Refusal('invalid', 'not-decodable', `The picture could not be read within ${seconds} seconds.`)

export const outOfMemory = (cause: unknown) =>
  new Refusal('invalid', 'not-decodable', 'The picture needs more memory than allowed.', { cause })

export const tooManyPixels = (pixels: number, limit: number) =>
  new Refusal(
    'invalid',
    'too-many-pixels',
    `The picture has ${pixels} pixels in all its frames, the limit is ${limit}.`,
  )

export const tooManyFrames = (limit: number) =>
  new Refusal('invalid', 'too-many-frames', `The picture has more than ${limit} frames.`)

export const decoderBusy = () =>
  new Refusal('unavailable', 'decoder-busy', 'Too many pictures are being read. Try again in a moment.')

export const decoderUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'decoder-unavailable', 'Pictures cannot be read at the moment.', { cause })
