import { hash, timingSafeEqual } from 'node:crypto'
import { markChecked, type SiteDb } from '../db/index.ts'
import { parseAddressList } from '../lib/net/addresses.ts'
import { isSwitchedOn, readSettings, type Site } from '../site/index.ts'
import {
  addressNotAllowed,
  apiSwitchedOff,
  noKey,
  originNotAllowed,
  rightsEnded,
  roleLost,
  scopeMissing,
  wrongKey,
} from './errors.ts'
import type { KeyLimits } from './keys/key-rules.ts'
import { effectiveScope, hasAbility, type Scope } from './keys/scopes.ts'
import { findUserOfKey, type KeyOwner } from './keys/user-keys-table.ts'
import { secondStepNeeded } from './login/errors.ts'
import { lacksSecondStep } from './login/required-second-step.ts'
import { findSessionById } from './sessions/sessions-table.ts'
import { findUser, type Role } from './users/users-table.ts'

/** The caller of a request. */
export type Actor =
  | { kind: 'guest' }
  /**
   * `keyId` or `sessionId` has identified the user, and `lastUsedAt` is when its use was last recorded; `albumId` is the only
   * album that the key reaches.
   */
  | {
      kind: 'user'
      userId: string
      role: Role
      keyId?: string
      sessionId?: string
      lastUsedAt?: Date | undefined
      albumId?: string | undefined
    }

/** A user with what the key or session allows. */
export type UserCaller = Extract<Actor, { kind: 'user' }> & {
  scope: Scope
  /** Of the key; a session has none. */
  limits: KeyLimits
  /** Of a session: whether its user has given the password within the last ten minutes. */
  isProven?: boolean
}

/** The caller of a key: a user's key that may upload, or the site's public key. Unknown, wrong and expired keys get the same refusal. */
export async function actorOfKey(site: Site, key: string | undefined, sender: KeySender): Promise<Actor> {
  if (!key) throw noKey()
  const owner = await verifyUserKey(site, key)
  if (owner) {
    const { userId, role, keyId, lastUsedAt, albumId } = owner
    const actor: Actor = { kind: 'user', userId, role, keyId, lastUsedAt, albumId }
    checkUploadsOn(site, actor)
    checkSender(owner, sender)
    const scope = effectiveScope(owner.scope, role)
    if (!hasAbility(scope, 'upload')) throw scopeMissing('upload')
    if (await lacksSecondStep(site, { userId, role, scope })) throw secondStepNeeded()
    return actor
  }
  if (!(await isPublicKey(site, key))) throw wrongKey()
  checkUploadsOn(site, { kind: 'guest' })
  return { kind: 'guest' }
}

/** Refuses uploads by key where the operator has switched them off. Pages of the site upload by session. */
export function checkUploadsOn(site: Site, actor: Actor): void {
  if (actor.kind === 'user' && actor.keyId === undefined) return
  const name = actor.kind === 'user' ? 'SERVICE_ENABLE_API_USER' : 'SERVICE_ENABLE_API_GUEST'
  if (!isSwitchedOn(site.values, name)) throw apiSwitchedOff()
}

export async function isPublicKey(site: Site, key: string): Promise<boolean> {
  const { public_key: publicKey } = await readSettings(site)
  return publicKey !== '' && isSecret(key, publicKey)
}

/**
 * Refuses a caller whose user was deleted, banned or demoted, or whose key or session has ended, since the request began.
 * Part of the caller's transaction: every one that changes something for a caller is checked by it (`checkAuthor`).
 */
export async function checkStillKnown(db: SiteDb, actor: Actor, now: Date): Promise<void> {
  if (actor.kind === 'guest') return
  const user = await findUserOfActor(db, actor, now)
  if (!user || user.isBanned) throw rightsEnded()
  if (strength.indexOf(user.role) < strength.indexOf(actor.role)) throw roleLost()
  markChecked(db)
}

const strength: readonly Role[] = ['user', 'manager', 'admin']

function findUserOfActor(db: SiteDb, actor: Extract<Actor, { kind: 'user' }>, now: Date) {
  if (actor.keyId !== undefined) return findUserOfKey(db, actor.keyId, now)
  if (actor.sessionId !== undefined) return findSessionById(db, actor.sessionId, now)
  return findUser(db, actor.userId)
}

/** Where a key is sent from. */
export interface KeySender {
  origin: string | undefined
  address: string
}

const userKeyForm = /^trc_([A-Za-z0-9]{1,32})_[A-Za-z0-9]{20,100}$/
const dummyHash = hash('sha256', 'nobody', 'hex')

/** The owner of a user's key; undefined if the key is unknown, wrong or expired, or its user is banned. */
export async function verifyUserKey(site: Site, key: string): Promise<KeyOwner | undefined> {
  const now = site.clock.now()
  const [, id] = userKeyForm.exec(key) ?? []
  const owner = id === undefined ? undefined : await findUserOfKey(site.db, id, now)
  const digest = hash('sha256', key, 'buffer')
  const isCurrent = isHash(digest, owner?.secretHash)
  const isOld = isHash(digest, owner?.oldSecretHash ?? undefined)
  const isAccepted =
    isCurrent || (isOld && owner?.oldSecretEndsAt !== undefined && owner.oldSecretEndsAt > now)
  return isAccepted && owner && !owner.isBanned ? owner : undefined
}

const isSecret = (key: string, secret: string): boolean =>
  isHash(hash('sha256', key, 'buffer'), hash('sha256', secret, 'hex'))

/** Compares with a hash of nothing if there is none, so that both take the same time. */
function isHash(digest: Buffer, expected = dummyHash): boolean {
  const isSame = timingSafeEqual(digest, Buffer.from(expected, 'hex'))
  return isSame && expected !== dummyHash
}

/** Refuses a key that is sent from an origin or an address that it does not allow. */
export function checkSender(
  { allowedOrigins, allowedAddresses }: KeyLimits,
  { origin, address }: KeySender,
): void {
  if (allowedOrigins.length > 0 && !(origin && allowedOrigins.includes(origin))) throw originNotAllowed()
  if (allowedAddresses.length === 0) return
  if (!parseAddressList(allowedAddresses.join()).has(address)) throw addressNotAllowed()
}
