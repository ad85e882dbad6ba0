import {
  checkChosenPassword,
  countRequest,
  createResetLink,
  hashPassword,
  readResetLink,
  resetByLink,
} from '../../../../accounts/index.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { responseOfRefusal } from '../../../responses/errors.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { addressOf, sendMailSoon } from '../send-mail.ts'
import { checkedEmail } from '../settings/checked-account.ts'
import { askedPage, askPage, newPasswordPage } from './reset-page.ts'

export const showReset: PageHandler = async (call) => ({ page: askPage(call, { email: '' }) })

/** One answer for all addresses, so that it tells no one who has an account. */
export const askReset: PageHandler = async (call) => {
  const { app, site, request, form } = call
  const email = form.get('email')?.trim() ?? ''
  if (!app.mailer) return { page: askPage(call, { email }), status: 503 }
  const refusal = await orRefusal(
    (async () => {
      checkedEmail(email)
      const counted = { purpose: 'reset', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted), { keepsStats: true })
    })(),
  )
  if (refusal instanceof Refusal) {
    const { status, headers } = responseOfRefusal(refusal)
    const faults = accountFaultsOf(call.reader.words, refusal)
    return { page: askPage(call, { email, faults }), status, headers }
  }
  const made = await changeSite(app.control, site, (changing) => createResetLink(changing, email))
  if (made) mailLink(call, made.user, made.token)
  return { page: askedPage(call, email) }
}

function mailLink(call: PageCall, user: { username: string; email: string }, token: string): void {
  const { words } = call.reader
  const link = addressOf(call, `/password/${token}`)
  const site = call.site.hostname
  const text = words.resetMail({ site, username: user.username, link })
  sendMailSoon(call, { to: user.email, subject: words.resetMailSubject(site), text })
}

export const showNewPassword: PageHandler = async (call) => {
  const user = await readResetLink(call.site, tokenOf(call))
  return { page: newPasswordPage(call, { username: user.username }), isSecret: true }
}

export const setNewPassword: PageHandler = async (call) => {
  const { app, site, form } = call
  const token = tokenOf(call)
  const user = await readResetLink(site, token)
  const password = form.get('password') ?? ''
  const refusal = await orRefusal(checkChosenPassword(site, password, [user.username, user.email]))
  if (refusal instanceof Refusal) {
    const faults = accountFaultsOf(call.reader.words, refusal)
    return { page: newPasswordPage(call, { username: user.username, faults }), status: 400, isSecret: true }
  }
  const passwordHash = await hashPassword(password)
  await changeSite(app.control, site, (changing) => resetByLink(changing, { token, passwordHash }))
  return { to: '/login?reset=1' }
}

const tokenOf = ({ params }: PageCall): string => params.token ?? ''
