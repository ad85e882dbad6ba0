import {
  type CreationOptions,
  chosenPasswordFault,
  hashOfToken,
  hashPassword,
  type LogInSteps,
  newRecoveryCodes,
  stepOfCode,
} from '../../accounts/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { faultOf, faultsIf } from '../../lib/faults.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { invalidOperator, inviteEnded } from './errors.ts'
import { deleteInvites, findInvite } from './invites-table.ts'
import { passkeySteps } from './log-in.ts'
import type { OperatorRequest } from './operator-request.ts'
import { findOperator, type Operator, updateOperator } from './operators-table.ts'
import { type NewOperatorPasskey, operatorPasskeyCreation, verifiedPasskey } from './passkeys.ts'
import { replaceRecoveryCodes } from './recovery-codes-table.ts'
import { totpOwner } from './second-step.ts'
import { actingAsOperator, type OpenedOperatorSession, openSession } from './sessions.ts'

/** What the page of a link shows. */
export interface OpenedInvite {
  operator: Operator
  /** The second step that it offers, the same at each visit. */
  totpSecret: string
}

/** Refuses a link that is unknown, was used, or has ended. To look at it does not use it up. */
export async function openInvite(control: Control, token: string): Promise<OpenedInvite> {
  const { operator, totpSecret } = await findOpenInvite(control, control.store.control, token)
  return { operator, totpSecret }
}

async function findOpenInvite({ keyRing, clock }: Control, db: ControlDb, token: string) {
  const invite = await findInvite(db, hashOfToken(token), clock.now())
  const operator = invite && (await findOperator(db, { id: invite.operatorId }))
  if (!operator) throw inviteEnded()
  const { sealedTotp } = invite
  return { operator, sealedTotp, totpSecret: keyRing.unseal(sealedTotp, totpOwner(operator.id)) }
}

/** Sets the account up with a password and the second step of its link, and logs in. The recovery codes are shown once. */
export async function setUpWithTotp(
  control: Control,
  request: OperatorRequest,
  { token, password, code }: { token: string; password: string; code: string },
): Promise<OpenedOperatorSession & { recoveryCodes: readonly string[] }> {
  const { operator, totpSecret } = await openInvite(control, token)
  const now = control.clock.now()
  const step = stepOfCode(totpSecret, code, now)
  const broken = await chosenPasswordFault(request, password, [operator.username])
  const faults = [...faultsIf('password', broken), ...(step === undefined ? [faultOf('code', 'code')] : [])]
  if (faults.length > 0 || step === undefined) throw invalidOperator(faults)
  const passwordHash = await hashPassword(password)
  const { codes, hashes } = newRecoveryCodes()
  const setUp = async (db: ControlDb, { id, sealedTotp }: { id: string; sealedTotp: string }) => {
    const totp = { sealedTotp, totpStep: step, totpSince: now.toISOString() }
    await updateOperator(db, id, { passwordHash, ...totp })
    await replaceRecoveryCodes(db, id, hashes)
  }
  const steps = { method: 'password', factor: 'totp' } as const
  const opened = await useInvite(control, request, { token, steps, setUp })
  return { ...opened, recoveryCodes: codes }
}

/** What a browser needs to make the first passkey of the account. */
export async function beginPasskeySetUp(
  control: Control,
  request: OperatorRequest,
  token: string,
): Promise<CreationOptions> {
  const { operator } = await openInvite(control, token)
  return operatorPasskeyCreation(control, request, operator)
}

/** Sets the account up with a passkey, and logs in. */
export async function setUpWithPasskey(
  control: Control,
  request: OperatorRequest,
  { token, ...passkey }: NewOperatorPasskey & { token: string },
): Promise<OpenedOperatorSession> {
  const { operator } = await openInvite(control, token)
  const setUp = await verifiedPasskey(control, request, operator.id, passkey)
  return useInvite(control, request, { token, steps: passkeySteps, setUp })
}

/** Only a successful set-up uses the link up, and of two at once only one is successful. */
function useInvite(
  control: Control,
  request: OperatorRequest,
  { token, steps, setUp }: SetUp,
): Promise<OpenedOperatorSession> {
  return control.store.changeControl(async (db) => {
    const { operator, sealedTotp } = await findOpenInvite(control, db, token)
    await deleteInvites(db, operator.id)
    await setUp(db, { id: operator.id, sealedTotp })
    const acting = actingAsOperator(control, request, operator)
    const after = { method: steps.method }
    await recordControlChange(acting, db, { verb: 'operator.set_up', target: operator.id, after })
    return openSession(control, db, request, { operator, steps })
  })
}

interface SetUp {
  token: string
  steps: LogInSteps
  setUp: (db: ControlDb, account: { id: string; sealedTotp: string }) => Promise<void>
}
