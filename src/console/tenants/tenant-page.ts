import { publicUrl } from '../../http/addresses/public-url.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  type ListedPlan,
  listReadablePlans,
  readReadableTenant,
  readSiteUsers,
  readTenantQuotas,
  type SiteUsers,
  type TenantWithStats,
} from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { type FormFaults, noFaults } from '../../ui/refusal-words.ts'
import { writeCount } from '../../words/format.ts'
import { type ConsoleCall, consolePath, isKept, mayChange } from '../console-call.ts'
import { consolePage, section } from '../frame.ts'
import { unreadableNotice } from '../unreadable-notice.ts'
import { versionField } from '../version-in.ts'
import { accountFields, faultsBesides, planOptions, shownOnce } from './tenant-fields.ts'
import { factsOf, figuresOf, noticesOf, usageOf } from './tenant-figures.ts'
import { stateOf } from './tenant-table.ts'
import { usersIn, usersOf } from './tenant-users.ts'

/** What the last form has left on the page. */
export interface TenantView {
  /** The upload key of the administrator, this once. */
  apiKey?: string
  /** The new password of a user, this once. */
  reset?: { username: string; password: string }
  /** Of the form that was refused: its fields keep what was sent. */
  edit?: FormFaults
  install?: FormFaults
  /** What another operator has changed since the form was opened. */
  conflict?: Html
}

export async function tenantPage(call: ConsoleCall, id: string, view: TenantView = {}): Promise<string> {
  const { control, reader } = call
  const { words } = reader
  const tenant = await readReadableTenant(control, id)
  const plans = await listReadablePlans(control)
  const plan = plans.find((each) => each.id === tenant.planId && each.isUnreadable)
  const hasValues = !tenant.isUnreadable && plan === undefined
  const found = hasValues ? await siteOf(call, tenant) : undefined
  const site = typeof found === 'object' ? found : undefined
  const unreadable = { tenant: tenant.isUnreadable, plan: plan?.id, location: found === 'unreadable' }
  const content = html`${onceOf(call, view)}${unreadableNotice(reader, unreadable)}${found === 'silent' ? banner(html`<p>${words.tenantSiteSilent}</p>`, 'danger') : site && noticesOf(reader, site.quotas)}
${factsOf(call, tenant)}
${tenant.isInstalled ? await figuresOf(call, tenant, { hasValues, quotas: site?.quotas }) : undefined}
${!tenant.isInstalled && hasValues && mayChange(call) ? installForm(call, tenant, view.install ?? noFaults) : undefined}
${mayChange(call) ? editForm(call, { tenant, plans, passkeys: site?.passkeys ?? 0, view }) : undefined}
${tenant.isInstalled && hasValues ? await usageOf(call, tenant) : undefined}
${site && tenant.isInstalled ? usersOf(call, tenant, site.users) : undefined}`
  return consolePage(call, { part: 'tenants', title: id, actions: actionsOf(call, tenant), content })
}

/** What the site itself knows, unless its database does not answer, or no key decrypts where it is. */
async function siteOf(call: ConsoleCall, tenant: TenantWithStats) {
  try {
    const { users, passkeys }: SiteUsers = await readSiteUsers(call.control, tenant, usersIn(call.query))
    return { users, passkeys, quotas: await readTenantQuotas(call.control, tenant.id) }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'unavailable') throw error
    return error.code === 'cannot-decrypt' ? 'unreadable' : 'silent'
  }
}

function onceOf({ reader }: ConsoleCall, { apiKey, reset }: TenantView): Html | undefined {
  const { words } = reader
  if (apiKey !== undefined) return shownOnce(reader, words.tenantKeyOnce, words.tenantKey, apiKey)
  return reset && shownOnce(reader, words.tenantPasswordOnce(reset.username), words.password, reset.password)
}

function actionsOf(call: ConsoleCall, tenant: TenantWithStats): Html {
  const { app, reader, request } = call
  const { words } = reader
  const { id, hostname, isEnabled, isInstalled } = tenant
  const link = (label: string, path: string) => linkButton(label, consolePath(path), { look: 'quiet' })
  const site = publicUrl(app.config, hostname, request.client.scheme)
  const [verb, label] = isEnabled ? ['disable', words.tenantDisable] : ['enable', words.tenantEnable]
  const change = html`<form method="post" action="${consolePath(`tenants/${id}/${verb}`)}">${tokenField(reader)}${submitButton(label, { look: 'plain' })}</form>
${linkButton(words.consoleDelete, consolePath(`tenants/${id}/delete`), { look: 'danger' })}`
  return html`<div class="actions">${stateOf(call, tenant)}
${isEnabled && isInstalled ? linkButton(words.tenantOpen, site, { look: 'quiet', icon: 'open', more: { rel: 'noopener' } }) : undefined}
${link(words.tenantValues, `tenants/${id}/values`)}${link(words.tenantPlace, `tenants/${id}/place`)}${link(words.consoleJobs, `jobs?q=${id}`)}${link(words.consoleAudit, `audit?target=${id}`)}
${mayChange(call) ? change : undefined}</div>`
}

interface EditView {
  tenant: TenantWithStats
  plans: readonly ListedPlan[]
  passkeys: number
  view: TenantView
}

/** Carries the version that it was written from: a change by another operator is not overwritten unseen. */
function editForm(call: ConsoleCall, { tenant, plans, passkeys, view }: EditView): Html {
  const { reader, form } = call
  const { words, language } = reader
  const { edit: faults = noFaults, conflict } = view
  const isAgain = isKept(call) && form.has('hostname')
  const isFilled = isAgain || faults.size > 0 || conflict !== undefined
  const hostname = isFilled ? (form.get('hostname') ?? tenant.hostname) : tenant.hostname
  const planId = isFilled ? (form.get('plan_id') ?? '') : (tenant.planId ?? '')
  const hint =
    passkeys === 0 ? words.tenantHostnameHint : writeCount(language, words.tenantPasskeys, passkeys)
  return section(
    words.tenantSettings,
    html`<form method="post" action="${consolePath(`tenants/${tenant.id}`)}" class="stack">
${tokenField(reader)}${versionField(tenant, call)}
${conflict}
${faultsBesides(faults, ['hostname', 'plan_id'])}
${textField({ label: words.tenantHostname, name: 'hostname', hint, value: hostname, fault: faults.get('hostname'), more: { required: true, maxlength: 253, inputmode: 'url', autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false' } })}
${selectField({ label: words.tenantPlan, name: 'plan_id', value: planId, fault: faults.get('plan_id'), options: planOptions(words, plans, planId), more: { autocomplete: 'off' } })}
<p>${submitButton(words.save)}</p>
</form>`,
  )
}

function installForm(call: ConsoleCall, { id }: TenantWithStats, faults: FormFaults): Html {
  const { reader } = call
  const { words } = reader
  return section(
    words.tenantInstall,
    html`<form method="post" action="${consolePath(`tenants/${id}/install`)}" class="stack">
${tokenField(reader)}
<p class="soft">${words.tenantInstallText}</p>
${faultsBesides(faults, ['username', 'email', 'password'])}
${accountFields(call, faults, true)}
<p>${submitButton(words.tenantInstall)}</p>
</form>`,
  )
}
