import {
  checkChosenPassword,
  checkSignUp,
  confirmSignUp,
  countRequest,
  hashPassword,
  listEnabledProviders,
  readSignUp,
  signUp,
  startSignUp,
} from '../../accounts/index.ts'
import { sendAddressMail } from '../../http/mails/send-mail.ts'
import { responseOfRefusal, routeNotFound } from '../../http/responses/errors.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isSwitchedOn } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import type { PageAnswer, PageCall, PageHandler } from '../page-call.ts'
import { orRefusal } from '../refused.ts'
import { accountFaultsOf } from './account-faults.ts'
import { startSession } from './log-in/log-in.ts'
import { confirmPage, signUpPage, waitPage } from './sign-up/sign-up-page.ts'

export const showSignUp: PageHandler = async (call) => {
  checkOpen(call)
  if (call.session) return { to: '/' }
  return { page: signUpPage(call, { username: '', email: '', providers: await openProviders(call) }) }
}

/** With mail the account is made when its link is opened, with a password that is chosen then; without, at once. */
export const postSignUp: PageHandler = async (call) => {
  checkOpen(call)
  const { app, site, request, form } = call
  const [username, email] = [form.get('username')?.trim() ?? '', form.get('email')?.trim() ?? '']
  const made = await orRefusal(
    (async () => {
      const password = app.mailer ? undefined : (form.get('password') ?? '')
      await checkSignUp(site, { username, email, ...(password !== undefined && { password }) })
      const counted = { purpose: 'sign-up', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
      if (password === undefined)
        return {
          mail: await changeSite(app.control, site, (changing) => startSignUp(changing, { username, email })),
        }
      const passwordHash = await hashPassword(password)
      return changeSite(app.control, site, (changing) => signUp(changing, { username, email, passwordHash }))
    })(),
  )
  if (made instanceof Refusal) {
    const { status, headers } = responseOfRefusal(made)
    const faults = accountFaultsOf(call.reader, made)
    return {
      page: signUpPage(call, { username, email, faults, providers: await openProviders(call) }),
      status,
      headers,
    }
  }
  if ('id' in made) return logInAs(call, made.id)
  sendAddressMail(call, { to: email, mail: made.mail })
  return { page: waitPage(call, email) }
}

/** Mail programs open links by themselves, so the form confirms. */
export const showConfirm: PageHandler = async (call) => {
  const { username } = await readSignUp(call.site, call.params.token ?? '')
  return { page: confirmPage(call, { username }), isSecret: true }
}

/** The password is set by who has the mailbox. A refused one leaves the link good. */
export const confirm: PageHandler = async (call) => {
  const { app, site, params, form } = call
  const { token = '' } = params
  const { username, email } = await readSignUp(site, token)
  const password = form.get('password') ?? ''
  const refusal = await orRefusal(checkChosenPassword(site, password, [username, email]))
  if (refusal instanceof Refusal) {
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: confirmPage(call, { username, faults }), status: 400, isSecret: true }
  }
  const passwordHash = await hashPassword(password)
  const user = await changeSite(app.control, site, (changing) =>
    confirmSignUp(changing, { token, passwordHash }),
  )
  return logInAs(call, user.id)
}

async function logInAs(call: PageCall, userId: string): Promise<PageAnswer> {
  const logIn = { userId, isLasting: false, method: 'password', factor: null } as const
  return { to: '/', headers: { 'set-cookie': await startSession(call, logIn) } }
}

async function openProviders({ site }: PageCall) {
  return (await listEnabledProviders(site)).filter(({ isSignUpOpen }) => isSignUpOpen)
}

function checkOpen({ site }: PageCall): void {
  if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) throw routeNotFound()
}
