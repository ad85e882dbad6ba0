import type { Provider } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Refusal } from '../../../lib/refusal.ts'
import type { Words } from '../../../words/en.ts'
import { writePage } from '../../frame.ts'
import { checkField, submitButton, textField } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import type { Reader } from '../../reader.ts'
import { refusalText } from '../../refusal-words.ts'
import { passkeyForm } from '../security/passkey-form.ts'
import { providerButtons } from './connect/provider-buttons.ts'

export interface LogInForm {
  siteName: string
  reader: Reader
  login: string
  isLasting: boolean
  /** Where the log-in leads. */
  to: string
  /** Of the last attempt. */
  refusal?: Refusal
  /** Whether a passkey can be used instead: never on an open line. */
  hasPasskeys?: boolean
  /** Where a person logs in by an account elsewhere. */
  providers: readonly Pick<Provider, 'name' | 'title'>[]
  /** Others can read what is sent: plain http to another machine. */
  isUnencrypted: boolean
  /** What has just happened, such as a new password. */
  done?: string
  /** Why the person is here again. */
  notice?: string
}

export function logInPage(form: LogInForm): string {
  const { siteName, reader } = form
  const { words } = reader
  return writePage({
    siteName,
    title: `${form.refusal ? words.logInRefused : words.logIn} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.logIn}</h1>
${form.done === undefined ? undefined : banner(html`<p>${form.done}</p>`, 'good')}
${form.notice === undefined ? undefined : banner(html`<p>${form.notice}</p>`, 'warn')}
${form.isUnencrypted ? openLine(words) : undefined}
${logInForm(form)}
${form.hasPasskeys ? passkeyForm(form, { action: '/login/passkey', to: form.to, isConditional: true }) : undefined}
${logInButtons(form)}
${formLinks(reader)}
</div>`,
  })
}

export const openLine = (words: Words): Html => banner(html`<p>${words.openLine}</p>`, 'warn')

export const logInButtons = ({ reader: { words }, providers, to }: LogInForm): Html | undefined =>
  providerButtons(providers, { label: words.logInWith, to })

/** Also shown on the front page of a site that takes no uploads of guests. */
export function logInForm({ reader, login, isLasting, to, refusal, hasPasskeys }: LogInForm): Html {
  const { words } = reader
  const isTaken = login !== ''
  return html`<form method="post" action="/login" class="stack">
<input name="to" value="${to}" type="hidden">
${textField({
  label: words.loginLabel,
  name: 'login',
  value: login,
  more: {
    autocomplete: hasPasskeys ? 'username webauthn' : 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    autofocus: !isTaken,
  },
})}
${textField({
  label: words.password,
  name: 'password',
  fault: refusal && faultOf(reader, refusal),
  more: { type: 'password', autocomplete: 'current-password', required: true, autofocus: isTaken },
})}
${checkField({ label: words.stayLoggedIn, name: 'stay', isOn: isLasting })}
<p>${submitButton(words.logIn)}</p>
</form>`
}

function faultOf(reader: Reader, refusal: Refusal): string {
  const { words } = reader
  const { code, retryAfterSeconds = 0 } = refusal
  if (code === 'too-many-logins') return words.logInTooMany(String(Math.ceil(retryAfterSeconds / 60)))
  if (code === 'log-in-slowed') return words.logInSlowed(String(retryAfterSeconds))
  return code === 'unauthenticated' ? words.logInWrong : refusalText(reader, refusal)
}

function formLinks({ words, account }: Reader): Html {
  const signUp = account?.isSignUpOpen ? html`<a href="/signup">${words.signUp}</a>` : undefined
  return html`<p class="form-links"><a href="/password">${words.forgotten}</a>${signUp}</p>`
}
