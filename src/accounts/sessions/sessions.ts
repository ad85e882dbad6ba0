import { hash } from 'node:crypto'
import { inTransaction } from '../../db/index.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import type { JobContext } from '../../scheduling/index.ts'
import { authoredBy, type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { hashOfToken } from '../callers.ts'
import type { CreatedPosition } from '../created-position-table.ts'
import { sessionNotFound, unauthenticated } from '../errors.ts'
import { findUser, findUserForLogin } from '../users/users-table.ts'
import { checkPassword, triesFromNetwork, triesOfKnown } from './check-password.ts'
import type { Device } from './devices.ts'
import { endOfSession } from './session-times.ts'
import {
  deleteSession,
  deleteSessions,
  deleteSessionsUntil,
  findOwnSession,
  insertSession,
  type Session,
  sessionsAfter,
  updateProof,
  updateToken,
} from './sessions-table.ts'

interface LogIn {
  /** A user name or an e-mail address. */
  login: string
  password: string
  address: string
  /** Those that the client's cookies name, of whatever user. */
  devices: readonly Device[]
}

/** The id of the user who logs in. Unknown names, wrong passwords and banned users get the same refusal. */
export async function checkLogIn(site: Site, { login, password, address, devices }: LogIn): Promise<string> {
  const user = await findUserForLogin(site.db, login)
  // Hashed, since a name that was given may have any length and any character.
  const account = user?.id ?? hash('sha256', login.toLowerCase(), 'hex')
  const device = user && devices.find(({ userId }) => userId === user.id)
  const counted = device ? triesOfKnown(`device ${device.id}`) : triesFromNetwork(address, account)
  const isRight = await checkPassword(site, { account, counted, password, passwordHash: user?.passwordHash })
  if (!isRight || !user || user.isBanned) throw unauthenticated()
  return user.id
}

/** How a user has logged in, for the audit log. A passkey is both steps. */
export interface LogInSteps {
  method: 'password' | 'passkey' | 'provider'
  /** The second step; null without one. */
  factor: 'totp' | 'recovery-code' | 'passkey' | null
}

interface NewSession {
  userId: string
  address: string
  userAgent: string
  /** The browser keeps the cookie when it is closed, and the session lasts longer. */
  isLasting: boolean
  /** When the user has proven who it is; now, unless the log-in was at a provider. */
  provenAt?: Date | undefined
  steps: LogInSteps
}

export interface CreatedSession {
  session: Session
  /** For the cookie; only its hash is stored. */
  token: string
}

/** Opens a session for a user whose password was checked. */
export async function createSession(
  site: ChangingSite,
  { provenAt, steps, ...input }: NewSession,
): Promise<CreatedSession> {
  const now = site.clock.now()
  const token = randomSecret()
  const session: Session = {
    ...input,
    id: randomId(),
    userAgent: readableUserAgent(input.userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: endOfSession({ isLasting: input.isLasting, createdAt: now }, now),
  }
  await inTransaction(site.db, async (db) => {
    // The user may have been banned or deleted while the password was checked.
    const user = await findUser(db, input.userId)
    if (!user || user.isBanned) throw unauthenticated()
    await insertSession(db, { ...session, provenAt: provenAt ?? now, tokenHash: hashOfToken(token) })
    const author = { kind: 'user', userId: input.userId, address: input.address } as const
    await recordChange(authoredBy({ ...site, db }, author), {
      verb: 'session.created',
      target: session.id,
      after: { isLasting: input.isLasting, userAgent: session.userAgent, ...steps },
    })
  })
  return { session, token }
}

/** Headers may hold any byte above 127, and PostgreSQL takes no NUL. */
export const readableUserAgent = (text: string): string => text.replaceAll(/\p{Cc}/gu, '').slice(0, 256)

/** A page of the caller's sessions, the youngest first. */
export const listOwnSessions = (
  site: Site,
  caller: UserCaller,
  page: { after: CreatedPosition | undefined; limit: number },
): Promise<Session[]> => sessionsAfter(site.db, caller.userId, { ...page, now: site.clock.now() })

export async function endOwnSession(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    if (!(await deleteSession(db, caller.userId, id))) throw sessionNotFound(id)
    await recordChange({ ...site, db }, { verb: 'session.ended', target: id })
  })
}

/** Ends all sessions of the caller but the one that asks; a key ends all of its user's. */
export async function endOtherSessions(site: ChangingSite, caller: UserCaller): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    await deleteSessions(db, caller.userId, caller.sessionId)
    await recordChange({ ...site, db }, { verb: 'session.ended', target: '', before: { isOther: true } })
  })
}

/** Records that the user of this session has just given the right password. */
export async function recordProof(site: ChangingSite, caller: UserCaller): Promise<void> {
  const now = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, now)
    await updateProof(db, caller.sessionId ?? '', now)
  })
}

/** Gives the caller's session a new token, so that one that was stolen before ends. */
export function renewSession(site: ChangingSite, caller: UserCaller): Promise<CreatedSession> {
  const token = randomSecret()
  return inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    const session = await findOwnSession(db, caller.sessionId ?? '')
    if (!session) throw unauthenticated()
    await updateToken(db, session.id, hashOfToken(token))
    return { session, token }
  })
}

/** Deletes expired sessions, which are already refused. */
export const pruneSessions = (site: Site, context: JobContext): Promise<number> =>
  context.fencedTransaction((db) => deleteSessionsUntil(db, site.clock.now()))
