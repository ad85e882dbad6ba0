import { hash, timingSafeEqual } from 'node:crypto'
import type { SiteDb } from '../db/index.ts'
import { isSwitchedOn, readSettings, type Site } from '../site/index.ts'
import { apiSwitchedOff, noKey, wrongKey } from './errors.ts'
import { findUserOfKey } from './user-keys-table.ts'
import { findUser, type Role } from './users-table.ts'

/** Who asks. */
export type Actor =
  | { kind: 'guest' }
  /** With the key that told, where it was one. */
  | { kind: 'user'; userId: string; role: Role; keyId?: string }

const userKeyForm = /^trc_([A-Za-z0-9]{1,32})_[A-Za-z0-9]{20,100}$/
const nobodysHash = hash('sha256', 'nobody', 'buffer')

/** Whose key it is: a user's own, or the site's public one. Unknown, wrong and expired keys are refused alike. */
export async function actorOfKey(site: Site, key: string | undefined): Promise<Actor> {
  if (!key) throw noKey()
  const [, id] = userKeyForm.exec(key) ?? []
  const owner = id === undefined ? undefined : await findUserOfKey(site.db, id, site.clock.now())
  if (isHashOf(key, owner ? Buffer.from(owner.secretHash, 'hex') : nobodysHash) && owner && !owner.isBanned) {
    if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_API_USER')) throw apiSwitchedOff()
    return { kind: 'user', userId: owner.userId, role: owner.role, keyId: owner.keyId }
  }
  const { public_key: publicKey } = await readSettings(site)
  if (publicKey === '' || !isHashOf(key, hash('sha256', publicKey, 'buffer'))) throw wrongKey()
  if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_API_GUEST')) throw apiSwitchedOff()
  return { kind: 'guest' }
}

/**
 * Refuses a caller who was known when asking began and is no more: the user is gone or banned, the key taken back.
 * Part of the caller's transaction.
 */
export async function checkStillKnown(db: SiteDb, actor: Actor, now: Date): Promise<void> {
  if (actor.kind === 'guest') return
  const user = await (actor.keyId === undefined
    ? findUser(db, actor.userId)
    : findUserOfKey(db, actor.keyId, now))
  if (!user || user.isBanned) throw wrongKey()
}

const isHashOf = (key: string, expected: Buffer) => timingSafeEqual(hash('sha256', key, 'buffer'), expected)
