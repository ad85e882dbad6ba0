import type { Provider, ProviderAccount } from '../../../../accounts/index.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { tokenField } from '../../../form.ts'
import { writePage } from '../../../frame.ts'
import type { PageCall } from '../../../page-call.ts'
import { linkButton, submitButton, textField } from '../../../parts/controls.ts'
import type { AccountFaults } from '../../account-faults.ts'
import { formFault } from '../../settings/settings-frame.ts'

export function connectFrame({ site, reader }: PageCall, title: string, content: Html, above?: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">${above}<h1 dir="auto">${title}</h1>${content}</div>`,
  })
}

interface Pending {
  provider: Pick<Provider, 'name' | 'title'>
  account: ProviderAccount
}

const accountLine = ({ label }: ProviderAccount): Html =>
  html`<p><strong dir="auto" class="breaks">${label}</strong></p>`

/** For a user who is logged in. */
export function confirmPage(call: PageCall, { provider, account }: Pending): string {
  const { words } = call.reader
  const [title, username] = [provider.title, call.session?.username ?? '']
  return connectFrame(
    call,
    words.connectTitle(title),
    html`${accountLine(account)}
<p dir="auto">${words.connectConfirm({ title, username })}</p>
<form method="post" action="/connect/${provider.name}/link" class="stack">${tokenField(call.reader)}
<p class="actions">${submitButton(words.connectYes)}${linkButton(words.cancel, '/settings/security', { look: 'plain' })}</p>
</form>`,
  )
}

/** For a guest whose account is not connected, and who makes no new user by it. */
export function logInFirstPage(
  call: PageCall,
  { provider, account, step }: Pending & { step: 'unverified' | 'none' },
): string {
  const { words } = call.reader
  return connectFrame(
    call,
    words.connectTitle(provider.title),
    html`${accountLine(account)}
<p dir="auto">${words.connectNone(provider.title)}</p><p>${words.connectNoneText}</p>
<p>${linkButton(words.connectLogIn, logInAndBack(provider))}</p>
${step === 'unverified' ? html`<p class="soft" dir="auto">${words.connectUnverified(provider.title)}</p>` : undefined}`,
  )
}

/** The account is connected after a log-in by password or passkey, and the second step. */
const logInAndBack = ({ name }: Pick<Provider, 'name'>) =>
  `/login?to=${encodeURIComponent(`/connect/${name}/account`)}`

export function newUserPage(
  call: PageCall,
  { provider, account, username, faults = {} }: Pending & { username: string; faults?: AccountFaults },
): string {
  const { words } = call.reader
  return connectFrame(
    call,
    words.connectNew(provider.title),
    html`${accountLine(account)}
<p>${words.connectNewText}</p>
<form method="post" action="/connect/${provider.name}/signup" class="stack">
${formFault(faults.form ?? faults.email)}
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
    autofocus: true,
  },
})}
<p>${submitButton(words.signUp)}</p>
</form>
<p class="soft">${words.connectHaveOne} <a href="${logInAndBack(provider)}">${words.connectLogIn}</a></p>`,
  )
}
