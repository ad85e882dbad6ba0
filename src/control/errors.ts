import type { Fault } from '../lib/faults.ts'
import { invalidFields, Refusal } from '../lib/refusal.ts'

/** One message for every failed authentication, so that it does not reveal what was wrong. */
export const badKey = () =>
  new Refusal('unauthenticated', 'unauthenticated', 'The API key or the signature is missing or not valid.')

/** For the command line tool, which verifies a key without a signature. */
export const keyNotValid = () =>
  new Refusal(
    'unauthenticated',
    'key-not-valid',
    'The API key is not valid: it is unknown, deleted or expired.',
  )

export const keyNameTaken = (name: string) =>
  new Refusal('conflict', 'key-name-taken', `There is already a key named "${name}".`)

export const keyNotFound = (key: string) =>
  new Refusal('not-found', 'key-not-found', `There is no key "${key}".`)

export const invalidKey = (fault: Fault) => invalidFields([fault], 'invalid-key')
