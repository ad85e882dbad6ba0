import { type Fault, faultOf } from '../../../lib/faults.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'

export const noSuchProvider = (name: string) =>
  new Refusal('not-found', 'provider-not-found', `There is no login provider "${name}".`)

export const providerNameTaken = (name: string) =>
  new Refusal('conflict', 'provider-exists', `There is already a login provider "${name}".`)

export const invalidProvider = (faults: readonly Fault[]) => invalidFields(faults, 'invalid-provider')

export const tooManyProviders = (most: number) =>
  new Refusal(
    'conflict',
    'too-many-providers',
    `A site has at most ${most} login providers. Remove one first.`,
  )

/** Subjects are those of the issuer: under another one they would be other people. */
export const issuerInUse = (count: number) =>
  new Refusal(
    'conflict',
    'issuer-in-use',
    `issuer: ${count} accounts are connected under it. Create a new provider, and delete this one later.`,
  )

/** A kept secret would be sent to the new issuer, who may be the administrator that must not read it. */
export const secretNeeded = () => invalidFields([faultOf('clientSecret', 'secretNeeded')], 'secret-needed')

/** One answer to all that lies between: a site's administrator must not learn what is on the operator's network. */
export const providerUnavailable = (cause: unknown) =>
  new Refusal(
    'unavailable',
    'provider-unavailable',
    'The login provider cannot be reached at the moment. Try again later, or log in another way.',
    { cause },
  )

/** It was reached, and is not what it should be. */
export const providerMistaken = (cause: unknown) =>
  new Refusal(
    'invalid',
    'provider-mistaken',
    'The login provider sent an invalid response, so nothing was changed. Try again.',
    { cause },
  )

/** The person, or the provider, has said no. */
export const providerRefused = (cause: unknown) =>
  new Refusal('forbidden', 'provider-refused', 'The login provider did not log you in.', { cause })

/** Too old, used before, begun in another browser, or for another provider. */
export const connectEnded = () =>
  new Refusal(
    'invalid',
    'connect-ended',
    'This log-in has expired, or was started in another browser. Start again.',
  )

/** The provider knew the person from before, or does not say since when. */
export const logInTooOld = () =>
  new Refusal(
    'forbidden',
    'log-in-too-old',
    'The login provider has not asked you to log in within the last ten minutes, so this is no proof.',
  )

export const identityTaken = () =>
  new Refusal('conflict', 'identity-taken', 'This account is connected to another user here.')

export const alreadyConnected = () =>
  new Refusal(
    'conflict',
    'already-connected',
    'You have already connected another account of this provider. Disconnect it first.',
  )

export const noSuchIdentity = (id: string) =>
  new Refusal('not-found', 'identity-not-found', `There is no connected account "${id}" of this user.`)

export const lastLoginMethod = () =>
  new Refusal(
    'conflict',
    'last-way-in',
    'This is your only way to log in. Set a password or add a passkey first.',
  )

export const emailUnverified = () =>
  new Refusal('forbidden', 'email-unverified', 'The provider has not confirmed your e-mail address.')
