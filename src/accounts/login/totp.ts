import { inTransaction, type SiteDb } from '../../db/index.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import { type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { noSuchUser } from '../errors.ts'
import { countTry, triesOfCodes } from '../sessions/check-password.ts'
import { checkStillAdministrator } from '../users/manage-users.ts'
import { lockUsers } from '../users/users.ts'
import { findUser, type ListedUser } from '../users/users-table.ts'
import { alreadyOn, noTotp, secondStepRequired, setUpEnded, wrongCode } from './errors.ts'
import { isSecondStepRequired } from './required-second-step.ts'
import {
  type CodeKind,
  isCodeTaken,
  kindOfCode,
  newRecoveryCodes,
  openTotpSetUp,
  stepOfCode,
} from './totp-codes.ts'
import {
  countRecoveryCodes,
  deleteRecoveryCode,
  deleteRecoveryCodes,
  deleteTotp,
  findTotp,
  insertRecoveryCodes,
  insertTotp,
  updateLastStep,
} from './totp-table.ts'

export interface TotpState {
  /** When it was switched on. */
  since: Date
  codesLeft: number
}

/** Undefined if the user has no second step. */
export async function readTotp(site: Site, userId: string): Promise<TotpState | undefined> {
  const totp = await findTotp(site.db, userId)
  return totp && { since: totp.createdAt, codesLeft: await countRecoveryCodes(site.db, userId) }
}

export const totpOwner = (userId: string): string => `second step of ${userId}`

/** Switches the second step on, and returns the recovery codes, which are shown once. */
export function enableTotp(
  site: ChangingSite,
  caller: UserCaller,
  { sealed, code, key }: { sealed: string; code: string; key: Uint8Array },
): Promise<readonly string[]> {
  const { userId } = caller
  const now = site.clock.now()
  const secret = openTotpSetUp({ clock: site.clock, id: userId, key }, sealed)
  if (secret === undefined) throw setUpEnded()
  const step = stepOfCode(secret, code, now)
  if (step === undefined) throw wrongCode()
  return inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, now)
    const row = { sealedSecret: sealText(key, secret, totpOwner(userId)), lastStep: step, createdAt: now }
    if (!(await insertTotp(db, { userId, ...row }))) throw alreadyOn()
    await recordTotp({ ...site, db }, userId, true)
    return replaceRecoveryCodes(db, userId)
  })
}

export function renewRecoveryCodes(site: ChangingSite, caller: UserCaller): Promise<readonly string[]> {
  return inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    if (!(await findTotp(db, caller.userId))) throw noTotp()
    const codes = { before: { recoveryCodes: 'old' }, after: { recoveryCodes: 'new' } }
    await recordChange({ ...site, db }, { verb: 'user.updated', target: caller.userId, ...codes })
    return replaceRecoveryCodes(db, caller.userId)
  })
}

export async function disableTotp(site: ChangingSite, caller: UserCaller): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    await checkMayDrop({ ...site, db }, caller)
    await removeTotp({ ...site, db }, caller.userId)
  })
}

/** For a user who has lost the device and the recovery codes: an administrator takes the second step off. */
export function removeTotpAs(site: ChangingSite, caller: UserCaller, id: string): Promise<ListedUser> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillAdministrator(db, caller, site.clock.now())
    const user = await findUser(db, id)
    if (!user) throw noSuchUser(id)
    if (id === caller.userId) await checkMayDrop({ ...site, db }, caller)
    await removeTotp({ ...site, db }, id)
    return user
  })
}

/** Refuses staff to be without a second step where the site demands one. Under the lock of the settings' changes. */
async function checkMayDrop(site: Site, { role }: UserCaller): Promise<void> {
  if (await isSecondStepRequired(site, role)) throw secondStepRequired()
}

/** For an operator. */
export async function removeTotpOf(site: ChangingSite, userId: string): Promise<void> {
  await inTransaction(site.db, (db) => removeTotp({ ...site, db }, userId))
}

async function removeTotp(site: ChangingSite, userId: string): Promise<void> {
  if (!(await deleteTotp(site.db, userId))) throw noTotp()
  await deleteRecoveryCodes(site.db, userId)
  await recordTotp(site, userId, false)
}

const recordTotp = (site: ChangingSite, userId: string, isOn: boolean) =>
  recordChange(site, {
    verb: 'user.updated',
    target: userId,
    before: { hasTotp: !isOn },
    after: { hasTotp: isOn },
  })

export const hasTotp = async (site: Site, userId: string): Promise<boolean> =>
  (await findTotp(site.db, userId)) !== undefined

interface GivenCode {
  userId: string
  /** Six digits of the authenticator, or a recovery code. */
  code: string
  /** Opens the sealed secret. */
  key: Uint8Array
}

/** Takes a code of the second step, each once. Wrong ones are counted for the account, whatever the network. */
export async function takeCode(site: ChangingSite, given: GivenCode): Promise<CodeKind> {
  const { userId, code, key } = given
  const rows = {
    deleteRecoveryCode: (codeHash: string) => deleteRecoveryCode(site.db, userId, codeHash),
    async findSecret() {
      const totp = await findTotp(site.db, userId)
      // Undefined if the secret of the installation was changed since.
      return totp && openSealedText(key, totp.sealedSecret, totpOwner(userId))
    },
    updateLastStep: (step: number, latest: number) => updateLastStep(site.db, userId, { step, latest }),
  }
  const isRight = await countTry(site, userId, triesOfCodes(userId), () =>
    isCodeTaken(rows, code, site.clock.now()),
  )
  if (!isRight) throw wrongCode()
  return kindOfCode(code)
}

/** Gives the user ten new codes in place of the old ones. They are returned once, and stored as hashes. */
async function replaceRecoveryCodes(db: SiteDb, userId: string): Promise<readonly string[]> {
  const { codes, hashes } = newRecoveryCodes()
  await deleteRecoveryCodes(db, userId)
  await insertRecoveryCodes(db, userId, hashes)
  return codes
}
