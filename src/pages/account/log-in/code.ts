import { type HalfLogIn, openHalfLogIn, takeCode } from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { endedStepCookie, openStepCookie } from '../../../http/session/session-cookie.ts'
import { siteKey } from '../../../http/site-key.ts'
import { html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { codeForm } from '../../../ui/code-form.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { writePage } from '../../frame.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { codeFault } from '../account-faults.ts'
import { startSession } from './log-in.ts'

/** The second step of a log-in whose password was right. */
export const showCode: PageHandler = async (call) => {
  const logIn = await halfLogInOf(call)
  return logIn instanceof Refusal ? beginAgain(call) : { page: codePage(call) }
}

/** Opens a session of its own: no token from before the second step opens anything. */
export const sendCode: PageHandler = async (call) => {
  const { app, site, request, form } = call
  const logIn = await halfLogInOf(call)
  if (logIn instanceof Refusal) return beginAgain(call)
  const given = { userId: logIn.userId, code: form.get('code') ?? '', key: siteKey(app, site, 'log-ins') }
  const taken = await orRefusal(changeSite(app.control, site, (changing) => takeCode(changing, given)))
  if (taken instanceof Refusal) {
    const { status, headers } = responseOfRefusal(taken)
    return { page: codePage(call, codeFault(call.reader, taken)), status, headers }
  }
  const cookies = await startSession(call, { ...logIn, factor: taken })
  return {
    to: logIn.to,
    headers: { 'set-cookie': [...cookies, endedStepCookie(app, request, 'terrace-login')] },
  }
}

const halfLogInOf = ({ app, site, request }: PageCall): Promise<HalfLogIn | Refusal> =>
  orRefusal(
    openStepCookie(app, request, {
      name: 'terrace-login',
      open: (sealed) => openHalfLogIn(site, siteKey(app, site, 'log-ins'), sealed),
    }),
  )

const beginAgain = ({ app, request, session }: PageCall): PageAnswer => ({
  to: session ? '/' : '/login?ended=1',
  headers: { 'set-cookie': endedStepCookie(app, request, 'terrace-login') },
})

function codePage({ site, reader }: PageCall, fault?: string): string {
  const { words } = reader
  return writePage({
    siteName: site.hostname,
    title: `${fault === undefined ? words.codeTitle : words.logInRefused} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.codeTitle}</h1>
${codeForm(reader, { action: '/login/code', logIn: '/login', fault })}
</div>`,
  })
}
