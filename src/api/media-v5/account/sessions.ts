import { type Static, Type } from 'typebox'
import {
  type CodeKind,
  type CreatedPosition,
  checkLogIn,
  codeRequired,
  createSession,
  endOtherSessions,
  endOwnSession,
  hasTotp,
  listOwnSessions,
  type Session,
  sessionNotFound,
  takeCode,
  tooManyLogins,
  unauthenticated,
} from '../../../accounts/index.ts'
import { Closed, orNull, Timestamp, writeTime } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { devicesOf, endedCookie, logInCookies } from '../../../http/session/session-cookie.ts'
import { siteKey } from '../../../http/site-key.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { changeRefusals, noContent, onceRefusals, refusedAs, scopedRefusals } from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'

export const SessionObject = Type.Object({
  id: Type.String({ description: 'Names the session in addresses' }),
  address: Type.String({ description: 'The address that last used it' }),
  user_agent: Type.String({ description: 'The user agent of the program that logged in' }),
  is_lasting: Type.Boolean({ description: 'Whether the session survives when the browser closes' }),
  is_current: Type.Boolean({ description: 'Whether this is the calling session' }),
  created_at: Timestamp('When the user logged in'),
  last_used_at: Timestamp('When it was last used, to the minute'),
  expires_at: Timestamp('When it ends'),
})

const writeSession =
  (currentId: string | undefined) =>
  ({ id, address, userAgent, isLasting, createdAt, lastUsedAt, expiresAt }: Session) => ({
    id,
    address,
    user_agent: userAgent,
    is_lasting: isLasting,
    is_current: id === currentId,
    created_at: writeTime(createdAt),
    last_used_at: writeTime(lastUsedAt),
    expires_at: writeTime(expiresAt),
  })

const longestLogin = 254
const longestPassword = 128
const longestCode = 64

/** Any text: a wrong one is refused like every other wrong one. */
const Given = (most: number, description: string) =>
  Type.String({ minLength: 1, maxLength: most, description })

const LogInBody = Type.Object(
  {
    login: Given(longestLogin, 'A user name or an e-mail address'),
    password: Given(longestPassword, `The password, at most ${longestPassword} characters`),
    totp: Type.Optional(
      orNull(
        Given(longestCode, 'A code'),
        'The code of the second step, or a recovery code, for users who have one',
      ),
    ),
    stay: Type.Optional(
      orNull(Type.Boolean(), 'Keep the session for 30 days after its last use, instead of 12 hours'),
    ),
  },
  Closed,
)

function readLogIn(body: unknown) {
  const { login, password, totp, stay } = body as Static<typeof LogInBody>
  return { login, password, totp: totp ?? undefined, isLasting: stay === true }
}

export const postSession: ChangingEndpoint = {
  tag: 'Sessions',
  summary: 'Log in',
  description:
    'Sets the session cookie, and a cookie that identifies the device for 180 days. Unknown ' +
    'names, wrong passwords and banned users get the same answer. After 10 wrong passwords in ' +
    'ten minutes from an address (/64) every password is refused with 429 for that time. ' +
    'After 20 in an hour for an account, each address waits up to 60 seconds between two tries ' +
    '(429 with `Retry-After`). A device that has logged in before is not affected by the tries ' +
    'of others; after 20 wrong passwords of its own in an hour it is refused. 10 ' +
    'wrong codes in ten minutes for an account refuse every code. Users with a second step also ' +
    'send `totp`: a code of their authenticator or a recovery code, each good once. Without it ' +
    'the answer is 401 ' +
    'with the code `totp-required`.',
  access: 'visitor',
  needsNoSecondStep: true,
  proof: noProof.logIn,
  body: LogInBody,
  bodyExample: { login: 'ada', password: 'a long password', stay: true },
  responses: {
    201: {
      description: 'The session.',
      schema: SessionObject,
      headers: {
        'Set-Cookie': 'The session cookie, and the cookie of the device',
        Location: 'The address of the session',
      },
    },
    ...onceRefusals,
    401: refusedAs('The name, the password or the code is wrong, or a code is needed.', unauthenticated()),
    429: refusedAs('Too many wrong passwords, or too many requests.', tooManyLogins(600)),
  },
  handle: (call) => {
    const { app, request } = call
    const { login, password, totp, isLasting } = readLogIn(call.body)
    const { address } = request.client
    const userAgent = request.headers['user-agent'] ?? ''
    return prepareAndChangeOnce(
      call,
      async () => {
        const userId = await checkLogIn(call.site, {
          login,
          password,
          address,
          devices: devicesOf(app, call.site, request),
        })
        const factor = await passSecondStep(call, { userId, code: totp })
        return { userId, factor }
      },
      async (site, { userId, factor }) => {
        const steps = { method: 'password', factor } as const
        const created = await createSession(site, { userId, address, userAgent, isLasting, steps })
        const { id } = created.session
        const headers = {
          'set-cookie': logInCookies(app, call.site, request, created),
          location: `/api/5/sessions/${id}`,
        }
        return { status: 201, body: writeSession(id)(created.session), headers }
      },
    )
  },
}

/** Wrong codes are answered like wrong passwords. */
async function passSecondStep(
  { app, site }: MediaCall,
  { userId, code }: { userId: string; code: string | undefined },
): Promise<CodeKind | null> {
  if (!(await hasTotp(site, userId))) return null
  if (code === undefined) throw codeRequired()
  const key = siteKey(app, site, 'log-ins')
  const take = (changing: ChangingSite) => takeCode(changing, { userId, code, key })
  return changeSite(app.control, site, take).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'wrong-code' ? unauthenticated() : error
  })
}

export const getSessions: MediaEndpoint = {
  tag: 'Sessions',
  summary: 'List your sessions',
  description: 'Newest first.',
  access: 'account-read',
  query: Type.Object(pageParameters),
  responses: {
    200: { description: 'A page of sessions.', schema: PageOf(SessionObject) },
    ...scopedRefusals,
  },
  handle: (call) =>
    answerPage<Session, CreatedPosition>(call, {
      list: 'sessions',
      sort: '-created',
      read: (page) => listOwnSessions(call.site, userOf(call), page),
      positionOf: ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
      write: writeSession(userOf(call).sessionId),
    }),
}

export const deleteSession: ChangingEndpoint = {
  tag: 'Sessions',
  summary: 'End a session',
  description: 'Ending the calling session logs it out.',
  access: 'account-write',
  needsNoSecondStep: true,
  proof: noProof.fewerRights,
  params: ofId,
  responses: {
    204: noContent,
    ...changeRefusals,
    404: refusedAs('The caller has no such session.', sessionNotFound('Zk3Qm8vTxLw2')),
  },
  handle: async (call) => {
    const id = idOf(call, sessionNotFound)
    const caller = userOf(call)
    await changeSite(call.app.control, call.site, (site) => endOwnSession(site, caller, id))
    const isOwn = caller.sessionId === id
    return { status: 204, ...(isOwn && { headers: { 'set-cookie': endedCookie(call.app, call.request) } }) }
  },
}

export const deleteSessions: ChangingEndpoint = {
  tag: 'Sessions',
  summary: 'End your other sessions',
  description: 'Ends all sessions except the calling one. A call by key ends all sessions of its user.',
  access: 'account-write',
  needsNoSecondStep: true,
  proof: noProof.fewerRights,
  responses: { 204: noContent, ...changeRefusals },
  handle: async (call) => {
    await changeSite(call.app.control, call.site, (site) => endOtherSessions(site, userOf(call)))
    return { status: 204 }
  },
}
