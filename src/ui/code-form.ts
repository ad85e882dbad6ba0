import { type Html, html } from '../lib/html.ts'
import { submitButton, textField } from './parts/controls.ts'
import type { Reader } from './reader.ts'

interface CodeForm {
  action: string
  /** The log-in, for another account. */
  logIn: string
  fault?: string | undefined
}

/** Asks for the code of the second step of a log-in. */
export const codeForm = ({ words }: Reader, { action, logIn, fault }: CodeForm): Html =>
  html`<form method="post" action="${action}" class="stack">
${textField({
  label: words.code,
  name: 'code',
  hint: words.codeHint,
  fault,
  more: {
    autocomplete: 'one-time-code',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: 40,
    required: true,
    autofocus: true,
  },
})}
<p>${submitButton(words.logIn)}</p>
</form>
<p class="form-links"><a href="${logIn}">${words.otherAccount}</a></p>`
