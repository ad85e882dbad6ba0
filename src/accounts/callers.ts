import { hash } from 'node:crypto'
import type { Site } from '../site/index.ts'
import { isPublicKey, type UserCaller, verifyUserKey } from './actor.ts'
import { unauthenticated } from './errors.ts'
import { noLimits } from './keys/key-rules.ts'
import { effectiveScope, scopeOfSession } from './keys/scopes.ts'
import { isProofRecent } from './sessions/session-times.ts'
import { findSession, storedTokenHashes } from './sessions/sessions-table.ts'
import { type Preferences, readPreferences } from './users/preferences.ts'

/** The caller of the site's own API: a user by key or session, or a guest with or without the site's public key. */
export type Caller = (UserCaller | { kind: 'guest'; hasPublicKey: boolean }) & {
  /** What an opened share lets the caller see beyond that. */
  share?: SharedAccess
}

/** What the pass of a share opens. */
export interface SharedAccess {
  shareId: string
  /** One of the three is there. */
  albumId: string | undefined
  fileId: string | undefined
  fileIds?: readonly string[]
  /** False for an upload-only share. */
  showsFiles: boolean
  /** Whether the uploaded bytes are sent, and not only smaller versions. */
  allowsDownload: boolean
  endsAt: Date
}

/** Unknown, wrong and expired keys, and keys of banned users, get the same refusal. */
export async function callerOfKey(site: Site, key: string): Promise<Caller> {
  const owner = await verifyUserKey(site, key)
  if (!owner) {
    if (!(await isPublicKey(site, key))) throw unauthenticated()
    return { kind: 'guest', hasPublicKey: true }
  }
  const { userId, role, keyId, lastUsedAt, albumId } = owner
  const { expiresAt, allowedOrigins, allowedAddresses } = owner
  return {
    kind: 'user',
    userId,
    role,
    keyId,
    lastUsedAt,
    albumId,
    scope: effectiveScope(owner.scope, role),
    limits: { expiresAt, allowedOrigins, allowedAddresses },
  }
}

/** A session with its user, as pages need them. */
export interface SessionCaller {
  caller: UserCaller
  username: string
  /** Changes with the token, so that what is derived from it ends with the token. */
  tokenHash: string
  /** Whether the user has given the password within the last ten minutes. */
  isProven: boolean
  /** False for a user who logs in by a provider or a passkey alone. */
  hasPassword: boolean
  preferences: Preferences
  /** Names the picture of the user in its address. */
  pictureHash: string | undefined
}

/** The first session that one of the tokens opens: a sibling site on plain http may have planted the others. */
export async function openSession(site: Site, tokens: readonly string[]): Promise<SessionCaller | undefined> {
  let hashes = [...new Set(tokens.map(hashOfToken))]
  if (hashes.length > 1) {
    const stored = await storedTokenHashes(site.db, hashes)
    hashes = hashes.filter((tokenHash) => stored.includes(tokenHash))
  }
  for (const tokenHash of hashes) {
    const session = await sessionOfHash(site, tokenHash)
    if (session) return session
  }
  return undefined
}

/** Role and ban are read with each request. Undefined if the session has ended, or its user is banned. */
async function sessionOfHash(site: Site, tokenHash: string): Promise<SessionCaller | undefined> {
  const session = await findSession(site.db, tokenHash, site.clock.now())
  if (!session || session.isBanned) return undefined
  const { id: sessionId, userId, role, lastUsedAt, username } = session
  const scope = scopeOfSession(role)
  const caller = { kind: 'user', userId, role, sessionId, lastUsedAt, scope, limits: noLimits } as const
  const isProven = isProofRecent(session.provenAt, site.clock.now())
  const preferences = readPreferences(session.preferences)
  return {
    caller,
    username,
    tokenHash,
    isProven,
    hasPassword: session.hasPassword,
    preferences,
    pictureHash: session.pictureHash ?? undefined,
  }
}

/** Undefined if there is no such session: the caller then counts as a visitor. */
export async function callerOfSession(site: Site, tokens: readonly string[]): Promise<Caller | undefined> {
  const session = await openSession(site, tokens)
  return session && { ...session.caller, isProven: session.isProven }
}

export const hashOfToken = (token: string): string => hash('sha256', token, 'hex')
