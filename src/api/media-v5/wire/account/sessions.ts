import { type Static, Type } from 'typebox'
import type { Session } from '../../../../accounts/index.ts'
import { Closed, orNull, Timestamp, writeTime } from '../../../../http/wire/common.ts'

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

export const writeSession =
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

export const LogInBody = Type.Object(
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

export function readLogIn(body: unknown) {
  const { login, password, totp, stay } = body as Static<typeof LogInBody>
  return { login, password, totp: totp ?? undefined, isLasting: stay === true }
}
