import { confirmAddress, isSameAddress, readAddressLink } from '../../accounts/index.ts'
import { notify } from '../../http/mails/send-mail.ts'
import { html } from '../../lib/html.ts'
import { changeSite } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import { writePage } from '../frame.ts'
import type { PageHandler } from '../page-call.ts'

/** Mail programs open links by themselves, so a button confirms. */
export const showAddress: PageHandler = async (call) => {
  const { site, reader, params } = call
  const { words } = reader
  const { pendingEmail: email, username } = await readAddressLink(site, params.token ?? '')
  const page = writePage({
    siteName: site.hostname,
    title: `${words.addressTitle} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question"><h1>${words.addressTitle}</h1>
<p class="breaks" dir="auto">${words.addressText({ email, username })}</p>
<form method="post" class="stack">${tokenField(reader)}<p>${submitButton(words.addressYes)}</p></form></div>`,
  })
  return { page, isSecret: true }
}

/** Who has the mailbox confirms, logged in or not. */
export const postAddress: PageHandler = async (call) => {
  const { app, site, session, params } = call
  const { user, oldEmail } = await changeSite(app.control, site, (changing) =>
    confirmAddress(changing, params.token ?? ''),
  )
  if (!isSameAddress(user.email, oldEmail))
    await notify(call, { userId: user.id, notice: 'address-changed', to: oldEmail })
  return { to: session?.caller.userId === user.id ? '/settings?saved=1' : '/login?confirmed=1' }
}
