import { type Html, html } from '../../lib/html.ts'
import { tokenField } from '../form.ts'
import { writePage } from '../frame.ts'
import type { PageCall } from '../page-call.ts'
import { linkButton, submitButton, textField } from '../parts/controls.ts'
import { banner } from '../parts/states.ts'
import type { AccountFaults } from './account-faults.ts'
import { formFault } from './settings/settings-frame.ts'

function questionPage({ site, reader }: PageCall, title: string, content: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question"><h1>${title}</h1>${content}</div>`,
  })
}

/** Without a mail server the page says whom to ask. */
export function askPage(
  call: PageCall,
  { email, faults = {} }: { email: string; faults?: AccountFaults },
): string {
  const { reader, app } = call
  const { words } = reader
  if (!app.mailer)
    return questionPage(
      call,
      words.resetTitle,
      html`${banner(html`<p>${words.noMail}</p>`, 'warn')}<p>${linkButton(words.logIn, '/login', { look: 'plain' })}</p>`,
    )
  return questionPage(
    call,
    words.resetTitle,
    html`<p>${words.resetText}</p>
<form method="post" action="/password" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: true },
})}
<p>${submitButton(words.resetSend)}</p>
</form>`,
  )
}

export const askedPage = (call: PageCall, email: string): string =>
  questionPage(
    call,
    call.reader.words.mailSent,
    html`<p>${call.reader.words.resetSent(email)}</p><p class="soft">${call.reader.words.mailMissing}</p>`,
  )

export function newPasswordPage(
  call: PageCall,
  { username, faults = {} }: { username: string; faults?: AccountFaults },
): string {
  const { reader } = call
  const { words } = reader
  return questionPage(
    call,
    words.newPasswordTitle,
    html`<p>${words.newPasswordText(username)}</p>
<form method="post" class="stack">
${tokenField(reader)}
<input name="username" value="${username}" type="text" autocomplete="username" readonly hidden>
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.password,
  more: {
    type: 'password',
    autocomplete: 'new-password',
    required: true,
    minlength: 8,
    autofocus: true,
  },
})}
<p>${submitButton(words.newPasswordSave)}</p>
</form>`,
  )
}
