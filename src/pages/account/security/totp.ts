import {
  disableTotp,
  enableTotp,
  hasTotp,
  noTotp,
  readTotp,
  renewRecoveryCodes,
  takeCode,
  totpSetUp,
  type UserCaller,
} from '../../../accounts/index.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { siteKey } from '../../../http/site-key.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { codeFault } from './code-fault.ts'
import { recoveryCodesPage, totpPage } from './totp-page.ts'

export const showTotp: PageHandler = async (call) => pageOf(call)

export const switchOnTotp: PageHandler = async (call) => {
  const { app, site, form } = call
  const sealed = form.get('setup') ?? ''
  const given = { sealed, code: form.get('code') ?? '', key: keyOf(call) }
  const codes = await orRefusal(
    changeSite(app.control, site, (changing) => enableTotp(changing, userOf(call), given)),
  )
  if (!(codes instanceof Refusal)) {
    await notify(call, { userId: userOf(call).userId, notice: 'second-step-on' })
    return { page: recoveryCodesPage(call, codes, true), isSecret: true }
  }
  const { status, headers } = responseOfRefusal(codes)
  const fault = codeFault(call.reader, codes)
  return { ...(await pageOf(call, { sealed, fault })), status, headers }
}

export const renewCodes: PageHandler = async (call) => {
  const codes = await withCode(call, renewRecoveryCodes)
  if (codes instanceof Refusal) return refused(call, 'codes', codes)
  return { page: recoveryCodesPage(call, codes, false), isSecret: true }
}

export const switchOffTotp: PageHandler = async (call) => {
  const done = await withCode(call, disableTotp)
  if (done instanceof Refusal) return refused(call, 'off', done)
  await notify(call, { userId: userOf(call).userId, notice: 'second-step-off' })
  return { to: '/settings/security?saved=1' }
}

/** Changes the second step for a code of it: a password that was found out must not be enough to take it over. */
function withCode<T>(
  call: PageCall,
  change: (site: ChangingSite, caller: UserCaller) => Promise<T>,
): Promise<T | Refusal> {
  const caller = userOf(call)
  const given = { userId: caller.userId, code: call.form.get('code') ?? '', key: keyOf(call) }
  return orRefusal(
    changeSite(call.app.control, call.site, async (changing) => {
      if (!(await hasTotp(changing, caller.userId))) throw noTotp()
      await takeCode(changing, given)
      return change(changing, caller)
    }),
  )
}

async function refused(call: PageCall, form: 'codes' | 'off', refusal: Refusal): Promise<PageAnswer> {
  if (refusal.kind === 'conflict') throw refusal
  const { status, headers } = responseOfRefusal(refusal)
  const fault = codeFault(call.reader, refusal)
  return { ...(await pageOf(call, { fault, form })), status, headers }
}

/** With the secret in it until a code confirms it, so that no cache keeps the page. */
async function pageOf(
  call: PageCall,
  { sealed, fault, form }: { sealed?: string; fault?: string; form?: 'codes' | 'off' } = {},
): Promise<Extract<PageAnswer, { page: string }>> {
  const state = await readTotp(call.site, userOf(call).userId)
  if (state) return { page: totpPage(call, { state, fault, form }), isSecret: true }
  const setUp = totpSetUp(call.site, userOf(call), keyOf(call), sealed)
  return { page: totpPage(call, { setUp, fault }), isSecret: true }
}

const keyOf = ({ app, site }: PageCall) => siteKey(app, site, 'log-ins')
