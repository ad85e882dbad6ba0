import { addUserAs, checkChosenAccount, hashPassword } from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { selectField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type AccountFaults, accountFaultsOf } from '../../account/account-faults.ts'
import { proofField } from '../../account/proof.ts'
import { formFault } from '../../account/settings/settings-frame.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage } from '../dashboard-frame.ts'
import { roleIn } from './edit-user.ts'

export const showNewUser: PageHandler = async (call) => ({ page: newUserPage(call, {}) })

export const postNewUser: PageHandler = async (call) => {
  const { app, site, form } = call
  const role = roleIn(form)
  const added = await orRefusal(
    (async () => {
      const account = { username: form.get('username')?.trim() ?? '', email: form.get('email')?.trim() ?? '' }
      const password = form.get('password') ?? ''
      await checkChosenAccount(site, { ...account, password })
      const passwordHash = await hashPassword(password)
      return changeSite(app.control, site, (changing) =>
        addUserAs(changing, userOf(call), { ...account, role, passwordHash }),
      )
    })(),
  )
  if (!(added instanceof Refusal)) return { to: `/dashboard/users/${added.id}?saved=1` }
  const { status, headers } = responseOfRefusal(added)
  return { page: newUserPage(call, accountFaultsOf(call.reader, added)), status, headers }
}

function newUserPage(call: PageCall, faults: AccountFaults): string {
  const { words } = call.reader
  return dashboardPage(call, {
    part: '/dashboard/users',
    title: words.newUser,
    content: newUserForm(call, faults),
  })
}

/** A refused form keeps what was typed, but for the password. */
function newUserForm(call: PageCall, faults: AccountFaults): Html {
  const { reader, form } = call
  const { words } = reader
  const roles = (['user', 'manager', 'admin'] as const).map((role) => [role, words.roles[role]] as const)
  return html`<form method="post" action="/dashboard/users/new" class="stack narrow">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.username,
  name: 'username',
  value: form.get('username') ?? '',
  fault: faults.username,
  more: { required: true, maxlength: 32, autocomplete: 'off', autocapitalize: 'off' },
})}
${textField({
  label: words.email,
  name: 'email',
  value: form.get('email') ?? '',
  fault: faults.email,
  more: { type: 'email', required: true, maxlength: 254, autocomplete: 'off' },
})}
${textField({
  label: words.password,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.password,
  more: { type: 'password', required: true, minlength: 8, autocomplete: 'new-password' },
})}
${selectField({ label: words.role, name: 'role', value: form.get('role') ?? 'user', options: roles, hint: words.roleHint })}
${proofField(call)}
<p>${submitButton(words.createUser)}</p>
</form>`
}
