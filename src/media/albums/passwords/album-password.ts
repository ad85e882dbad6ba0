import { createHmac, timingSafeEqual } from 'node:crypto'
import { isPassword } from '../../../accounts/index.ts'
import { inTransaction } from '../../../db/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { addressKey } from '../../../lib/net/addresses.ts'
import type { Site } from '../../../site/index.ts'
import { tooManyPasswords, wrongPassword } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { countTries, deleteTriesBefore, deleteTry, insertTry } from './password-tries-table.ts'

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

/** Refuses a wrong password of an album. */
export const checkAlbumPassword = (
  site: Site,
  album: PasswordAlbum,
  given: { password: string; address: string },
): Promise<void> => checkCountedPassword(site, album.passwordHash, { ...given, wrong: wrongPassword })

/**
 * Refuses a wrong password, and any password from a network with too many wrong ones. The try is recorded before the
 * password is verified, so concurrent tries are counted; as a row it counts on all servers.
 */
export async function checkCountedPassword(
  site: Site,
  passwordHash: string,
  { wrong, ...given }: { password: string; address: string; wrong: () => Error },
): Promise<void> {
  const at = site.clock.now()
  const attempt = { id: randomId(), address: addressKey(given.address), at }
  await inTransaction(site.db, async (db) => {
    await lockSite(db)
    await deleteTriesBefore(db, new Date(at.getTime() - tryWindowSeconds * 1_000))
    if ((await countTries(db, attempt.address)) >= maxTries) throw tooManyPasswords(tryWindowSeconds / 60)
    await insertTry(db, attempt)
  })
  if (!(await isPassword(given.password, passwordHash))) throw wrong()
  await deleteTry(site.db, attempt.id)
}
