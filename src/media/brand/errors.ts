import { Refusal } from '../../lib/refusal.ts'

export const notPicture = () =>
  new Refusal(
    'invalid',
    'not-picture',
    'source: must be a picture, not a video. PNG, JPEG and WebP are best.',
  )

export const logoTooHigh = (width: number, height: number) =>
  new Refusal(
    'invalid',
    'logo-too-high',
    `source: a logo is at most twice as high as it is wide; this one has ${width} × ${height} pixels.`,
  )

export const brandPictureTooLarge = (limit: string) =>
  new Refusal('too-large', 'brand-picture-too-large', `source: must be at most ${limit}.`)
