import { type Static, Type } from 'typebox'
import { type Caller, type OwnAccount, roles, scopes } from '../../../../accounts/index.ts'
import { Word } from '../../../../http/fields.ts'
import {
  ChosenPassword,
  Closed,
  EmailText,
  orNull,
  scopeText,
  Timestamp,
  writeTime,
} from '../../../../http/wire/common.ts'
import type { Allowance } from '../../../../media/index.ts'

export const AccountEditBody = Type.Object(
  {
    email: Type.Optional(EmailText('A new e-mail address')),
    password: Type.Optional(ChosenPassword),
    current_password: Type.String({ maxLength: 128, description: 'The current password' }),
  },
  // One of the others beside the password.
  { ...Closed, minProperties: 2 },
)

export function readAccountEdit(body: unknown) {
  const { email, password, current_password: currentPassword } = body as Static<typeof AccountEditBody>
  return { email, password, currentPassword }
}

const Limit = Type.Object({
  value: orNull(Type.Integer(), 'The limit; null: no limit'),
  used: Type.Integer({ description: 'How much of it is used' }),
  reserved: Type.Optional(
    Type.Integer({
      description:
        'Only for `SERVICE_MAX_STORAGE`: the storage reserved by unfinished uploads, the length of each and 1 MB',
    }),
  ),
})

const KindEntry = Type.Object({
  name: Type.String({ description: 'As in the field `kind` of a file' }),
  type: Type.String({ description: '`image` or `video`' }),
  mime: Type.String({ description: 'The content type' }),
  extensions: Type.Array(Type.String(), { description: 'File name extensions' }),
})

const UserObject = Type.Object({
  id: Type.String({ description: 'The id of the user' }),
  username: Type.String({ description: 'The name' }),
  email: orNull(Type.String(), 'The e-mail address; null until the first one is confirmed'),
  is_email_confirmed: Type.Boolean({ description: 'Whether a link in a mail to the address was used' }),
  pending_email: orNull(Type.String(), 'A new address that waits to be confirmed'),
  created_at: Timestamp('When the account was created'),
})

export const MeObject = Type.Object({
  user: orNull(UserObject, 'Null for visitors and guests'),
  role: orNull(Word(roles, 'A role'), '`admin`, `manager` or `user`; null for visitors'),
  scope: orNull(Word(scopes, 'A scope'), `${scopeText}; null for visitors`),
  limits: Type.Record(Type.String(), Limit, { description: 'Limits of the site by name, with their use' }),
  max_file_size: Type.Integer({ description: 'The largest file that the caller may upload, in bytes' }),
  kinds: Type.Array(KindEntry, { description: 'The kinds of files that the site accepts' }),
})

export interface Me {
  caller: Caller
  account: OwnAccount | undefined
  allowance: Allowance
}

export function writeMe({ caller, account, allowance }: Me) {
  const user = account?.user
  const guestScope = caller.kind === 'guest' && caller.hasPublicKey ? 'upload' : null
  return {
    user: user ? writeOwnUser(user) : null,
    role: user?.role ?? null,
    scope: caller.kind === 'user' ? caller.scope : guestScope,
    limits: Object.fromEntries(
      allowance.limits.map(({ name, value, used, reserved }) => [
        name,
        { value: value ?? null, used, ...(reserved !== undefined && { reserved }) },
      ]),
    ),
    max_file_size: allowance.maxFileSizeBytes,
    kinds: allowance.kinds,
  }
}

const writeOwnUser = (user: OwnAccount['user']) => ({
  id: user.id,
  username: user.username,
  email: user.email ?? null,
  is_email_confirmed: user.emailConfirmedAt !== undefined,
  pending_email: user.pendingEmail ?? null,
  created_at: writeTime(user.createdAt),
})
