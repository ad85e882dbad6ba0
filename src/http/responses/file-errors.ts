import { Refusal } from '../../lib/refusal.ts'

/** For deleted, expired, unapproved and unknown files alike; the same message as the media room's. */
export const noSuchFile = () => new Refusal('not-found', 'file-not-found', 'There is no such file.')

/** 401, as oembed.com has it for private resources. */
export const passwordNeeded = () =>
  new Refusal('unauthenticated', 'password-needed', 'This file is in an album with a password.')

export const badEmbedding = (message: string) => new Refusal('invalid', 'bad-parameter', message)

/** Of bytes that need a signature. */
export const addressEnded = () => new Refusal('not-found', 'gone', 'This address has ended.')
