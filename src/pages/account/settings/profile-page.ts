import type { ListedUser } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { checkField, submitButton, textField } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import type { AccountFaults } from '../account-faults.ts'
import { hiddenName, proofField } from '../proof.ts'
import { formFault, settingsPage, settingsPart } from './settings-frame.ts'

interface Profile {
  user: ListedUser
  /** As it was entered, if it was refused. */
  email?: string
  faults?: AccountFaults
}

export function profilePage(
  call: PageCall,
  { user, email = user.email ?? '', faults = {} }: Profile,
): string {
  const { reader, session, app } = call
  const { words } = reader
  const isUnconfirmed = app.mailer && user.email !== undefined && !user.emailConfirmedAt
  const account = html`<form method="post" action="/settings/email" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.username,
  name: 'name',
  value: session?.username ?? '',
  hint: words.usernameFixed,
  more: { readonly: true, autocomplete: 'username', dir: 'auto' },
})}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  ...(isUnconfirmed && !user.pendingEmail && { hint: words.emailUnconfirmed }),
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: faults.email !== undefined },
})}
${hiddenName(call)}
${proofField(call)}
<p>${submitButton(isUnconfirmed && !user.pendingEmail ? words.emailSendLink : words.saveEmail)}</p>
</form>`
  const keys = html`<form method="post" action="/settings/page-keys" class="stack">
${tokenField(reader)}
<p class="soft">${words.pageKeysText}</p>
${checkField({ label: words.keysSwitch, name: 'letter-keys', isOn: session?.preferences.hasLetterKeys ?? true })}
<p>${submitButton(words.save, { look: 'plain' })}</p>
</form>`
  return settingsPage(
    call,
    '/settings',
    html`${settingsPart(words.settingsProfile, html`${pendingPart(call, user)}${account}`)}${settingsPart(words.keyboard, keys)}`,
  )
}

/** The address that waits, with another mail to it and a way back. */
function pendingPart(call: PageCall, { email, pendingEmail }: ListedUser): Html | undefined {
  const { reader } = call
  const { words } = reader
  if (pendingEmail === undefined) return undefined
  const cancel = submitButton(words.emailCancel, {
    look: 'plain',
    more: { formaction: '/settings/email/cancel', formnovalidate: true },
  })
  const text = html`<p class="breaks" dir="auto">${words.emailPending(pendingEmail)}</p>
${email === undefined ? undefined : html`<p>${words.emailPendingText}</p>`}`
  return html`${banner(text)}
<form method="post" action="/settings/email" class="stack">
${tokenField(reader)}
<input name="email" value="${pendingEmail}" type="hidden">
${hiddenName(call)}
${proofField(call, { id: 'current-resend' })}
<p class="actions">${submitButton(words.emailResend, { look: 'plain' })}${cancel}</p>
</form>`
}
