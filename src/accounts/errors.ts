import { Refusal } from '../lib/refusal.ts'

export const userNotFound = (username: string) =>
  new Refusal('not-found', 'user-not-found', `There is no user "${username}".`)

export const usernameTaken = (username: string) =>
  new Refusal('conflict', 'username-taken', `There is already a user "${username}".`)

export const emailTaken = (email: string) =>
  new Refusal('conflict', 'email-taken', `There is already a user with the e-mail address "${email}".`)

export const keyNameTaken = (name: string) =>
  new Refusal('conflict', 'key-name-taken', `This user already has a key named "${name}".`)

export const keyNotFound = (which: string) =>
  new Refusal('not-found', 'key-not-found', `There is no upload key "${which}".`)

export const lastAdmin = (username: string) =>
  new Refusal(
    'conflict',
    'last-admin',
    `The user "${username}" is the last administrator of the site who is not banned.`,
  )

export const limitReached = (name: string, limit: number) =>
  new Refusal('forbidden', 'limit-reached', `${name} is reached (limit ${limit}).`)

export const invalidAccount = (list: readonly string[]) =>
  new Refusal('invalid', 'invalid-account', list.join('; '), { list })

export const noKey = () => new Refusal('invalid', 'no-key', 'No key provided')

export const wrongKey = () => new Refusal('invalid', 'wrong-key', 'Invalid API key.')

export const apiSwitchedOff = () =>
  new Refusal('forbidden', 'api-off', 'This site does not take uploads with such a key.')
