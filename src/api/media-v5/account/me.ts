import {
  type Caller,
  checkChosenPassword,
  checkOwnPassword,
  editOwnAccount,
  hashNewPassword,
  type OwnAccount,
  readOwnAccount,
  tooManyLogins,
} from '../../../accounts/index.ts'
import { notify, sendAddressMail } from '../../../http/mails/send-mail.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { readAllowance } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { anyRefusals, bodyRefusals, refusedAs } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { AccountEditBody, MeObject, readAccountEdit, writeMe } from '../wire/account/me.ts'

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
