import {
  hashOfToken,
  isPasswordOf,
  isProofRecent,
  type LogInSteps,
  type PasskeyAnswer,
  readableUserAgent,
} from '../../accounts/index.ts'
import { type ControlDb, inTransaction } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import { actingAs } from '../audit/author.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { countTry, triesOfSession } from './count-try.ts'
import { logInRefused, operatorSessionEnded, operatorSessionNotFound, wrongOwnPassword } from './errors.ts'
import type { OperatorRequest } from './operator-request.ts'
import {
  findOperator,
  lockOperator,
  type Operator,
  type OperatorRole,
  updateOperator,
} from './operators-table.ts'
import { operatorOfPasskey } from './passkeys.ts'
import {
  deleteSession,
  deleteSessionsUntil,
  findOwnerOfEnded,
  findSession,
  hasSession,
  insertSession,
  type OperatorSession,
  sessionsOf,
  updateProof,
  updateSessionUse,
} from './sessions-table.ts'

/** An operator with a session, as pages need it. */
export interface OperatorCaller {
  operatorId: string
  username: string
  role: OperatorRole
  sessionId: string
  /** Changes with the token, so that what is derived from it ends with the token. */
  tokenHash: string
  /** Whether the operator has given a passkey, or the password, within the last ten minutes. */
  isProven: boolean
  createdAt: Date
  lastUsedAt: Date
}

const idleMs = 30 * 60_000
const longestMs = 8 * 3_600_000

const endOfSession = (createdAt: Date, usedAt: Date): Date =>
  new Date(Math.min(usedAt.getTime() + idleMs, createdAt.getTime() + longestMs))

/**
 * The first session that one of the tokens opens: a sibling site on plain http may have planted the others. Role and account
 * are read with each request, in one statement.
 */
export async function openOperatorSession(
  control: Control,
  tokens: readonly string[],
): Promise<OperatorCaller | undefined> {
  const now = control.clock.now()
  for (const tokenHash of new Set(tokens.map(hashOfToken))) {
    const session = await findSession(control.store.control, tokenHash, now)
    if (!session) continue
    const { id: sessionId, provenAt, ...owner } = session
    return { ...owner, sessionId, tokenHash, isProven: isProofRecent(provenAt, now) }
  }
  return undefined
}

/** Whose session has ended of its age, by its token. One that was ended, by a log-out or a reset, is nobody's. */
export async function operatorOfEndedSession(
  { store }: Control,
  tokens: readonly string[],
): Promise<string | undefined> {
  for (const tokenHash of new Set(tokens.map(hashOfToken))) {
    const operatorId = await findOwnerOfEnded(store.control, tokenHash)
    if (operatorId !== undefined) return operatorId
  }
  return undefined
}

/** Ended sessions are known for a day: what their operator has typed is given back after the next log-in. */
const endedIsKnownMs = 86_400_000

/** Often enough that a session does not end noticeably early; each write of the control file empties a cache. */
const useIsWrittenMs = 60_000

/** Keeps the session from ending of idleness. For requests that a person makes, not for those that a page repeats. */
export async function recordOperatorUse(
  control: Control,
  { sessionId, createdAt, lastUsedAt }: OperatorCaller,
  address: string,
): Promise<void> {
  const at = control.clock.now()
  const latest = latestTime(at)
  if (at.getTime() - lastUsedAt.getTime() < useIsWrittenMs && lastUsedAt <= latest) return
  const expiresAt = endOfSession(createdAt, at)
  await updateSessionUse(control.store.control, sessionId, { at, latest, address, expiresAt })
}

export interface OpenedOperatorSession {
  session: OperatorSession
  /** For the cookie; only its hash is stored. */
  token: string
}

