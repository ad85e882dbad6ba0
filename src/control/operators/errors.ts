import { type Fault, faultOf } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'

export const operatorNotFound = (name: string) =>
  new Refusal('not-found', 'operator-not-found', `There is no operator "${name}".`)

export const operatorNameTaken = (username: string) =>
  new Refusal('conflict', 'operator-name-taken', `There is already an operator named "${username}".`)

export const invalidOperator = (faults: readonly Fault[]) => invalidFields(faults, 'invalid-operator')

export const lastOperator = (username: string) =>
  new Refusal(
    'conflict',
    'last-operator',
    `"${username}" is the last operator who can log in and change something. Another one must set up an account first.`,
    { params: { username } },
  )

export const cannotDeleteSelf = () =>
  new Refusal('conflict', 'own-account', 'You cannot delete your own account. Ask another operator.')

/** The one refusal of a link that is unknown, was used, or has ended. */
export const inviteEnded = () =>
  new Refusal(
    'not-found',
    'invite-ended',
    'This link no longer works: it was used already, or it has expired. Ask an operator for a new one.',
  )

/** The one refusal of a log-in: of an unknown name, a wrong password, a missing second step and a wrong code. */
export const logInRefused = () =>
  new Refusal('unauthenticated', 'log-in-refused', 'The user name, the password or the code is wrong.')

/** The session has ended, or its operator was reset or deleted, since the request began. */
export const operatorSessionEnded = () =>
  new Refusal('unauthenticated', 'session-ended', 'Your session has ended, so nothing was saved.')

export const operatorSessionNotFound = (id: string) =>
  new Refusal('not-found', 'session-not-found', `There is no session "${id}" of this operator.`)

export const wrongOwnPassword = () =>
  invalidFields([faultOf('current', 'passwordWrong')], 'wrong-current-password')

/** Nothing would be left to log in with: a passkey, or a password with a second step. */
export const lastSecondFactor = () =>
  new Refusal(
    'conflict',
    'last-second-factor',
    'You cannot remove your last second factor. Add a passkey, or set up a password with codes, first.',
  )

export const cannotResealOperators = (ids: readonly string[]) =>
  new Refusal(
    'unavailable',
    'cannot-decrypt',
    `The second steps of the operators ${ids.slice(0, 20).join(', ')} cannot be decrypted with the keys of this installation. Reset these operators, then repeat this.`,
  )
