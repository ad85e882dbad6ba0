import { type Fault, faultOf } from '../lib/faults.ts'
import { invalidFields, Refusal } from '../lib/refusal.ts'

export const userNotFound = (username: string) =>
  new Refusal('not-found', 'user-not-found', `There is no user "${username}".`)

export const usernameTaken = (username: string) =>
  new Refusal('conflict', 'username-taken', `There is already a user "${username}".`)

export const emailTaken = (email: string) =>
  new Refusal('conflict', 'email-taken', `There is already a user with the e-mail address "${email}".`)

export const keyNameTaken = (name: string) =>
  new Refusal('conflict', 'key-name-taken', `This user already has a key named "${name}".`)

export const keyNotFound = (which: string) =>
  new Refusal('not-found', 'key-not-found', `There is no key "${which}".`)

export const noSuchKey = (id: string) =>
  new Refusal('not-found', 'key-not-found', `There is no key "${id}" of this user.`)

export const lastAdmin = (username: string) =>
  new Refusal(
    'conflict',
    'last-admin',
    `The user "${username}" is the last administrator of the site who is not banned.`,
  )

export const limitReached = (name: string, limit: number) =>
  new Refusal('forbidden', 'limit-reached', `${name} is reached (limit ${limit}).`, {
    params: { name, limit },
  })

/** Of bytes; other limits are on numbers. */
export const quotaReached = (name: string, limit: number) =>
  new Refusal('forbidden', 'quota-reached', `${name} is reached (limit ${limit}).`, {
    params: { name, limit },
  })

export const invalidAccount = (faults: readonly Fault[]) => invalidFields(faults, 'invalid-account')

export const noKey = () => new Refusal('invalid', 'no-key', 'No key provided')

export const wrongKey = () => new Refusal('invalid', 'wrong-key', 'Invalid API key.')

export const apiSwitchedOff = () =>
  new Refusal('forbidden', 'api-off', 'This site does not accept uploads with this kind of key.')

export const uploadKeysOff = () =>
  new Refusal(
    'forbidden',
    'api-off',
    'No key was created: uploads with keys are turned off on this site, and the scope "upload" allows nothing else.',
  )

/** The one refusal of a missing, wrong, expired or deleted key or session. */
export const unauthenticated = () =>
  new Refusal('unauthenticated', 'unauthenticated', 'This call needs a valid key or session.')

/** The key or session has ended, or its user was banned, while the request was sent. */
export const rightsEnded = () =>
  new Refusal('unauthenticated', 'rights-ended', 'This key or session has ended, so nothing was saved.')

/** The caller was demoted while the request was sent. */
export const roleLost = () =>
  new Refusal(
    'forbidden',
    'role-lost',
    'Your role has changed since this request began, so nothing was saved.',
  )

/** Whether the caller had the right when the request began, and has it no more. */
export const isOfEndedRights = ({ code }: Refusal): boolean => code === 'rights-ended' || code === 'role-lost'

export const scopeMissing = (needed: string) =>
  new Refusal(
    'forbidden',
    'scope-missing',
    `This call needs the scope "${needed}", which this key or session does not have.`,
  )

/** For calls that managers may not make. */
export const notAdministrator = () =>
  new Refusal('forbidden', 'scope-missing', 'This call is for administrators of the site.')

/** An album-bound key sees and fills its album alone. */
export const boundToAlbum = () =>
  new Refusal(
    'forbidden',
    'scope-missing',
    'This key is bound to an album, and this call is about the account or the whole site.',
  )

export const strongerKey = () =>
  new Refusal(
    'forbidden',
    'scope-missing',
    'A key or session cannot create, change or rotate a key with a stronger scope or fewer limits than its own.',
  )

export const originNotAllowed = () =>
  new Refusal('forbidden', 'origin-not-allowed', 'This key is not allowed from the origin of this request.')

export const addressNotAllowed = () =>
  new Refusal('forbidden', 'address-not-allowed', 'This key is not allowed from the address of this caller.')

export const unknownAlbum = () => invalidFields([faultOf('album_id', 'albumOfUser')], 'unknown-album')

export const sessionNotFound = (id: string) =>
  new Refusal('not-found', 'session-not-found', `There is no session "${id}" of this user.`)

export const tooManyLogins = (retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-logins',
    `Too many wrong passwords. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    { retryAfterSeconds },
  )

export const tooManyCodes = (retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-logins',
    `Too many wrong codes. Try again in ${retryAfterSeconds / 60} minutes.`,
    { retryAfterSeconds },
  )

/** For one account, from networks that are not known to it. */
export const logInSlowed = (retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'log-in-slowed',
    `Many wrong passwords were entered for this account. Wait ${retryAfterSeconds} seconds and try again.`,
    { retryAfterSeconds },
  )

export const wrongCurrentPassword = () =>
  invalidFields([faultOf('current_password', 'passwordWrong')], 'wrong-current-password')

export const noSuchUser = (id: string) =>
  new Refusal('not-found', 'user-not-found', `There is no user "${id}".`)

export const mayOnlyBan = () =>
  new Refusal('forbidden', 'scope-missing', 'Managers can change only is_banned of a user.')

export const idempotencyMismatch = () =>
  new Refusal(
    'invalid',
    'idempotency-mismatch',
    'This Idempotency-Key was sent with another request. Use a new key for each request.',
  )

export const stillRunning = () =>
  new Refusal('conflict', 'in-flight', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 5,
  })

export const invalidPreference = (name: string, value: string) =>
  invalidFields([faultOf(name, 'preference', { given: value.slice(0, 64) })], 'invalid-preference')

/** The one refusal of a link that is unknown, was used, or has ended. */
export const linkEnded = () =>
  new Refusal(
    'not-found',
    'link-ended',
    'This link no longer works: it was used already, or it has expired. Ask for a new one.',
  )

export const nameReserved = (username: string) =>
  new Refusal('conflict', 'name-reserved', `The user name "${username}" is reserved. Choose another one.`)

export const signUpClosed = () =>
  new Refusal('not-found', 'route-not-found', 'There is nothing at this address.')

export const tooManyConnects = (most: number, retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-connects',
    `More than ${most} log-ins by a provider were started from your address within ten minutes. Try again later.`,
    { retryAfterSeconds },
  )

export const tooManyMails = (most: number, retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-mails',
    `More than ${most} requests came from your address within an hour. Try again later.`,
    { retryAfterSeconds },
  )
