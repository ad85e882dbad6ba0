import { Refusal } from '../../lib/refusal.ts'

/** Gone, expired, not approved, never there: told in the same words as the media room tells it. */
export const noSuchFile = () => new Refusal('not-found', 'file-not-found', 'There is no such file.')

export const fileDamaged = () =>
  new Refusal('unavailable', 'file-damaged', 'This file cannot be read at present. Try again shortly.')

/** As oembed.com has it for what may not be shown elsewhere. */
export const passwordNeeded = () =>
  new Refusal('unauthenticated', 'password-needed', 'This file is in an album with a password.')

export const badEmbedding = (message: string) => new Refusal('invalid', 'bad-parameter', message)
