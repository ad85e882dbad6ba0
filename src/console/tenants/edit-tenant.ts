import { notify } from '../../http/mails/send-mail.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  type EditOfMany,
  editTenant,
  editTenants,
  findTenants,
  installTenant,
  readReadableTenant,
  resetUserPassword,
} from '../../tenants/index.ts'
import { orRefusal } from '../../ui/refused.ts'
import { conflictNotice } from '../conflict-notice.ts'
import type { ConsoleCall, ConsoleHandler } from '../console-call.ts'
import { answerOfRefusal } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import { versionIn } from '../version-in.ts'
import { accountIn, planIn, tenantFaults } from './tenant-fields.ts'
import { tenantPage } from './tenant-page.ts'
import { listAddress, readTenantFilter, readTenantQuery } from './tenant-query.ts'
import { tenantsPage } from './tenants-page.ts'

export const showTenant: ConsoleHandler = async (call) => ({ page: await tenantPage(call, idIn(call)) })

const idIn = ({ params: { id = '' } }: ConsoleCall) => id

const savedAt = (id: string) => ({ to: `${tenantPath(id)}?saved=1` })

export const saveTenant: ConsoleHandler = async (call) => {
  const { control, form } = call
  const id = idIn(call)
  const edit = { hostname: form.get('hostname')?.trim() ?? '', planId: planIn(form) }
  const saved = await orRefusal(editTenant(control, id, edit, { ifUpdatedAt: versionIn(form) }))
  if (!(saved instanceof Refusal)) return savedAt(id)
  if (saved.kind === 'not-found') throw saved
  if (saved.code === 'tenant-changed')
    return answerOfRefusal(saved, await tenantPage(call, id, { conflict: await conflictOf(call, id) }))
  return answerOfRefusal(saved, await tenantPage(call, id, { edit: tenantFaults(call, saved) }))
}

/** Of what was typed, the fields that say something else now. */
async function conflictOf(call: ConsoleCall, id: string): Promise<Html> {
  const { control, form, reader } = call
  const { words } = reader
  const { hostname, planId } = await readReadableTenant(control, id)
  const fields = [
    [words.tenantHostname, hostname, form.get('hostname')?.trim() ?? ''],
    [words.tenantPlan, planId ?? '', form.get('plan_id') ?? ''],
  ] as const
  const now = fields
    .filter(([, stored, sent]) => stored !== sent)
    .map(([label, stored]) => [label, html`${stored === '' ? words.tenantNoPlan : stored}`] as const)
  const verbs = ['tenant.created', 'tenant.updated', 'tenant.installed'] as const
  return conflictNotice(call, { verbs, target: id, now })
}

const setEnabled =
  (isEnabled: boolean): ConsoleHandler =>
  async (call) => {
    await editTenant(call.control, idIn(call), { isEnabled })
    return savedAt(idIn(call))
  }

export const enableTenant = setEnabled(true)
export const disableTenant = setEnabled(false)

export const postInstall: ConsoleHandler = async (call) => {
  const id = idIn(call)
  const installed = await orRefusal(installTenant(call.control, id, accountIn(call.form)))
  if (!(installed instanceof Refusal))
    return { page: await tenantPage(call, id, { apiKey: installed.apiKey }) }
  if (installed.kind === 'not-found') throw installed
  const faults = tenantFaults(call, installed)
  // Another operator was first: the page has no form any more that could show it.
  const view = installed.code === 'already-installed' ? { edit: faults } : { install: faults }
  return answerOfRefusal(installed, await tenantPage(call, id, view))
}

export const resetPassword: ConsoleHandler = async (call) => {
  const { app, control, request, params } = call
  const { id = '', name = '' } = params
  const reset = await resetUserPassword(control, id, { username: name }, (site, userId) =>
    notify({ app, site, request }, { userId, notice: 'password-changed' }),
  )
  return { page: await tenantPage(call, id, { reset }) }
}

/** Changes all of the tenants or none. */
export const postMany: ConsoleHandler = async (call) => {
  const { control, form, reader } = call
  // The form of a tenant whose id is `bulk` has this address, too.
  if (form.has('hostname')) return saveTenant({ ...call, params: { id: 'bulk' } })
  const edit = editIn(form)
  const ids = form.get('all') === '1' ? await allIds(call) : [...new Set(form.getAll('id'))]
  if (ids.length === 0)
    return { page: await tenantsPage(call, form, reader.words.tenantsSelectOne), status: 400 }
  const changed = await orRefusal(editTenants(control, ids, edit))
  if (changed instanceof Refusal) {
    if (changed.kind === 'not-found') throw changed
    const [text = ''] = tenantFaults(call, changed).values()
    return answerOfRefusal(changed, await tenantsPage(call, form, text))
  }
  const list = listAddress(readTenantQuery(form))
  return { to: `${list}${list.includes('?') ? '&' : '?'}changed=${ids.length}` }
}

/** Those that the list has now: one that has appeared since it was opened is changed, too. */
async function allIds({ control, form }: ConsoleCall): Promise<string[]> {
  const found = await findTenants(control, readTenantFilter(form), { sort: 'id', isDescending: false })
  return found.map(({ id }) => id)
}

function editIn(form: URLSearchParams): EditOfMany {
  const action = form.get('action') ?? ''
  if (action === 'enable' || action === 'disable') return { isEnabled: action === 'enable' }
  if (action === 'plan') return { planId: planIn(form) }
  throw badRequest(`action: must be one of enable, disable, plan, not "${action.slice(0, 20)}"`)
}
