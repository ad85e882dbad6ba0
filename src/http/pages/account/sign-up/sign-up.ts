import {
  checkSignUp,
  confirmSignUp,
  countRequest,
  hashPassword,
  listEnabledProviders,
  readSignUp,
  signUp,
  startSignUp,
} from '../../../../accounts/index.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { isSwitchedOn } from '../../../../site/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { responseOfRefusal, routeNotFound } from '../../../responses/errors.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { startSession } from '../log-in/log-in.ts'
import { addressOf, sendMailSoon } from '../send-mail.ts'
import { confirmPage, signUpPage, waitPage } from './sign-up-page.ts'

export const showSignUp: PageHandler = async (call) => {
  checkOpen(call)
  if (call.session) return { to: '/' }
  return { page: signUpPage(call, { username: '', email: '', providers: await openProviders(call) }) }
}

/** With mail the account is made when its link is opened; without, at once. */
export const postSignUp: PageHandler = async (call) => {
  checkOpen(call)
  const { app, site, request, form } = call
  const [username, email] = [form.get('username')?.trim() ?? '', form.get('email')?.trim() ?? '']
  const password = form.get('password') ?? ''
  const made = await orRefusal(
    (async () => {
      await checkSignUp(site, { username, email, password })
      const counted = { purpose: 'sign-up', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted), { keepsStats: true })
      const account = { username, email, passwordHash: await hashPassword(password) }
      return app.mailer
        ? changeSite(app.control, site, (changing) => startSignUp(changing, account))
        : changeSite(app.control, site, (changing) => signUp(changing, account))
    })(),
  )
  if (made instanceof Refusal) {
    const { status, headers } = responseOfRefusal(made)
    const faults = accountFaultsOf(call.reader.words, made)
    return {
      page: signUpPage(call, { username, email, faults, providers: await openProviders(call) }),
      status,
      headers,
    }
  }
  if ('id' in made) return logInAs(call, made.id)
  sendSignUpMail(call, email, made)
  return { page: waitPage(call, email) }
}

function sendSignUpMail(
  call: PageCall,
  to: string,
  made: { token: string } | { owner: { username: string } | undefined },
): void {
  const { words } = call.reader
  const site = call.site.hostname
  if ('token' in made) {
    const link = addressOf(call, `/signup/confirm/${made.token}`)
    sendMailSoon(call, { to, subject: words.signUpMailSubject(site), text: words.signUpMail({ site, link }) })
  } else if (made.owner) {
    const text = words.knownMail({ site, username: made.owner.username, link: addressOf(call, '/password') })
    sendMailSoon(call, { to, subject: words.signUpMailSubject(site), text })
  }
}

/** Mail programs open links by themselves, so a button confirms. */
export const showConfirm: PageHandler = async (call) => {
  const username = await readSignUp(call.site, call.params.token ?? '')
  return { page: confirmPage(call, username), isSecret: true }
}

export const confirm: PageHandler = async (call) => {
  const token = call.params.token ?? ''
  const user = await changeSite(call.app.control, call.site, (changing) => confirmSignUp(changing, token))
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
