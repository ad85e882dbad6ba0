import { type Control, lastChangeOf } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { readTenantWithStats } from '../../tenants/index.ts'
import { banner } from '../../ui/parts/states.ts'
import type { Words } from '../../words/en.ts'
import type { ConsoleCall } from '../console-call.ts'

const verbs = ['tenant.created', 'tenant.updated', 'tenant.installed'] as const

/** Who has changed the tenant last; undefined for a change from before the audit log. */
async function authorOf(words: Words, control: Control, target: string): Promise<string | undefined> {
  const last = await lastChangeOf(control, { verb: verbs, target })
  return last && (last.actorName ?? words.tenantAuthors[last.actor])
}

/** What is in force now, and who has changed it, above a form that keeps what was typed. */
export async function conflictOf({ control, reader, form }: ConsoleCall, id: string): Promise<Html> {
  const { words } = reader
  const tenant = await readTenantWithStats(control, id)
  const name = await authorOf(words, control, id)
  const inForce = [
    [words.tenantHostname, tenant.hostname, form.get('hostname')?.trim() ?? ''],
    [words.tenantPlan, tenant.planId ?? '', form.get('plan_id') ?? ''],
  ] as const
  const differing = inForce.filter(([, stored, sent]) => stored !== sent)
  return banner(
    html`<p>${name === undefined ? words.tenantConflict : words.tenantConflictBy(name)}</p>
<dl class="facts">${differing.map(([label, stored]) => html`<dt>${label}</dt><dd>${stored === '' ? words.tenantNoPlan : stored}</dd>`)}</dl>
<p>${words.tenantConflictSave}</p>`,
    'danger',
  )
}
