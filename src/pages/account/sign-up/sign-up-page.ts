import type { Provider } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Words } from '../../../words/en.ts'
import { tokenField } from '../../form.ts'
import { writePage } from '../../frame.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton, textField } from '../../parts/controls.ts'
import type { AccountFaults } from '../account-faults.ts'
import { providerButtons } from '../log-in/connect/provider-buttons.ts'
import { isUnencrypted } from '../log-in/log-in.ts'
import { openLine } from '../log-in/log-in-page.ts'
import { formFault } from '../settings/settings-frame.ts'

interface SignUpForm {
  /** Those that make new users. */
  providers: readonly Pick<Provider, 'name' | 'title'>[]
  username: string
  email: string
  faults?: AccountFaults
}

function pageOf({ site, reader }: PageCall, title: string, content: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question"><h1>${title}</h1>${content}</div>`,
  })
}

export function signUpPage(call: PageCall, { username, email, providers, faults = {} }: SignUpForm): string {
  const { reader, app } = call
  const { words } = reader
  const first = faults.username !== undefined || faults.email === undefined ? 'username' : 'email'
  const content = html`${isUnencrypted(call) ? openLine(words) : undefined}
<form method="post" action="/signup" class="stack">
${formFault(faults.form)}
${textField({
  label: words.username,
  name: 'username',
  value: username,
  hint: words.usernameHint,
  fault: faults.username,
  more: {
    autocomplete: 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    minlength: 3,
    maxlength: 32,
    autofocus: first === 'username',
  },
})}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  ...(app.mailer && { hint: words.emailConfirmHint }),
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: first === 'email' },
})}
${app.mailer ? undefined : passwordField(words, faults)}
<p>${submitButton(words.signUp)}</p>
</form>
${providerButtons(providers, { label: words.signUpWith, to: '/' })}
<p class="soft">${words.haveAccount} <a href="/login">${words.logIn}</a></p>`
  return pageOf(call, words.signUp, content)
}

const passwordField = (words: Words, { password: fault }: AccountFaults, isFirst = false): Html =>
  textField({
    label: words.password,
    name: 'password',
    hint: words.passwordHint,
    fault,
    more: {
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      minlength: 8,
      autofocus: isFirst,
    },
  })

export const waitPage = (call: PageCall, email: string): string =>
  pageOf(
    call,
    call.reader.words.mailSent,
    html`<p>${call.reader.words.signUpSent(email)}</p><p class="soft">${call.reader.words.mailMissing}</p>`,
  )

export function confirmPage(
  call: PageCall,
  { username, faults = {} }: { username: string; faults?: AccountFaults },
): string {
  const { words } = call.reader
  const content = html`<p dir="auto">${words.confirmText(username)}</p>
<form method="post" class="stack">${tokenField(call.reader)}
<input name="username" value="${username}" type="text" autocomplete="username" readonly hidden>
${passwordField(words, faults, true)}
<p>${submitButton(words.confirmYes)}</p></form>`
  return pageOf(call, words.confirmTitle, content)
}
