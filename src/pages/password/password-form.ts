import { type Html, html } from '../../lib/html.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'

interface PasswordForm {
  heading: string
  text: string
  /** What the password belongs to, by which password managers tell it from others. */
  owner: { name: string; id: string }
  label: string
  /** Of the last attempt. */
  fault: string | undefined
  submit: string
}

/** Asks for the password of what the page shows. The form goes to the page's own address. */
export const passwordForm = ({ heading, text, owner, label, fault, submit }: PasswordForm): Html =>
  html`<div class="question">
<h1>${heading}</h1>
<p>${text}</p>
<form method="post" class="ask">
<input name="${owner.name}" value="${owner.id}" type="text" autocomplete="username" readonly hidden>
${textField({
  label,
  name: 'password',
  fault,
  more: { type: 'password', autocomplete: 'current-password', required: true, autofocus: true },
})}
${submitButton(submit)}
</form>
</div>`
