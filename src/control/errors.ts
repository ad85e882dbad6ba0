import { Refusal } from '../lib/refusal.ts'

/** One text for every way in which a caller fails to show who it is. */
export const badKey = () =>
  new Refusal('unauthenticated', 'unauthenticated', 'The API key or the signature is missing or not valid.')

export const keyNameTaken = (name: string) =>
  new Refusal('conflict', 'key-name-taken', `There is already a key named "${name}".`)

export const keyNotFound = (key: string) =>
  new Refusal('not-found', 'key-not-found', `There is no key "${key}".`)

export const invalidKey = (fault: string) => new Refusal('invalid', 'invalid-key', fault)
