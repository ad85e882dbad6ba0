import { Type } from 'typebox'
import {
  addUserAs,
  type CreatedPosition,
  checkChosenPassword,
  editUserAs,
  hashNewPassword,
  hashPassword,
  type ListedUser,
  lastAdmin,
  listUsers,
  noSuchUser,
  noTotp,
  readUser,
  removeTotpAs,
} from '../../../accounts/index.ts'
import { notify, notifyOfEdit } from '../../../http/mails/send-mail.ts'
import { answerVersion, checkIfMatch, versionHeaders } from '../../../http/requests/conditions.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { textParameter } from '../../../http/wire/query.ts'
import { removeUserAs } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  notModified,
  onceRefusals,
  refusedAs,
  scopedRefusals,
  versionRefusals,
} from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'
import { unproven } from '../rules/proof.ts'
import {
  NewUserBody,
  readNewUser,
  readUserEdit,
  readUserRemoval,
  UserEditBody,
  UserObject,
  UserRemovalQuery,
  writeUser,
} from './users-wire.ts'

const unknownUser = refusedAs(
  'The user does not exist, or the caller may not see it.',
  noSuchUser('Zk3Qm8vTxLw2'),
)
const lastOne = refusedAs(
  'The user is the last administrator, or there is a conflict with another record.',
  lastAdmin('ada'),
)

export const getUsers: MediaEndpoint = {
  tag: 'Users',
  summary: 'List users',
  description: 'Newest first. Managers see users of the role `user`.',
  access: 'ban-users',
  query: Type.Object({
    ...pageParameters,
    q: textParameter('The beginning of the name or the e-mail address, ignoring case', 254),
  }),
  responses: { 200: { description: 'A page of users.', schema: PageOf(UserObject) }, ...scopedRefusals },
  handle: (call) => {
    const { q } = call.query as { q?: string }
    return answerPage<ListedUser, CreatedPosition>(call, {
      list: 'users',
      sort: '-created',
      filter: { q },
      read: (page) => listUsers(call.site, userOf(call), { ...page, prefix: q }),
      positionOf: ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
      write: writeUser,
    })
  },
}

export const postUser: ChangingEndpoint = {
  tag: 'Users',
  summary: 'Create a user',
  access: 'manage-users',
  proof: 'needed',
  body: NewUserBody,
  bodyExample: { username: 'bob', email: 'bob@example.com', password: 'a long password', role: 'user' },
  responses: {
    201: {
      description: 'The user.',
      schema: UserObject,
      headers: { Location: 'The address of the user', ETag: 'The version' },
    },
    ...onceRefusals,
    403: unproven,
  },
  handle: (call) => {
    const { password, ...account } = readNewUser(call.body)
    return prepareAndChangeOnce(
      call,
      async () => {
        await checkChosenPassword(call.site, password, [account.username, account.email])
        return hashPassword(password)
      },
      async (site, passwordHash) => {
        const user = await addUserAs(site, userOf(call), { ...account, passwordHash })
        const headers = { location: `/api/5/users/${user.id}`, ...versionHeaders(user.version) }
        return { status: 201, body: writeUser(user), headers }
      },
    )
  },
}

export const getUser: MediaEndpoint = {
  tag: 'Users',
  summary: 'Read a user',
  access: 'ban-users',
  requestHeaders: ['IfNoneMatch'],
  params: ofId,
  responses: {
    200: { description: 'The user.', schema: UserObject, headers: { ETag: 'The version' } },
    304: notModified,
    ...scopedRefusals,
    404: unknownUser,
  },
  handle: async (call) => {
    const user = await readUser(call.site, userOf(call), idOf(call, noSuchUser))
    return answerVersion(call, user.version, writeUser(user))
  },
}

export const patchUser: ChangingEndpoint = {
  tag: 'Users',
  summary: 'Change a user',
  description:
    'Omitted fields keep their values. Managers can change only `is_banned`, of users of the ' +
    'role `user`. A ban and a new password ' +
    'end the sessions of the user; a banned user’s keys are refused from the next request on.',
  access: 'ban-users',
  proof: 'needed',
  requestHeaders: ['IfMatch'],
  params: ofId,
  body: UserEditBody,
  bodyExample: { is_banned: true },
  responses: {
    200: { description: 'The user.', schema: UserObject, headers: { ETag: 'The version' } },
    ...bodyRefusals,
    ...versionRefusals,
    403: unproven,
    404: unknownUser,
    409: lastOne,
  },
  handle: async (call) => {
    const id = idOf(call, noSuchUser)
    const { edit, password } = readUserEdit(call.body)
    if (password !== undefined) {
      const { username, email } = await readUser(call.site, userOf(call), id)
      await checkChosenPassword(call.site, password, [username, email, edit.email ?? ''])
    }
    const passwordHash = await hashNewPassword(password)
    const user = await changeSite(call.app.control, call.site, (site) =>
      editUserAs(site, userOf(call), {
        id,
        edit: { ...edit, passwordHash },
        checkVersion: (version) => checkIfMatch(call.request.headers, version),
      }),
    )
    await notifyOfEdit(call, user, { hasNewPassword: password !== undefined })
    return { status: 200, body: writeUser(user), headers: versionHeaders(user.version) }
  },
}

export const deleteUserEndpoint: ChangingEndpoint = {
  tag: 'Users',
  summary: 'Delete a user',
  description:
    'Deletes the user with keys, sessions and likes, and with albums unless another user gets ' +
    'the files. Kept files of private albums are still private.',
  access: 'manage-users',
  proof: 'needed',
  requestHeaders: ['IfMatch'],
  params: ofId,
  query: UserRemovalQuery,
  responses: {
    204: noContent,
    ...changeRefusals,
    ...versionRefusals,
    403: unproven,
    404: unknownUser,
    409: lastOne,
  },
  handle: async (call) => {
    const id = idOf(call, noSuchUser)
    const files = readUserRemoval(call.query)
    const checkVersion = (version: number) => checkIfMatch(call.request.headers, version)
    await changeSite(call.app.control, call.site, (site) =>
      removeUserAs(site, userOf(call), { id, files, checkVersion }),
    )
    return { status: 204 }
  },
}

export const deleteUserTotp: ChangingEndpoint = {
  tag: 'Users',
  summary: "Turn off a user's second step",
  description:
    'For a user who has lost the authenticator and the recovery codes. The password, the ' +
    'passkeys and the sessions are kept.',
  access: 'manage-users',
  proof: 'needed',
  params: ofId,
  responses: {
    204: noContent,
    ...changeRefusals,
    403: unproven,
    404: unknownUser,
    409: refusedAs('The user has no second step.', noTotp()),
  },
  handle: async (call) => {
    const id = idOf(call, noSuchUser)
    await changeSite(call.app.control, call.site, (site) => removeTotpAs(site, userOf(call), id))
    await notify(call, { userId: id, notice: 'second-step-off' })
    return { status: 204 }
  },
}
