import { type Static, Type } from 'typebox'
import {
  type Caller,
  checkChosenPassword,
  checkOwnPassword,
  editOwnAccount,
  hashNewPassword,
  type OwnAccount,
  readOwnAccount,
  roles,
  scopes,
  tooManyLogins,
} from '../../../accounts/index.ts'
import { Closed, orNull, Timestamp, Word, writeTime } from '../../../http/fields.ts'
import { notify, sendAddressMail } from '../../../http/mails/send-mail.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { type Allowance, readAllowance } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ChosenPassword, EmailText } from '../admin/users-wire.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { anyRefusals, bodyRefusals, refusedAs } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { scopeText } from './keys-wire.ts'

const AccountEditBody = Type.Object(
  {
    email: Type.Optional(EmailText('A new e-mail address')),
    password: Type.Optional(ChosenPassword),
    current_password: Type.String({ maxLength: 128, description: 'The current password' }),
  },
  // One of the others beside the password.
  { ...Closed, minProperties: 2 },
)

function readAccountEdit(body: unknown) {
  const { email, password, current_password: currentPassword } = body as Static<typeof AccountEditBody>
  return { email, password, currentPassword }
}

const Limit = Type.Object({
  value: orNull(Type.Integer(), 'The limit; null: no limit'),
  used: Type.Integer({ description: 'How much of it is used' }),
  reserved: Type.Optional(
    Type.Integer({
      description:
        'Only for `SERVICE_MAX_STORAGE` and `SERVICE_MAX_STORAGE_PER_USER`: the storage reserved by unfinished uploads, the length of each and 1 MB',
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
  limits: Type.Record(Type.String(), Limit, {
    description: 'Limits of the site and of the user by name, with their use',
  }),
  max_file_size: Type.Integer({ description: 'The largest file that the caller may upload, in bytes' }),
  kinds: Type.Array(KindEntry, { description: 'The kinds of files that the site accepts' }),
})

interface Me {
  caller: Caller
  account: OwnAccount | undefined
  allowance: Allowance
}

function writeMe({ caller, account, allowance }: Me) {
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

export const getMe: MediaEndpoint = {
  tag: 'Account',
  summary: 'Get the caller and the upload limits',
  description: 'For every key and session. For visitors, user, role and scope are null.',
  access: 'visitor',
  responses: { 200: { description: 'The caller.', schema: MeObject }, ...anyRefusals },
  handle: async ({ site, caller }) => {
    const account = caller.kind === 'user' ? await readOwnAccount(site, caller) : undefined
    return { status: 200, body: await writtenMe(site, caller, account) }
  },
}

export const patchMe: ChangingEndpoint = {
  tag: 'Account',
  summary: 'Change your e-mail address or password',
  description:
    'Needs the current password. After 20 wrong passwords of a session or key in an hour, every ' +
    'password is refused with 429. A new password ends the other sessions of the user; keys ' +
    'keep working. ' +
    'If the installation sends mail, a new address waits as `pending_email` until the link in ' +
    'the mail to it is used; the answer ' +
    'does not say whether another user has it.',
  access: 'account-write',
  proof: noProof.password,
  body: AccountEditBody,
  bodyExample: { email: 'ada@example.com', current_password: 'a long password' },
  responses: {
    200: { description: 'The caller.', schema: MeObject },
    ...bodyRefusals,
    429: refusedAs('Too many wrong passwords, or too many requests.', tooManyLogins(600)),
  },
  handle: async (call) => {
    const { app, site } = call
    const caller = userOf(call)
    const { email, password, currentPassword } = readAccountEdit(call.body)
    if (password !== undefined) {
      const { user } = await readOwnAccount(site, caller)
      await checkChosenPassword(site, password, [user.username, user.email, email ?? ''])
    }
    await checkOwnPassword(site, caller, currentPassword)
    const edit = { email, hasMail: app.mailer !== undefined, passwordHash: await hashNewPassword(password) }
    const account = await changeSite(app.control, site, (changing) => editOwnAccount(changing, caller, edit))
    const { username } = account.user
    sendAddressMail(call, { to: email ?? '', mail: account.mail, username })
    if (password !== undefined) await notify(call, { userId: caller.userId, notice: 'password-changed' })
    return { status: 200, body: await writtenMe(site, caller, account) }
  },
}

async function writtenMe(site: Site, caller: Caller, account: OwnAccount | undefined) {
  const allowance = await readAllowance(site, caller, { keyCount: account?.keyCount ?? 0 })
  return writeMe({ caller, account, allowance })
}
