import { hash, randomBytes, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { isRecent, latestTime } from '../../lib/clock.ts'
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

const setUpMs = 3_600_000

/** A secret that counts for nothing until a code confirms it. `sealed` travels with the form, so that no row is kept. */
export interface TotpSetUp {
  secret: string
  sealed: string
}

/** The set-up of a form that was sent, or a new one. `key` seals it for its user. */
export function totpSetUp(site: Site, { userId }: UserCaller, key: Uint8Array, sealed?: string): TotpSetUp {
  const known = sealed === undefined ? undefined : openSetUp(site, userId, key, sealed)
  if (sealed !== undefined && known !== undefined) return { secret: known, sealed }
  const secret = newTotpSecret()
  const content = JSON.stringify({ secret, at: site.clock.now().getTime() })
  return { secret, sealed: sealText(key, content, setUpOwner(userId)) }
}

function openSetUp(site: Site, userId: string, key: Uint8Array, sealed: string): string | undefined {
  const text = openSealedText(key, sealed, setUpOwner(userId))
  if (text === undefined) return undefined
  const { secret, at } = JSON.parse(text) as { secret: string; at: number }
  return isRecent(at, setUpMs, site.clock.now()) ? secret : undefined
}

const setUpOwner = (userId: string) => `second step being set up by ${userId}`

export const totpOwner = (userId: string): string => `second step of ${userId}`

/** Switches the second step on, and returns the recovery codes, which are shown once. */
export function enableTotp(
  site: ChangingSite,
  caller: UserCaller,
  { sealed, code, key }: { sealed: string; code: string; key: Uint8Array },
): Promise<readonly string[]> {
  const { userId } = caller
  const now = site.clock.now()
  const secret = openSetUp(site, userId, key, sealed)
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

export type CodeKind = 'totp' | 'recovery-code'

/** Takes a code of the second step, each once. Wrong ones are counted for the account, whatever the network. */
export async function takeCode(site: ChangingSite, given: GivenCode): Promise<CodeKind> {
  const { userId } = given
  const isRight = await countTry(site, userId, triesOfCodes(userId), () => isCodeTaken(site, given))
  if (!isRight) throw wrongCode()
  return hashOfTypedCode(given.code) === undefined ? 'totp' : 'recovery-code'
}

async function isCodeTaken(site: ChangingSite, { userId, code, key }: GivenCode): Promise<boolean> {
  const codeHash = hashOfTypedCode(code)
  if (codeHash !== undefined) return deleteRecoveryCode(site.db, userId, codeHash)
  const totp = await findTotp(site.db, userId)
  // Undefined if the secret of the installation was changed since: recovery codes still work.
  const secret = totp && openSealedText(key, totp.sealedSecret, totpOwner(userId))
  const now = site.clock.now()
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now)
  return step !== undefined && updateLastStep(site.db, userId, { step, latest: stepAt(latestTime(now)) })
}

/** As every authenticator program knows it (RFC 6238): SHA-1, six digits, 30 seconds. */
const usual = { algorithm: 'SHA1', digits: 6, period: 30 } as const

const secretBytes = 20

/** In Base32, as it is typed where no camera is at hand. */
const newTotpSecret = (): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32

/** The address that the QR code shows. */
export const totpAddress = (secret: string, of: { site: string; username: string }): string =>
  new TOTP({ ...usual, issuer: of.site, label: of.username, secret }).toString()

/** The time step that the code belongs to: this one, the one before, or the next. Undefined if the code is wrong. */
function stepOfCode(secret: string, text: string, now: Date): number | undefined {
  const code = text.replaceAll(/\s/g, '')
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const timestamp = now.getTime()
  const delta = new TOTP({ ...usual, secret }).validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : stepAt(now) + delta
}

const stepAt = (at: Date): number => Math.floor(at.getTime() / (usual.period * 1_000))

const codeCount = 10

// Without letters and digits that look alike.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codeLength = 16

/** 16 of 31 characters are 79 bits, so that a plain hash is enough. */
const randomCode = () => Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(31))).join('')

/** Gives the user ten new codes in place of the old ones. They are returned once, and stored as hashes. */
async function replaceRecoveryCodes(db: SiteDb, userId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: codeCount }, randomCode)
  await deleteRecoveryCodes(db, userId)
  await insertRecoveryCodes(db, userId, codes.map(hashOfCode))
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code)
}

/** The hash of a code as a person types it; undefined if the text cannot be one. */
function hashOfTypedCode(text: string): string | undefined {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return code.length === codeLength && /^[a-z0-9]+$/.test(code) ? hashOfCode(code) : undefined
}

const hashOfCode = (code: string) => hash('sha256', code, 'hex')