/** Opens a session in the transaction of the log-in. The one that the browser had ends, also that of another operator. */
export async function openSession(
  control: Control,
  db: ControlDb,
  request: OperatorRequest,
  { operator: { id: operatorId, username }, steps }: { operator: Operator; steps: LogInSteps },
): Promise<OpenedOperatorSession> {
  const { address, userAgent, sessionId } = request
  const now = control.clock.now()
  const token = randomSecret()
  const session = {
    id: randomId(),
    operatorId,
    address,
    userAgent: readableUserAgent(userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: endOfSession(now, now),
  }
  await deleteSessionsUntil(db, new Date(now.getTime() - endedIsKnownMs))
  const acting = actingAsOperator(control, request, { id: operatorId, username })
  if (sessionId !== undefined && (await deleteSession(db, { id: sessionId })))
    await recordControlChange(acting, db, { verb: 'session.ended', target: sessionId })
  await insertSession(db, { ...session, provenAt: now, tokenHash: hashOfToken(token) })
  await updateOperator(db, operatorId, { lastLoginAt: now.toISOString() })
  await recordControlChange(acting, db, { verb: 'session.created', target: session.id, after: steps })
  return { session, token }
}

/** The installation in the name of an operator who logs in: the door that asks knows the request only. */
export const actingAsOperator = (
  control: Control,
  { address, userAgent }: OperatorRequest,
  { id, username: name }: Pick<Operator, 'id' | 'username'>,
): Control => actingAs(control, { ...control.author, kind: 'operator', id, name, address, userAgent })

/** The caller's sessions, the youngest first. */
export const listOperatorSessions = (control: Control, caller: OperatorCaller): Promise<OperatorSession[]> =>
  sessionsOf(control.store.control, caller.operatorId, control.clock.now())

/** Ends one of the caller's sessions; its own at the log-out. */
export async function endOperatorSession(
  control: Control,
  caller: OperatorCaller,
  id: string,
): Promise<void> {
  await inTransaction(control.store.control, async (db) => {
    if (!(await deleteSession(db, { id, operatorId: caller.operatorId }))) throw operatorSessionNotFound(id)
    await recordControlChange(control, db, { verb: 'session.ended', target: id })
  })
}

/** Refuses a wrong password of the caller, and after too many wrong ones of this session every password. */
export async function checkOwnOperatorPassword(
  control: Control,
  { operatorId: id, sessionId }: OperatorCaller,
  password: string,
): Promise<void> {
  const operator = await findOperator(control.store.control, { id })
  const isRight = await countTry(control, triesOfSession(sessionId, id), () =>
    isPasswordOf(operator?.passwordHash, password),
  )
  if (!isRight) throw wrongOwnPassword()
}

/** Proves the session by the operator's password. */
export async function proveByPassword(
  control: Control,
  caller: OperatorCaller,
  password: string,
): Promise<void> {
  await checkOwnOperatorPassword(control, caller, password)
  await recordOperatorProof(control, control.store.control, caller)
}

/** Proves the session by a passkey of its operator, asked for by `operatorPasskeyRequest`. */
export async function proveByPasskey(
  control: Control,
  request: OperatorRequest,
  caller: OperatorCaller,
  answer: Pick<PasskeyAnswer, 'response' | 'challenge'>,
): Promise<void> {
  await operatorOfPasskey(control, request, answer, async (db, { id }) => {
    if (id !== caller.operatorId) throw logInRefused()
    await recordOperatorProof(control, db, caller)
  })
}

async function recordOperatorProof({ clock }: Control, db: ControlDb, { sessionId }: OperatorCaller) {
  if (!(await updateProof(db, sessionId, clock.now()))) throw operatorSessionEnded()
}

/** Locks the caller's account until the transaction ends. Refuses a caller whose session has ended since the request began. */
export async function lockOwnAccount({ clock }: Control, db: ControlDb, caller: OperatorCaller) {
  const operator = await lockOperator(db, caller.operatorId)
  if (!operator || !(await hasSession(db, caller.sessionId, clock.now()))) throw operatorSessionEnded()
  return operator
}
