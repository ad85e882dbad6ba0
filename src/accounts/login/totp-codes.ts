import { hash, randomBytes, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Clock, isRecent, latestTime } from '../../lib/clock.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'

/** As every authenticator program knows it (RFC 6238): SHA-1, six digits, 30 seconds. */
const usual = { algorithm: 'SHA1', digits: 6, period: 30 } as const

const secretBytes = 20

/** In Base32, as it is typed where no camera is at hand. */
export const newTotpSecret = (): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32

/** The address that the QR code shows. */
export const totpAddress = (secret: string, of: { site: string; username: string }): string =>
  new TOTP({ ...usual, issuer: of.site, label: of.username, secret }).toString()

/** The time step that the code belongs to: this one, the one before, or the next. Undefined if the code is wrong. */
export function stepOfCode(secret: string, text: string, now: Date): number | undefined {
  const code = text.replaceAll(/\s/g, '')
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const timestamp = now.getTime()
  const delta = new TOTP({ ...usual, secret }).validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : stepAt(now) + delta
}

const stepAt = (at: Date): number => Math.floor(at.getTime() / (usual.period * 1_000))

const setUpMs = 3_600_000

/** A secret that counts for nothing until a code confirms it. `sealed` travels with the form, so that no row is kept. */
export interface TotpSetUp {
  secret: string
  sealed: string
}

interface TotpOwner {
  clock: Clock
  /** The id of the account. */
  id: string
  /** Seals the set-up for its account. */
  key: Uint8Array
}

/** The set-up of a form that was sent, or a new one. */
export function totpSetUp(owner: TotpOwner, sealed?: string): TotpSetUp {
  const known = sealed === undefined ? undefined : openTotpSetUp(owner, sealed)
  if (sealed !== undefined && known !== undefined) return { secret: known, sealed }
  const secret = newTotpSecret()
  const content = JSON.stringify({ secret, at: owner.clock.now().getTime() })
  return { secret, sealed: sealText(owner.key, content, setUpOwner(owner.id)) }
}

/** The secret of a set-up; undefined if it has ended. */
export function openTotpSetUp({ clock, id, key }: TotpOwner, sealed: string): string | undefined {
  const text = openSealedText(key, sealed, setUpOwner(id))
  if (text === undefined) return undefined
  const { secret, at } = JSON.parse(text) as { secret: string; at: number }
  return isRecent(at, setUpMs, clock.now()) ? secret : undefined
}

const setUpOwner = (id: string) => `second step being set up by ${id}`

/** The rows of one account's second step. */
interface SecondStepRows {
  /** False if the account has no such code. */
  deleteRecoveryCode(codeHash: string): Promise<boolean>
  /** Undefined if there is none, or it cannot be decrypted any more: recovery codes still work. */
  findSecret(): Promise<string | undefined>
  /** False if a code of this step, or of a later one up to `latest`, was taken already. */
  updateLastStep(step: number, latest: number): Promise<boolean>
}

/** Whether a code of the second step is right. Each is taken once. */
export async function isCodeTaken(rows: SecondStepRows, code: string, now: Date): Promise<boolean> {
  const codeHash = hashOfTypedCode(code)
  if (codeHash !== undefined) return rows.deleteRecoveryCode(codeHash)
  const secret = await rows.findSecret()
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now)
  return step !== undefined && rows.updateLastStep(step, stepAt(latestTime(now)))
}

export type CodeKind = 'totp' | 'recovery-code'

export const kindOfCode = (code: string): CodeKind =>
  hashOfTypedCode(code) === undefined ? 'totp' : 'recovery-code'

const codeCount = 10

// Without letters and digits that look alike.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codeLength = 16

/** 16 of 31 characters are 79 bits, so that a plain hash is enough. */
const randomCode = () => Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(31))).join('')

/** Ten recovery codes: as they are shown once, and as they are stored. */
export function newRecoveryCodes(): { codes: readonly string[]; hashes: readonly string[] } {
  const codes = Array.from({ length: codeCount }, randomCode)
  return { codes: codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code), hashes: codes.map(hashOfCode) }
}

/** The hash of a code as a person types it; undefined if the text cannot be one. */
function hashOfTypedCode(text: string): string | undefined {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return code.length === codeLength && /^[a-z0-9]+$/.test(code) ? hashOfCode(code) : undefined
}

const hashOfCode = (code: string) => hash('sha256', code, 'hex')
