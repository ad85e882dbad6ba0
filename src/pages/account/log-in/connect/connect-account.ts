import {
  connectAccount,
  countRequest,
  freeName,
  nextStepOf,
  openAccount,
  requireEnabled,
  signUpByProvider,
} from '../../../../accounts/index.ts'
import { notify, sendAddressMail } from '../../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../../http/responses/errors.ts'
import { endedStepCookie, openStepCookie } from '../../../../http/session/session-cookie.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../../page-call.ts'
import { orRefusal } from '../../../refused.ts'
import { accountFaultsOf } from '../../account-faults.ts'
import { startSession } from '../log-in.ts'
import { orConnectFault } from './connect-fault.ts'
import { confirmPage, logInFirstPage, newUserPage } from './connect-page.ts'
import { providerAccess, providerNameIn } from './provider-access.ts'

/** What becomes of an account that is not connected: nothing happens to it before a form is sent. */
export const showAccount: PageHandler = (call) => orConnectFault(call, choice(call))

async function choice(call: PageCall): Promise<PageAnswer> {
  const pending = await pendingOf(call)
  if (call.session) return { page: confirmPage(call, pending) }
  const step = await nextStepOf(call.site, pending.account)
  if (step !== 'sign-up') return { page: logInFirstPage(call, { ...pending, step }) }
  return { page: newUserPage(call, { ...pending, username: await freeName(call.site, pending.account) }) }
}

export const postLink: PageHandler = (call) => orConnectFault(call, link(call))

async function link(call: PageCall): Promise<PageAnswer> {
  const { app, site } = call
  const { account } = await pendingOf(call)
  await changeSite(app.control, site, (changing) => connectAccount(changing, userOf(call), account))
  await notify(call, { userId: userOf(call).userId, notice: 'provider-connected' })
  return { to: account.to, headers: { 'set-cookie': endedAccount(call) } }
}

export const postSignUpByProvider: PageHandler = (call) => orConnectFault(call, signUp(call))

async function signUp(call: PageCall): Promise<PageAnswer> {
  const { app, site, request, form } = call
  const pending = await pendingOf(call)
  const { account } = pending
  const username = form.get('username')?.trim() ?? ''
  const made = await orRefusal(
    (async () => {
      const counted = { purpose: 'sign-up', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
      const asked = { account, username, hasMail: app.mailer !== undefined }
      return changeSite(app.control, site, (changing) => signUpByProvider(changing, asked))
    })(),
  )
  if (made instanceof Refusal) {
    // Such as an account that was connected meanwhile: the form cannot mend it.
    if (made.code === 'identity-taken' || made.kind === 'not-found') throw made
    const { status, headers } = responseOfRefusal(made)
    const faults = accountFaultsOf(call.reader, made)
    return { page: newUserPage(call, { ...pending, username, faults }), status, headers }
  }
  sendAddressMail(call, { to: account.email ?? '', mail: made.mail, username })
  const cookies = await startSession(call, {
    userId: made.userId,
    isLasting: false,
    loggedInAt: account.loggedInAt,
    method: 'provider',
    factor: null,
  })
  return { to: account.to, headers: { 'set-cookie': [...cookies, endedAccount(call)] } }
}

async function pendingOf(call: PageCall) {
  const { app, site, request } = call
  const name = providerNameIn(call)
  const provider = await requireEnabled(site, name)
  const { key } = providerAccess(call)
  const account = await openStepCookie(app, request, {
    name: 'terrace-account',
    open: (sealed) => openAccount(site, { key, provider: name, sealed }),
  })
  return { provider, account }
}

const endedAccount = ({ app, request }: PageCall) => endedStepCookie(app, request, 'terrace-account')
