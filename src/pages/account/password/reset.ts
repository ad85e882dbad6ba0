import {
  checkChosenPassword,
  countRequest,
  createResetLink,
  hashPassword,
  readResetLink,
  resetByLink,
} from '../../../accounts/index.ts'
import { notify, sendResetMail } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { accountFaultsOf } from '../account-faults.ts'
import { askedPage, askPage, newPasswordPage } from '../reset-password.ts'
import { checkedEmail } from '../settings/checked-account.ts'

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
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
    })(),
  )
  if (refusal instanceof Refusal) {
    const { status, headers } = responseOfRefusal(refusal)
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: askPage(call, { email, faults }), status, headers }
  }
  const asked = { email, kind: 'reset' } as const
  const made = await changeSite(app.control, site, (changing) => createResetLink(changing, asked))
  if (made) sendResetMail(call, made)
  return { page: askedPage(call, email) }
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
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: newPasswordPage(call, { username: user.username, faults }), status: 400, isSecret: true }
  }
  const passwordHash = await hashPassword(password)
  await changeSite(app.control, site, (changing) => resetByLink(changing, { token, passwordHash }))
  await notify(call, { userId: user.id, notice: 'password-changed' })
  return { to: '/login?reset=1' }
}

const tokenOf = ({ params }: PageCall): string => params.token ?? ''
