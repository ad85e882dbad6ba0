import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { createInstalledTenant, createTenant, listReadablePlans } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { checkField, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { type FormFaults, noFaults } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath, isKept } from '../console-call.ts'
import { answerOfRefusal, consolePage } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import {
  accountFields,
  accountIn,
  faultsBesides,
  planIn,
  planOptions,
  tenantFaults,
  tenantFields,
} from './tenant-fields.ts'
import { tenantPage } from './tenant-page.ts'

export const showNewTenant: ConsoleHandler = async (call) => ({ page: await newTenantPage(call, noFaults) })

/** With an administrator the tenant is installed, too: both or neither. */
export const postTenant: ConsoleHandler = async (call) => {
  const { control, form } = call
  const account = accountIn(form)
  const tenant = {
    id: form.get('id')?.trim() ?? '',
    hostname: form.get('hostname')?.trim() ?? '',
    isEnabled: isChecked(form, 'is_enabled'),
    planId: planIn(form) ?? undefined,
  }
  const isInstalled = Object.values(account).some((text) => text !== '')
  const made = await orRefusal<{ apiKey?: string }>(
    isInstalled
      ? createInstalledTenant(control, tenant, account)
      : createTenant(control, tenant).then(() => ({})),
  )
  if (made instanceof Refusal)
    return answerOfRefusal(made, await newTenantPage(call, tenantFaults(call, made)))
  if (made.apiKey === undefined) return { to: `${tenantPath(tenant.id)}?saved=1` }
  return { page: await tenantPage(call, tenant.id, { apiKey: made.apiKey }) }
}

const isChecked = (form: URLSearchParams, name: string): boolean =>
  !['', '0', 'false', 'off'].includes(form.get(name) ?? '')

async function newTenantPage(call: ConsoleCall, faults: FormFaults): Promise<string> {
  const { words } = call.reader
  return consolePage(call, {
    part: 'tenants',
    title: words.tenantNew,
    content: await newTenantForm(call, faults),
  })
}

async function newTenantForm(call: ConsoleCall, faults: FormFaults): Promise<Html> {
  const { reader, form, control } = call
  const { words } = reader
  const isFilled = faults.size > 0 || isKept(call)
  const textOf = (name: string) => (isFilled ? (form.get(name) ?? '') : '')
  const more = { required: true, autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false' }
  const plans = planOptions(words, await listReadablePlans(control), textOf('plan_id'))
  return html`<form method="post" action="${consolePath('tenants')}" class="stack narrow">
${tokenField(reader)}
${faultsBesides(faults, tenantFields)}
${textField({ label: words.tenantId, name: 'id', hint: words.tenantIdHint, value: textOf('id'), fault: faults.get('id'), more: { ...more, maxlength: 64 } })}
${textField({ label: words.tenantHostname, name: 'hostname', hint: words.tenantHostnameHint, value: textOf('hostname'), fault: faults.get('hostname'), more: { ...more, maxlength: 253, inputmode: 'url' } })}
${selectField({ label: words.tenantPlan, name: 'plan_id', value: textOf('plan_id'), fault: faults.get('plan_id'), options: plans })}
${checkField({ label: words.tenantStates.enabled, name: 'is_enabled', isOn: !isFilled || isChecked(form, 'is_enabled') })}
<fieldset class="stack"><legend>${words.tenantAdmin}</legend>
<p class="soft">${words.tenantAdminText}</p>
${accountFields(call, faults, false)}
</fieldset>
<p>${submitButton(words.tenantCreate)}</p>
</form>`
}
