import { type Html, html } from '../../lib/html.ts'
import type { Plan } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { writeNumber } from '../../words/format.ts'
import { type ConsoleCall, consolePath } from '../console-call.ts'
import { planOptions } from './tenant-fields.ts'
import { fieldsOf, type TenantQuery } from './tenant-query.ts'

interface BulkForm {
  query: TenantQuery
  table: Html
  /** That the filter has found, on all pages. */
  count: number
  plans: readonly Plan[]
}

/** The list as a form. If all are chosen, the style sheet shows how many in every button. */
export function bulkForm({ reader }: ConsoleCall, { query, table, count, plans }: BulkForm): Html {
  const { words, language } = reader
  const number = writeNumber(language, count)
  const press = (action: 'enable' | 'disable' | 'plan', label: string) =>
    html`<button class="button plain dense" name="action" value="${action}">${label}<span class="if-all"> ${words.tenantsAll(number)}</span></button>`
  const options = planOptions(words, plans).map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  )
  return html`<form method="post" action="${consolePath('tenants/bulk')}" class="bulk stack" autocomplete="off">
${tokenField(reader)}
${fieldsOf(query).map(([name, value]) => html`<input name="${name}" value="${value}" type="hidden">`)}
<fieldset class="bulk-bar"><legend class="only-read">${words.tenantsChange}</legend>
<label class="check"><input type="checkbox" name="all" value="1">${words.tenantsSelectAll(number)}</label>
${press('enable', words.tenantEnable)}${press('disable', words.tenantDisable)}
<span class="row-form"><label for="bulk-plan">${words.tenantPlan}</label><select class="input" id="bulk-plan" name="plan_id">${options}</select>${press('plan', words.tenantSetPlan)}</span>
</fieldset>
${table}
</form>`
}
