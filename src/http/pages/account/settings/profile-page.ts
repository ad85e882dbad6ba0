import { html } from '../../../responses/html.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton } from '../../parts/controls/button.ts'
import { checkField, textField } from '../../parts/controls/field.ts'
import type { AccountFaults } from '../account-faults.ts'
import { hiddenName, proofField } from '../proof.ts'
import { formFault, settingsPage, settingsPart } from './settings-frame.ts'

interface Profile {
  email: string
  faults?: AccountFaults
}

export function profilePage(call: PageCall, { email, faults = {} }: Profile): string {
  const { reader, session } = call
  const { words } = reader
  const account = html`<form method="post" action="/settings/email" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  ...{ label: words.username, name: 'name', value: session?.username ?? '', hint: words.usernameFixed },
  more: { readonly: true, autocomplete: 'username', dir: 'auto' },
})}
${textField({
  ...{ label: words.email, name: 'email', value: email, fault: faults.email },
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: faults.email !== undefined },
})}
${hiddenName(call)}
${proofField(call, { fault: faults.current })}
<p>${submitButton(words.saveEmail)}</p>
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
    html`${settingsPart(words.settingsProfile, account)}${settingsPart(words.keyboard, keys)}`,
  )
}
