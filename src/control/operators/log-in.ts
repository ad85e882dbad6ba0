import { hash } from 'node:crypto'
import {
  isPasswordOf,
  kindOfCode,
  openFirstStep,
  sealFirstStep,
  usernameFault,
} from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import type { Control } from '../control.ts'
import { countTry, triesFrom } from './count-try.ts'
import { logInRefused } from './errors.ts'
import type { OperatorRequest } from './operator-request.ts'
import { findOperator, keyOfUsername, lockOperator } from './operators-table.ts'
import { type OperatorPasskeyAnswer, operatorOfPasskey } from './passkeys.ts'
import { isOperatorCodeTaken } from './second-step.ts'
import { type OpenedOperatorSession, openSession } from './sessions.ts'

/** A log-in whose password was right. It opens nothing but the form for the code. */
export interface HalfOperatorLogIn {
  operatorId: string
  /** Where the log-in leads. */
  to: string
}

/**
 * The first step: checks the password, and returns what `finishOperatorLogIn` needs, sealed for a cookie. An unknown name, a
 * wrong password and a missing second step get one refusal, after the same work.
 */
export async function logInOperator(
  control: Control,
  { key, address }: OperatorRequest,
  { username, password, to }: { username: string; password: string; to: string },
): Promise<string> {
  // No other text names anything, and PostgreSQL refuses some characters (NUL).
  const operator =
    usernameFault(username) === undefined
      ? await findOperator(control.store.control, { username })
      : undefined
  const account = operator?.id ?? hash('sha256', keyOfUsername(username), 'hex')
  const isRight = await countTry(control, triesFrom(address, account, operator?.id ?? ''), async () => {
    const isPasswordRight = await isPasswordOf(operator?.passwordHash, password)
    return isPasswordRight && operator?.sealedTotp !== undefined
  })
  if (!isRight || !operator) throw logInRefused()
  const step: HalfOperatorLogIn = { operatorId: operator.id, to }
  return sealFirstStep({ clock: control.clock, key }, step, operator.passwordHash)
}

/** Refuses a log-in that has ended after ten minutes, or by a new password. */
export const openHalfOperatorLogIn = (
  control: Control,
  { key }: OperatorRequest,
  sealed: string,
): Promise<HalfOperatorLogIn> =>
  openFirstStep<HalfOperatorLogIn>({ clock: control.clock, key }, sealed, ({ operatorId }) =>
    passwordHashOf(control, operatorId),
  )

async function passwordHashOf({ store }: Control, id: string): Promise<string | undefined> {
  return (await findOperator(store.control, { id }))?.passwordHash
}

/** The second step: a code of the authenticator, or a recovery code. */
export async function finishOperatorLogIn(
  control: Control,
  request: OperatorRequest,
  { sealed, code }: { sealed: string; code: string },
): Promise<OpenedOperatorSession & { to: string }> {
  const { operatorId, to } = await openHalfOperatorLogIn(control, request, sealed)
  const passwordHash = await passwordHashOf(control, operatorId)
  const isRight = await countTry(control, triesFrom(request.address, operatorId, operatorId), () =>
    isOperatorCodeTaken(control, operatorId, code),
  )
  if (!isRight) throw logInRefused()
  const opened = await inTransaction(control.store.control, async (db) => {
    const operator = await lockOperator(db, operatorId)
    // The operator may have been reset or deleted since.
    if (!operator || operator.passwordHash !== passwordHash) throw logInRefused()
    const steps = { method: 'password', factor: kindOfCode(code) } as const
    return openSession(control, db, request, { operator, steps })
  })
  return { ...opened, to }
}

/** A passkey is both steps of a log-in. */
export const logInWithPasskey = (
  control: Control,
  request: OperatorRequest,
  answer: OperatorPasskeyAnswer,
): Promise<OpenedOperatorSession> =>
  operatorOfPasskey(control, request, answer, (db, operator) =>
    openSession(control, db, request, { operator, steps: passkeySteps }),
  )

export const passkeySteps = { method: 'passkey', factor: 'passkey' } as const
