import { faultOf } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'

/** The password was right, and the user has a second step. */
export const codeRequired = () =>
  new Refusal('unauthenticated', 'totp-required', 'totp: this user logs in with a code as the second step.')

export const wrongCode = () => invalidFields([faultOf('code', 'code')], 'wrong-code')

export const alreadyOn = () =>
  new Refusal('conflict', 'totp-on', 'The second step is already on. Turn it off before you set it up again.')

export const noTotp = () =>
  new Refusal('conflict', 'totp-off', 'This user has no second step, so there is nothing to change.')

export const setUpEnded = () =>
  new Refusal('invalid', 'set-up-ended', 'This set-up has expired after an hour. Start again.')

/** The log-in has begun too long ago, or the password was changed since. */
export const logInEnded = () =>
  new Refusal('unauthenticated', 'log-in-ended', 'This log-in has expired. Start again with your password.')

/** The one refusal of a passkey; the cause is logged alone. */
export const passkeyRefused = (cause: unknown) =>
  new Refusal('unauthenticated', 'passkey-refused', 'This passkey was not accepted. Try again.', { cause })

export const passkeyNotFound = (id: string) =>
  new Refusal('not-found', 'passkey-not-found', `There is no passkey "${id}" of this user.`)

export const tooManyPasskeys = (most: number) =>
  new Refusal('conflict', 'too-many-passkeys', `A user has at most ${most} passkeys. Remove one first.`)

export const invalidPasskeyName = (most: number) =>
  invalidFields([faultOf('name', 'nameLength', { most })], 'invalid-passkey')

/** The site demands a second step of its staff, and this user has none. */
export const secondStepNeeded = () =>
  new Refusal(
    'forbidden',
    'second-step-needed',
    'This site requires a second step for administrators and managers. Set it up at /settings/security/totp.',
  )

export const secondStepFirst = () =>
  new Refusal(
    'conflict',
    'second-step-first',
    'require_second_step: set up your own second step first, at /settings/security/totp.',
  )

export const secondStepRequired = () =>
  new Refusal(
    'conflict',
    'second-step-required',
    'This site requires a second step for administrators and managers, so yours cannot be switched off.',
  )

/** For calls that write no page, which would ask for the proof itself. */
export const proofNeeded = () =>
  new Refusal('forbidden', 'proof-needed', 'This needs a proof of the last ten minutes: open /prove.')
