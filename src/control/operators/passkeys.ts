import {
  type CreationOptions,
  checkPasskeyName,
  checkRoomForPasskey,
  creationOptions,
  type OpenedChallenge,
  type PasskeyAnswer,
  passkeyRefused,
  passkeyRequest,
  type RelyingParty,
  type RequestOptions,
  verifiedCreation,
  verifiedUse,
} from '../../accounts/index.ts'
import { type ControlDb, inTransaction } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import type { Control } from '../control.ts'
import { insertNonce } from '../keys/keys-table.ts'
import type { OperatorRequest } from './operator-request.ts'
import { lockOperator, type Operator } from './operators-table.ts'
import { findPasskey, insertPasskey, passkeysOf, updatePasskeyUse } from './passkeys-table.ts'

/** What a browser has made of the options that it got. */
export type OperatorPasskeyAnswer = Pick<PasskeyAnswer, 'response' | 'challenge'>

const partyOf = ({ clock }: Control, { hostname }: OperatorRequest): RelyingParty => ({ hostname, clock })

/** What a browser needs to ask for a passkey of the console. */
export const operatorPasskeyRequest = (control: Control, request: OperatorRequest): Promise<RequestOptions> =>
  passkeyRequest(partyOf(control, request), request.key)

/** What a browser needs to make a passkey for an operator. */
export async function operatorPasskeyCreation(
  control: Control,
  request: OperatorRequest,
  { id, username }: { id: string; username: string },
): Promise<CreationOptions> {
  const known = await passkeysOf(control.store.control, id)
  return creationOptions(partyOf(control, request), { id, username, known }, request.key)
}

export type NewOperatorPasskey = OperatorPasskeyAnswer & { name: string }

/** Verifies a passkey that a browser has made; the result stores it, in the transaction of the change. */
export async function verifiedPasskey(
  control: Control,
  { hostname, origin, key }: OperatorRequest,
  operatorId: string,
  { name, ...answer }: NewOperatorPasskey,
): Promise<(db: ControlDb) => Promise<void>> {
  checkPasskeyName(name)
  const party = { hostname, clock: control.clock }
  const { credential, challenge } = await verifiedCreation(party, { ...answer, origin, key }, operatorId)
  return async (db) => {
    await useChallenge(db, challenge)
    checkRoomForPasskey(await passkeysOf(db, operatorId))
    const createdAt = control.clock.now()
    const passkey = { id: randomId(), operatorId, name, hostname, createdAt, ...credential }
    if (!(await insertPasskey(db, passkey))) throw passkeyRefused('The passkey is known already.')
  }
}

/**
 * Takes what a passkey has signed, and does what it allows for its operator, in one transaction. Wrong ones are not counted:
 * none can be guessed, and so no other person locks its operator out.
 */
export async function operatorOfPasskey<T>(
  control: Control,
  request: OperatorRequest,
  answer: OperatorPasskeyAnswer,
  allowed: (db: ControlDb, operator: Operator) => Promise<T>,
): Promise<T> {
  const { origin, key } = request
  const find = async (credentialId: string) => {
    const passkey = await findPasskey(control.store.control, credentialId)
    return passkey && { ...passkey, ownerId: passkey.operatorId }
  }
  const used = await verifiedUse(partyOf(control, request), { ...answer, origin, key }, find)
  const { passkey, counter, challenge } = used
  return inTransaction(control.store.control, async (db) => {
    const operator = await lockOperator(db, passkey.operatorId)
    if (!operator) throw passkeyRefused('The operator was deleted meanwhile.')
    await useChallenge(db, challenge)
    const at = control.clock.now()
    if (!(await updatePasskeyUse(db, passkey.id, { from: passkey.counter, counter, at })))
      throw passkeyRefused('The passkey was used elsewhere meanwhile.')
    return allowed(db, operator)
  })
}

/** Part of the transaction that takes the answer. */
async function useChallenge(db: ControlDb, { challenge, endsAt }: OpenedChallenge): Promise<void> {
  if (!(await insertNonce(db, `passkey ${challenge}`, endsAt)))
    throw passkeyRefused('The challenge was answered before.')
}
