import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type LimitUse, readLimitUses } from '../../media/index.ts'
import { isSameLocation, type SiteValues } from '../../site/index.ts'
import { type TenantEdit, tenantWithEdit } from '../edit-tenants.ts'
import { locationOfTenant, wantedLocation } from '../locations/site-locations.ts'
import { openSite, orTenantNotFound } from '../open-site.ts'
import { type Tenant, tenantOfRow } from '../tenants.ts'
import { tenantsOfPlan } from '../tenants-table.ts'
import { type EffectiveValue, highestOf, levelsOf, planOf, type ValueRows } from './effective.ts'
import { readSealed } from './field-rules.ts'
import { type PlanValues, planWithEdit } from './plans.ts'

/** What an edit of a tenant or of its plan would do to the tenant. */
export interface Preview {
  tenant: string
  /** In the order of names; undefined for a value that is not set. */
  changes: ReadonlyMap<string, { from: EffectiveValue | undefined; to: EffectiveValue | undefined }>
  /** Limits that the site would be above. */
  exceeded: readonly LimitUse[]
  /** Limits that would leave no room for one more; those above with the others. */
  refused: readonly LimitUse[]
  /** Whether `tenants move` would then have to copy the data of an installed tenant to another location. */
  moves: boolean
}

/** Changes nothing. Refuses what `editTenant` refuses. */
export async function previewTenant(control: Control, id: string, edit: TenantEdit): Promise<Preview> {
  const { tenant, edited } = await tenantWithEdit(control, id, edit)
  return previewOf(control, {
    before: { tenant, plan: await planOf(control, tenant) },
    after: { tenant: edited, plan: await planOf(control, edited) },
  })
}

/** What an edit of a plan would do to each tenant of a page, in the order of their ids. Refuses what `editPlan` refuses. */
export async function previewPlan(
  control: Control,
  id: string,
  edit: PlanValues,
  { after, limit }: { after: string; limit: number },
): Promise<{ previews: Preview[]; next: string | undefined }> {
  const { plan, edited } = await planWithEdit(control, id, edit)
  // One more than asked for, to know whether there is a next page.
  const page = { after, limit: limit + 1 }
  const tenants = await readSealed(async () =>
    (await tenantsOfPlan(control.store.control, id, page)).map((row) => tenantOfRow(control, row)),
  )
  const shown = tenants.slice(0, limit)
  const previews: Preview[] = []
  for (const tenant of shown) {
    const rows = { before: { tenant, plan }, after: { tenant, plan: edited } }
    const preview = await previewOf(control, rows).catch(undefinedIfDeleted)
    if (preview) previews.push(preview)
  }
  return { previews, next: tenants.length > limit ? shown.at(-1)?.id : undefined }
}

export function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.code !== 'tenant-not-found') throw error
}

async function previewOf(
  control: Control,
  { before, after }: { before: ValueRows; after: ValueRows },
): Promise<Preview> {
  const { tenant } = before
  const from = highestOf(levelsOf(control, before))
  const to = highestOf(levelsOf(control, after))
  const values: SiteValues = new Map([...to].map(([name, { value }]) => [name, value]))
  const uses = tenant.isInstalled ? await usesIn(control, tenant, values) : []
  return {
    tenant: tenant.id,
    changes: changesBetween(from, to),
    exceeded: uses.filter(({ value, used }) => used > value),
    refused: uses.filter(({ value, used }) => used >= value),
    moves: tenant.isInstalled && isElsewhere(control, tenant, values),
  }
}

function changesBetween(
  from: ReadonlyMap<string, EffectiveValue>,
  to: ReadonlyMap<string, EffectiveValue>,
): Preview['changes'] {
  const names = [...new Set([...from.keys(), ...to.keys()])].sort()
  return new Map(
    names
      .map((name) => [name, { from: from.get(name), to: to.get(name) }] as const)
      .filter(([, change]) => !isSame(change.from, change.to)),
  )
}

const isSame = (one: EffectiveValue | undefined, two: EffectiveValue | undefined): boolean =>
  one?.value === two?.value && one?.level === two?.level

async function usesIn(control: Control, tenant: Tenant, values: SiteValues): Promise<LimitUse[]> {
  await using site = await openSite(control, tenant)
  return orTenantNotFound(control, tenant, () => readLimitUses(site, values))
}

/** New credentials for the same database or bucket move nothing. */
export function isElsewhere(control: Control, tenant: Tenant, values: SiteValues): boolean {
  const location = locationOfTenant(control, tenant)
  const wanted = wantedLocation(control, values)
  return (['database', 'storage'] as const).some((part) => !isSameLocation(location[part], wanted[part]))
}
