import {
  type CreationOptions,
  checkChosenPassword,
  checkPasskeyName,
  hashOfToken,
  hashPassword,
  newRecoveryCodes,
  noTotp,
  openTotpSetUp,
  passkeyNotFound,
  setUpEnded,
  stepOfCode,
  type TotpSetUp,
  type TotpState,
  totpSetUp,
  wrongCode,
} from '../../accounts/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { lastSecondFactor, operatorSessionEnded } from './errors.ts'
import type { OperatorRequest } from './operator-request.ts'
import { type Credentials, findOperator, type Operator, updateOperator } from './operators-table.ts'
import { type NewOperatorPasskey, operatorPasskeyCreation, verifiedPasskey } from './passkeys.ts'
import { deletePasskey, type OperatorPasskey, passkeysOf, updatePasskeyName } from './passkeys-table.ts'
import { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes-table.ts'
import { totpOwner } from './second-step.ts'
import { checkOwnOperatorPassword, lockOwnAccount, type OperatorCaller } from './sessions.ts'
import { deleteSessions, updateToken } from './sessions-table.ts'

/** The caller's account, as its own page shows it. */
export interface OwnOperator {
  operator: Operator
  hasPassword: boolean
  /** Undefined if the password has no second step. */
  totp: TotpState | undefined
  passkeys: readonly OperatorPasskey[]
}

export async function readOwnOperator(control: Control, caller: OperatorCaller): Promise<OwnOperator> {
  const db = control.store.control
  const { operatorId: id } = caller
  const operator = await findOperator(db, { id })
  if (!operator) throw operatorSessionEnded()
  const { passwordHash, sealedTotp: _, totpSince: since, ...rest } = operator
  return {
    operator: rest,
    hasPassword: passwordHash !== '',
    totp: since && { since, codesLeft: await countRecoveryCodes(db, id) },
    passkeys: await passkeysOf(db, id),
  }
}

/**
 * Changes the password. The other sessions end, and this one gets the token that is returned. `current` is the password
 * until now; an operator who has none gives none.
 */
export async function changeOperatorPassword(
  control: Control,
  { hostname }: OperatorRequest,
  caller: OperatorCaller,
  { current, password }: { current: string; password: string },
): Promise<{ token: string }> {
  const { operatorId: id, sessionId, username } = caller
  const before = (await findOperator(control.store.control, { id }))?.passwordHash
  if (before !== '') await checkOwnOperatorPassword(control, caller, current)
  await checkChosenPassword({ hostname }, password, [username])
  const passwordHash = await hashPassword(password)
  const token = randomSecret()
  await changeOwn(control, caller, async (db, operator) => {
    if (operator.passwordHash !== before) throw operatorSessionEnded()
    await updateOperator(db, id, { passwordHash })
    await deleteSessions(db, id, sessionId)
    await updateToken(db, sessionId, { tokenHash: hashOfToken(token), now: control.clock.now() })
    return { before: { password: 'old' }, after: { password: 'new' } }
  })
  return { token }
}

/** What a browser needs to make a passkey for the caller. */
export const beginOperatorPasskey = (
  control: Control,
  request: OperatorRequest,
  { operatorId: id, username }: OperatorCaller,
): Promise<CreationOptions> => operatorPasskeyCreation(control, request, { id, username })

export async function addOperatorPasskey(
  control: Control,
  request: OperatorRequest,
  caller: OperatorCaller,
  passkey: NewOperatorPasskey,
): Promise<void> {
  const storePasskey = await verifiedPasskey(control, request, caller.operatorId, passkey)
  await changeOwn(control, caller, async (db) => {
    await storePasskey(db)
    return { after: { passkey: passkey.name } }
  })
}

export async function renameOperatorPasskey(
  control: Control,
  caller: OperatorCaller,
  { id, name }: { id: string; name: string },
): Promise<void> {
  checkPasskeyName(name)
  await changeOwn(control, caller, async (db) => {
    const passkey = await requireOwnPasskey(db, caller, id)
    await updatePasskeyName(db, passkey.id, name)
    return { before: { passkey: passkey.name }, after: { passkey: name } }
  })
}

/** Never the last second factor: a passkey of another hostname is none. */
export async function removeOperatorPasskey(
  control: Control,
  { hostname }: OperatorRequest,
  caller: OperatorCaller,
  id: string,
): Promise<void> {
  await changeOwn(control, caller, async (db, operator) => {
    const passkey = await requireOwnPasskey(db, caller, id)
    const others = (await passkeysOf(db, caller.operatorId)).filter((each) => each.id !== id)
    const hasOther = others.some((each) => each.hostname === hostname)
    if (!hasOther && !isPasswordComplete(operator)) throw lastSecondFactor()
    await deletePasskey(db, passkey.id)
    return { before: { passkey: passkey.name } }
  })
}

async function requireOwnPasskey(
  db: ControlDb,
  caller: OperatorCaller,
  id: string,
): Promise<OperatorPasskey> {
  const passkey = (await passkeysOf(db, caller.operatorId)).find((each) => each.id === id)
  if (!passkey) throw passkeyNotFound(id)
  return passkey
}

/** Whether the password opens the account, with its second step. */
const isPasswordComplete = ({ passwordHash, sealedTotp }: Credentials): boolean =>
  passwordHash !== '' && sealedTotp !== undefined

/** The set-up of a form that was sent, or a new one. */
export const beginOperatorTotp = (
  { clock }: Control,
  { key }: OperatorRequest,
  { operatorId: id }: OperatorCaller,
  sealed?: string,
): TotpSetUp => totpSetUp({ clock, id, key }, sealed)

/** Sets a second step up, in place of the one before, and returns the recovery codes, which are shown once. */
export async function setUpOperatorTotp(
  control: Control,
  { key }: OperatorRequest,
  caller: OperatorCaller,
  { sealed, code }: { sealed: string; code: string },
): Promise<readonly string[]> {
  const { operatorId: id } = caller
  const { clock, keyRing } = control
  const now = clock.now()
  const secret = openTotpSetUp({ clock, id, key }, sealed)
  if (secret === undefined) throw setUpEnded()
  const totpStep = stepOfCode(secret, code, now)
  if (totpStep === undefined) throw wrongCode()
  const { codes, hashes } = newRecoveryCodes()
  await changeOwn(control, caller, async (db, operator) => {
    // Under the control lock: a rotation that ends in the meantime deletes the key that was current before.
    const sealedTotp = keyRing.seal(secret, totpOwner(id))
    await updateOperator(db, id, { sealedTotp, totpStep, totpSince: now.toISOString() })
    await replaceRecoveryCodes(db, id, hashes)
    const totp = operator.sealedTotp === undefined ? null : 'old'
    return { before: { totp }, after: { totp: 'new' } }
  })
  return codes
}

/** Ten new codes in place of the old ones. They are shown once. */
export async function renewOperatorCodes(
  control: Control,
  caller: OperatorCaller,
): Promise<readonly string[]> {
  const { codes, hashes } = newRecoveryCodes()
  await changeOwn(control, caller, async (db, operator) => {
    if (operator.sealedTotp === undefined) throw noTotp()
    await replaceRecoveryCodes(db, caller.operatorId, hashes)
    return { before: { recoveryCodes: 'old' }, after: { recoveryCodes: 'new' } }
  })
  return codes
}

/** Never the last second factor: a passkey of this hostname must be there. */
export async function removeOperatorTotp(
  control: Control,
  { hostname }: OperatorRequest,
  caller: OperatorCaller,
): Promise<void> {
  const { operatorId: id } = caller
  await changeOwn(control, caller, async (db, operator) => {
    if (operator.sealedTotp === undefined) throw noTotp()
    if (!(await passkeysOf(db, id)).some((each) => each.hostname === hostname)) throw lastSecondFactor()
    await updateOperator(db, id, { sealedTotp: null, totpStep: 0, totpSince: null })
    await deleteRecoveryCodes(db, id)
    return { before: { totp: 'old' }, after: { totp: null } }
  })
}

/** One transaction that holds the caller's account from its start, and records what `change` returns. */
const changeOwn = (
  control: Control,
  caller: OperatorCaller,
  change: (db: ControlDb, operator: Operator & Credentials) => Promise<{ before?: object; after?: object }>,
): Promise<void> =>
  control.store.changeControl(async (db) => {
    const changed = await change(db, await lockOwnAccount(control, db, caller))
    const target = caller.operatorId
    await recordControlChange(control, db, { verb: 'operator.updated', target, ...changed })
  })
