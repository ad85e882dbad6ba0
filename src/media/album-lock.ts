import { createHmac, timingSafeEqual } from 'node:crypto'
import { isPassword } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import { networkOf } from '../lib/addresses.ts'
import { randomId } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import { tooManyPasswords, wrongPassword } from './errors.ts'
import { waitInLine } from './line.ts'
import { countTries, deleteTriesBefore, deleteTry, insertTry } from './password-tries-table.ts'

/** An album that asks for a password. */
export interface AlbumLock {
  albumId: string
  passwordHash: string
}

export const passSeconds = 7 * 24 * 60 * 60

/** Shows that its holder knew the password: of this album, on the site of the key, until its time or the password ends. */
export function writePass(key: Buffer, lock: AlbumLock, now: Date): string {
  const endsAt = Math.floor(now.getTime() / 1_000) + passSeconds
  return `${endsAt}.${sealOf(key, lock, endsAt).toString('base64url')}`
}

export function isPassOf(key: Buffer, lock: AlbumLock, { pass, now }: { pass: string; now: Date }): boolean {
  const [, endsAt, seal] = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(pass) ?? []
  if (endsAt === undefined || seal === undefined || Number(endsAt) * 1_000 <= now.getTime()) return false
  return timingSafeEqual(sealOf(key, lock, Number(endsAt)), Buffer.from(seal, 'base64url'))
}

const sealOf = (key: Buffer, { albumId, passwordHash }: AlbumLock, endsAt: number) =>
  createHmac('sha256', key).update(`${albumId} ${endsAt} ${passwordHash}`).digest()

const mostTries = 10
const tryWindowSeconds = 600

/**
 * Refuses a wrong password, and every one from a network that gave too many. A place is taken before the password
 * is looked at, so that many at once are no way round, and on all servers since it is a row.
 */
export async function checkAlbumPassword(
  site: Site,
  lock: AlbumLock,
  given: { password: string; address: string },
): Promise<void> {
  const at = site.clock.now()
  const taken = { id: randomId(), address: networkOf(given.address), at }
  await inTransaction(site.db, async (db) => {
    await waitInLine(db)
    await deleteTriesBefore(db, new Date(at.getTime() - tryWindowSeconds * 1_000))
    if ((await countTries(db, taken.address)) >= mostTries) throw tooManyPasswords(tryWindowSeconds / 60)
    await insertTry(db, taken)
  })
  if (!(await isPassword(given.password, lock.passwordHash))) throw wrongPassword()
  await deleteTry(site.db, taken.id)
}
