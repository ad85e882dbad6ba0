import { type Static, Type } from 'typebox'
import { emailForm, type ListedUser, type Role, roles, usernameForm } from '../../../accounts/index.ts'
import { Closed, Id, orNull, Text, Timestamp, Word, writeTime } from '../../../http/fields.ts'
import { broken } from '../../../lib/faults.ts'
import type { FilesOfRemovedUser } from '../../../media/index.ts'

export const EmailText = (description: string) =>
  Text({
    most: 254,
    description,
    pattern: emailForm,
    rule: broken('email'),
    examples: ['ada@example.com', 'bob.b+1@mail.example.org'],
  })

/** A password that a person chooses. */
export const ChosenPassword = Type.String({
  minLength: 8,
  maxLength: 128,
  description:
    'A new password, 8 to 128 characters. In any case it must not be one of the 10,000 most common passwords, the user name, the ' +
    'e-mail address or its first part, or the hostname of the site.',
})

const roleText = 'One of `admin`, `manager`, `user`'

export const UserObject = Type.Object({
  id: Type.String({ description: 'The id' }),
  username: Type.String({ description: 'The name' }),
  email: orNull(Type.String(), 'The e-mail address; null until the first one is confirmed'),
  is_email_confirmed: Type.Boolean({
    description: 'Whether the owner confirmed the address by a link in a mail; false if the staff entered it',
  }),
  role: Word(roles, roleText),
  is_banned: Type.Boolean({
    description: 'Whether the user is banned: keys and log-ins are refused',
  }),
  created_at: Timestamp('When the account was created'),
  updated_at: Timestamp('When it was last changed'),
  version: Type.Integer({ description: 'Increases with every change; the ETag' }),
})

export const writeUser = (user: ListedUser) => ({
  id: user.id,
  username: user.username,
  email: user.email ?? null,
  role: user.role,
  is_email_confirmed: user.emailConfirmedAt !== undefined,
  is_banned: user.isBanned,
  created_at: writeTime(user.createdAt),
  updated_at: writeTime(user.updatedAt),
  version: user.version,
})

const Email = EmailText('An e-mail address that no other user has')

export const NewUserBody = Type.Object(
  {
    username: Text({
      most: 32,
      description: '3 to 32 of A-Z a-z 0-9 _ . -, unique ignoring case',
      pattern: usernameForm,
      rule: broken('username'),
    }),
    email: Email,
    password: ChosenPassword,
    role: Type.Optional(Word(roles, `${roleText}; \`user\` by default`)),
  },
  Closed,
)

export const UserEditBody = Type.Object(
  {
    email: Type.Optional(Email),
    password: Type.Optional(ChosenPassword),
    role: Type.Optional(Word(roles, roleText)),
    is_banned: Type.Optional(Type.Boolean({ description: 'Bans the user, or lifts the ban' })),
  },
  { ...Closed, minProperties: 1 },
)

export function readNewUser(body: unknown) {
  const { role = 'user', ...account } = body as Static<typeof NewUserBody>
  return { ...account, role: role as Role }
}

export function readUserEdit(body: unknown) {
  const { email, password, role, is_banned: isBanned } = body as Static<typeof UserEditBody>
  return { edit: { email, role: role as Role | undefined, isBanned }, password }
}

export const UserRemovalQuery = Type.Object({
  files: Type.Optional(
    Id(
      'What happens to the files: `keep` keeps them without an owner, `trash` moves them to the ' +
        'trash, the id of another user gives them and the albums to that user. Required if the user ' +
        'has files.',
      broken('heir'),
    ),
  ),
})

export function readUserRemoval(query: unknown): FilesOfRemovedUser | undefined {
  const { files } = query as Static<typeof UserRemovalQuery>
  return files === undefined || files === 'keep' || files === 'trash' ? files : { userId: files }
}
