import { findUserByName } from '../../../accounts/index.ts'
import { badRequest, responseOfRefusal } from '../../../http/responses/errors.ts'
import { html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  type FilesOfRemovedUser,
  readUserSummary,
  removeUserAs,
  type UserSummary,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { choice, linkButton, submitButton, textField } from '../../../ui/parts/controls.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { proofField } from '../../account/proof.ts'
import { formFault } from '../../account/settings/settings-frame.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage } from '../dashboard-frame.ts'
import { userFault, versionCheck } from './edit-user.ts'

interface DeletionFaults {
  form?: string
  heir?: string
  confirm?: string
}

export const showDeleteUser: PageHandler = async (call) => ({
  page: deletionPage(call, await personIn(call), {}),
})

/** An account cannot come back, so its name is typed. */
export const postDeleteUser: PageHandler = async (call) => {
  const { app, site, form, reader } = call
  const { words } = reader
  const person = await personIn(call)
  const shownAgain = (faults: DeletionFaults) => ({ page: deletionPage(call, person, faults), status: 400 })
  if (form.get('confirm')?.trim() !== person.username) return shownAgain({ confirm: words.typeUsername })
  const files = await filesIn(call)
  if (!files) return shownAgain({ heir: words.noSuchHeir })
  const removal = { id: person.id, files, checkVersion: versionCheck(form) }
  const removed = await orRefusal(
    changeSite(app.control, site, (changing) => removeUserAs(changing, userOf(call), removal)),
  )
  if (!(removed instanceof Refusal)) return { to: '/dashboard/users?deleted=1' }
  const { status, headers } = responseOfRefusal(removed)
  return { page: deletionPage(call, person, { form: userFault(call.reader, removed) }), status, headers }
}

const personIn = (call: PageCall): Promise<UserSummary> =>
  readUserSummary(call.site, userOf(call), call.params.id ?? '')

/** Undefined if there is no user of the name that shall get the files. */
async function filesIn({ site, form }: PageCall): Promise<FilesOfRemovedUser | undefined> {
  const files = form.get('files')
  if (files === 'keep' || files === 'trash') return files
  if (files !== 'give') throw badRequest('files: must be one of keep, trash, give')
  const heir = await findUserByName(site.db, form.get('heir')?.trim() ?? '')
  return heir && { userId: heir.id }
}

function deletionPage(call: PageCall, person: UserSummary, faults: DeletionFaults): string {
  const { reader, form } = call
  const { words } = reader
  const options = (['trash', 'keep', 'give'] as const).map((each) => [each, words.filesOfUser[each]] as const)
  const content = html`<form method="post" action="/dashboard/users/${person.id}/delete" class="stack narrow">
${tokenField(reader)}<input name="version" value="${person.version}" type="hidden">
${formFault(faults.form)}
<p>${words.deleteUserText}</p>
${choice({ legend: words.filesOfUserLabel, name: 'files', options, chosen: form.get('files') ?? 'trash' })}
${textField({
  label: words.heir,
  name: 'heir',
  value: form.get('heir') ?? '',
  hint: words.heirHint,
  fault: faults.heir,
  more: { autocomplete: 'off', autocapitalize: 'off', maxlength: 32 },
})}
${textField({
  label: words.typeUsernameLabel(person.username),
  name: 'confirm',
  value: form.get('confirm') ?? '',
  fault: faults.confirm,
  more: { required: true, autocomplete: 'off', autocapitalize: 'off', maxlength: 32 },
})}
${proofField(call)}
<p class="actions">${submitButton(words.deleteUser, { look: 'danger' })}${linkButton(words.cancel, `/dashboard/users/${person.id}`, { look: 'plain' })}</p>
</form>`
  return dashboardPage(call, {
    part: '/dashboard/users',
    title: words.deleteUserNamed(person.username),
    content,
  })
}
