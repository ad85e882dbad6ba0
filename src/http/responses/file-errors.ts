import type { Fault } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'

/** 401, as oembed.com has it for private resources. */
export const passwordNeeded = () =>
  new Refusal('unauthenticated', 'password-needed', 'This file is in an album with a password.')

export const badEmbedding = (fault: Fault) => invalidFields([{ ...fault, in: 'query' }], 'bad-parameter')

/** Of bytes that need a signature. */
export const addressEnded = () => new Refusal('not-found', 'gone', 'This address has expired.')
