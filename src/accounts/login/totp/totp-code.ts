import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

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

export const stepAt = (at: Date): number => Math.floor(at.getTime() / (usual.period * 1_000))
