import { createHmac, timingSafeEqual } from 'node:crypto'
import { isPassword } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import type { Site } from '../../site/index.ts'
import { tooManyPasswords, tooManyPasswordsFor, wrongPassword } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import { countTries, deleteTriesOutside, deleteTry, insertTry } from './password-tries-table.ts'

/** An album that is protected by a password. */
export interface PasswordAlbum {
  albumId: string
  passwordHash: string
}

export const unlockSeconds = 7 * 24 * 60 * 60

/** Proves that its holder has entered the album's password. Valid for this album and this site's key, until it expires or the password changes. */
export function writeUnlockToken(key: Buffer, album: PasswordAlbum, now: Date): string {
  const expiresAt = Math.floor(now.getTime() / 1_000) + unlockSeconds
  return `${expiresAt}.${signatureOf(key, album, expiresAt)}`
}

export function isUnlockTokenOf(
  key: Buffer,
  album: PasswordAlbum,
  { token, now }: { token: string; now: Date },
): boolean {
  const [, expiresAt, signature] = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
  if (expiresAt === undefined || signature === undefined || Number(expiresAt) * 1_000 <= now.getTime())
    return false
  // As text: the last character holds bits that a decoder drops, so that a changed one would be accepted.
  return timingSafeEqual(Buffer.from(signatureOf(key, album, Number(expiresAt))), Buffer.from(signature))
}

const signatureOf = (key: Buffer, { albumId, passwordHash }: PasswordAlbum, expiresAt: number) =>
  createHmac('sha256', key).update(`${albumId} ${expiresAt} ${passwordHash}`).digest('base64url')

const maxTries = 10
const tryWindowSeconds = 600
/** From all networks together: a guesser may have many. */
const maxTriesOfTarget = 30
const targetWindowSeconds = 3_600
/** Servers' clocks differ a little. */
const clockSkewSeconds = 60

/** Refuses a wrong password of an album. */
export const checkAlbumPassword = (
  site: Site,
  { albumId, passwordHash }: PasswordAlbum,
  given: { password: string; address: string },
): Promise<void> =>
  checkCountedPassword(site, passwordHash, { ...given, target: `album ${albumId}`, wrong: wrongPassword })

interface GivenPassword {
  password: string
  address: string
  /** What the password opens. */
  target: string
  wrong: () => Error
}

/**
 * Refuses a wrong password, and any password after too many wrong ones from its network, or for its target. The try is recorded
 * before the password is verified, so concurrent tries are counted; as a row it counts on all servers.
 */
export async function checkCountedPassword(
  site: Site,
  passwordHash: string,
  { password, wrong, target, ...given }: GivenPassword,
): Promise<void> {
  const at = site.clock.now()
  const shifted = (seconds: number) => new Date(at.getTime() + seconds * 1_000)
  const attempt = { id: randomId(), address: addressKey(given.address), target, at }
  await inTransaction(site.db, async (db) => {
    await lockSite(db)
    const hour = { after: shifted(-targetWindowSeconds), until: shifted(clockSkewSeconds) }
    await deleteTriesOutside(db, hour)
    if ((await countTries(db, attempt, shifted(-tryWindowSeconds))) >= maxTries)
      throw tooManyPasswords(tryWindowSeconds / 60)
    if ((await countTries(db, { target }, hour.after)) >= maxTriesOfTarget)
      throw tooManyPasswordsFor(targetWindowSeconds)
    await insertTry(db, attempt)
  })
  if (!(await isPassword(password, passwordHash))) throw wrong()
  await deleteTry(site.db, attempt.id)
}
