import { html } from '../../lib/html.ts'
import { deleteTenant, readReadableTenant } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { choice, linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { writeCount, writeSize } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'

export const showDelete: ConsoleHandler = async (call) => ({ page: await deletePage(call) })

export const dropsTables = ({ form }: ConsoleCall): boolean => form.get('drop_tables') === '1'

export const postDelete: ConsoleHandler = async (call) => {
  const { control, form, params, reader } = call
  const { id = '' } = params
  if (form.get('confirm')?.trim() !== id)
    return { page: await deletePage(call, reader.words.tenantDeleteWrong(id)), status: 400 }
  await deleteTenant(control, id, { dropTables: dropsTables(call) })
  return { to: `${consolePath('tenants')}?deleted=${encodeURIComponent(id)}` }
}

async function deletePage(call: ConsoleCall, fault?: string): Promise<string> {
  const { control, params, reader, form } = call
  const { words, language } = reader
  const tenant = await readReadableTenant(control, params.id ?? '')
  const { id, stats } = tenant
  const lost = [
    writeCount(language, words.tenantFilesLost, stats.files),
    writeSize(language, stats.storageUsed),
    writeCount(language, words.tenantUsersLost, stats.users),
  ].join(', ')
  const options = [
    ['0', words.tenantKeep],
    ['1', words.tenantDrop],
  ] as const
  const content = html`${banner(html`<p>${words.tenantDeleteText(tenant.hostname)}</p>`, 'warn')}
<form method="post" action="${consolePath(`tenants/${id}/delete`)}" class="stack narrow">
${tokenField(reader)}
<div class="stack"><p id="tables"><strong>${words.tenantTables}</strong> <span class="soft">${tenant.isInstalled ? lost : words.tenantStates['not-installed']}</span></p>
${choice({ legend: words.tenantTables, name: 'drop_tables', options, chosen: dropsTables(call) ? '1' : '0' })}
<p class="soft">${words.tenantKeepText}</p></div>
${textField({
  label: words.tenantDeleteConfirm(id),
  name: 'confirm',
  value: form.get('confirm') ?? '',
  fault,
  more: { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' },
})}
<p class="actions">${submitButton(words.tenantDelete, { look: 'danger' })}${linkButton(words.cancel, tenantPath(id), { look: 'plain' })}</p>
</form>`
  return consolePage(call, { part: 'tenants', title: words.tenantDeleteTitle(id), content })
}
