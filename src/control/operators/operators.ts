import { hashOfToken, newTotpSecret, usernameFault } from '../../accounts/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { faultsIf } from '../../lib/faults.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import {
  cannotDeleteSelf,
  invalidOperator,
  lastOperator,
  operatorNameTaken,
  operatorNotFound,
} from './errors.ts'
import { replaceInvite } from './invites-table.ts'
import {
  allOperators,
  clearCredentials,
  deleteOperatorRow,
  findOperator,
  hasOperators,
  insertOperator,
  type ListedOperator,
  type Operator,
  type OperatorName,
  type OperatorRole,
  updateOperator,
} from './operators-table.ts'
import { deletePasskeys } from './passkeys-table.ts'
import { deleteRecoveryCodes } from './recovery-codes-table.ts'
import { totpOwner } from './second-step.ts'
import { deleteSessions } from './sessions-table.ts'

/** An operator with the link that sets up its account. */
export interface InvitedOperator {
  operator: Operator
  /** Of the link; only its hash is stored. */
  token: string
  expiresAt: Date
}

interface NewOperator {
  username: string
  role: OperatorRole
}

export async function createOperator(control: Control, input: NewOperator): Promise<InvitedOperator> {
  const faults = faultsIf('username', usernameFault(input.username))
  if (faults.length > 0) throw invalidOperator(faults)
  return control.store.changeControl((db) => addOperator(control, db, input))
}

/** The operator of an installation that has none yet; undefined if there is one. */
export const createFirstOperator = (
  control: Control,
  username: string,
): Promise<InvitedOperator | undefined> =>
  control.store.changeControl(async (db) =>
    (await hasOperators(db)) ? undefined : addOperator(control, db, { username, role: 'operator' }),
  )

async function addOperator(
  control: Control,
  db: ControlDb,
  { username, role }: NewOperator,
): Promise<InvitedOperator> {
  const operator = { id: randomId(), username, role, createdAt: control.clock.now(), lastLoginAt: undefined }
  if (!(await insertOperator(db, operator))) throw operatorNameTaken(username)
  const after = { username, role }
  await recordControlChange(control, db, { verb: 'operator.created', target: operator.id, after })
  return { operator, ...(await invite(control, db, operator.id)) }
}

/** Takes everything away that the operator logs in with, its sessions and earlier links, and makes a new link. */
export async function resetOperator(control: Control, by: OperatorName): Promise<InvitedOperator> {
  return control.store.changeControl(async (db) => {
    const operator = await requireOperator(db, by)
    await clearCredentials(db, operator.id)
    await deleteRecoveryCodes(db, operator.id)
    await deletePasskeys(db, operator.id)
    await deleteSessions(db, operator.id)
    const before = { username: operator.username }
    await recordControlChange(control, db, { verb: 'operator.reset', target: operator.id, before })
    return { operator, ...(await invite(control, db, operator.id)) }
  })
}

const inviteMs = 24 * 3_600_000

/** In the transaction of the change. */
async function invite({ clock, keyRing }: Control, db: ControlDb, operatorId: string) {
  const token = randomSecret()
  const createdAt = clock.now()
  const expiresAt = new Date(createdAt.getTime() + inviteMs)
  const sealedTotp = keyRing.seal(newTotpSecret(), totpOwner(operatorId))
  await replaceInvite(db, { tokenHash: hashOfToken(token), operatorId, sealedTotp, createdAt, expiresAt })
  return { token, expiresAt }
}

/** Counts with the operator's next request. */
export async function setOperatorRole(
  control: Control,
  by: OperatorName,
  role: OperatorRole,
): Promise<Operator> {
  return control.store.changeControl(async (db) => {
    const operator = await requireOperator(db, by)
    if (role !== 'operator') await checkNotLast(db, operator)
    await updateOperator(db, operator.id, { role })
    await recordControlChange(control, db, {
      verb: 'operator.updated',
      target: operator.id,
      before: { role: operator.role },
      after: { role },
    })
    return { ...operator, role }
  })
}

/**
 * Returns the deleted operator. No operator deletes itself, and from the console nobody deletes the last one. The tool may: its
 * user can create another, and with `operator:reset` take over any.
 */
export async function deleteOperator(control: Control, by: OperatorName): Promise<Operator> {
  return control.store.changeControl(async (db) => {
    const operator = await requireOperator(db, by)
    const { id, username, role } = operator
    const { author } = control
    if (author.kind === 'operator' && author.id === id) throw cannotDeleteSelf()
    if (author.kind !== 'tool') await checkNotLast(db, operator)
    await deleteOperatorRow(db, id)
    const before = { username, role }
    await recordControlChange(control, db, { verb: 'operator.deleted', target: id, before })
    return operator
  })
}

/** Whether an account exists with which somebody could log in to the console, now or with its link. */
export const hasOperator = (control: Control): Promise<boolean> => hasOperators(control.store.control)

/** By user name. */
export const listOperators = (control: Control): Promise<ListedOperator[]> =>
  allOperators(control.store.control)

async function requireOperator(db: ControlDb, by: OperatorName) {
  const operator = await findOperator(db, by)
  if (!operator) throw operatorNotFound('id' in by ? by.id : by.username)
  return operator
}

/**
 * Another one must be able to log in and to change something: an account that is not set up yet may never be. Part of a change
 * under the control lock, so that of two last operators one stays.
 */
async function checkNotLast(db: ControlDb, { id, username, role }: Operator): Promise<void> {
  if (role !== 'operator') return
  const others = (await allOperators(db)).filter((each) => each.id !== id)
  if (!others.some((each) => each.role === 'operator' && each.isSetUp)) throw lastOperator(username)
}
