import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Control } from '../../control/index.ts'
import { isCopied, readLimitUses, useInTotals } from '../../media/index.ts'
import {
  type DayCounts,
  type LimitName,
  limitNames,
  limitOf,
  locationValues,
  monthOf,
} from '../../site/index.ts'
import { keyMissing } from '../errors.ts'
import { openSite, orTenantNotFound } from '../open-site.ts'
import { siteDaysOfSites } from '../sites-table.ts'
import { readableTenantOfRow, type TenantWithStats, tenantOfRow } from '../tenants.ts'
import { type TenantRow, tenantsOfPlan } from '../tenants-table.ts'
import { currentName, type ValueChange, withChange } from './change-value.ts'
import { type EffectiveValue, highestOwn, levelsAround, mergedByLevels } from './effective.ts'
import { readSealed, undefinedIfUnreadable } from './field-rules.ts'
import { type Plan, planWithEdit, readReadablePlan } from './plans.ts'
import { isElsewhere, undefinedIfDeleted } from './preview.ts'

/** What a change of one value of a plan would do to its tenants. */
export interface PlanValuePreview {
  plan: Plan
  /** Of the tenants that change; undefined for a value that is not set. */
  from: EffectiveValue | undefined
  to: EffectiveValue | undefined
  /** Tenants whose value in force changes. */
  changed: number
  /** Tenants with a value of their own; all of them if one is enforced. */
  unchanged: number
  /** Tenants that would be above the limit, those that are furthest above it first. */
  over: Named<TenantOver> & {
    /** How many were looked at: all that change and are installed, unless they are too many to open. */
    checked: number
    isPartial: boolean
    /** The uses are the copies in the control rows, which are some seconds old. */
    isFromCopies: boolean
  }
  /** Tenants whose data would be elsewhere than their values say. */
  moves: Named<string>
}

/** The first of them are named; the count is of all. */
interface Named<T> {
  first: readonly T[]
  count: number
}

export interface TenantOver {
  tenant: string
  used: number
  limit: number
}

const mostNamed = 50
/** To open a site takes about a millisecond. With more tenants, the copies of their totals are compared. */
const mostOpened = 200
const pageSize = 500

/** Changes nothing. Refuses what `editPlan` refuses. */
export async function previewPlanValue(
  control: Control,
  id: string,
  change: ValueChange,
): Promise<PlanValuePreview> {
  const stored = await readReadablePlan(control, id)
  if (stored.isUnreadable) throw keyMissing()
  const { plan, edited } = await planWithEdit(control, id, withChange(stored, change))
  const name = currentName(change.name)
  const [before, after] = [levelsAround(control, plan, name), levelsAround(control, edited, name)]
  const [from, to] = [before.below, after.below]
  const isOther = from?.value !== to?.value || from?.level !== to?.level
  const isAffected = (tenant: TenantWithStats) =>
    isOther && after.above === undefined && highestOwn(tenant, name) === undefined
  const limit =
    to && limitNames.has(name) ? limitOf(new Map([[name, to.value]]), name as LimitName) : undefined
  const found = await affectedTenants(control, { edited, name, isAffected, hasLimit: limit !== undefined })
  return {
    plan,
    from,
    to,
    changed: found.changed,
    unchanged: found.unchanged,
    over: await tenantsOver(control, found, { name: name as LimitName, limit }),
    moves: { first: found.moving.slice(0, mostNamed), count: found.moving.length },
  }
}

interface Affected {
  changed: number
  unchanged: number
  /** The first installed ones, to be opened. */
  installed: TenantWithStats[]
  installedCount: number
  /** What the installed ones use, by the copies in the control rows. */
  uses: { tenant: string; used: number }[]
  moving: string[]
}

interface Search {
  edited: Plan
  name: string
  isAffected: (tenant: TenantWithStats) => boolean
  hasLimit: boolean
}

async function affectedTenants(
  control: Control,
  { edited, name, isAffected, hasLimit }: Search,
): Promise<Affected> {
  const found: Affected = { changed: 0, unchanged: 0, installed: [], installedCount: 0, uses: [], moving: [] }
  const isLocation = locationValues.some((each) => each === name)
  for await (const page of pagesOfPlan(control, edited.id)) {
    const affected = page.filter(isAffected)
    found.changed += affected.length
    found.unchanged += page.length - affected.length
    const installed = affected.filter(({ isInstalled }) => isInstalled)
    found.installedCount += installed.length
    found.installed.push(...installed.slice(0, mostOpened - found.installed.length))
    if (isLocation)
      for (const tenant of installed)
        if (isElsewhere(control, tenant, mergedByLevels(control, { tenant, plan: edited })))
          found.moving.push(tenant.id)
    if (hasLimit && isCopied(name as LimitName))
      found.uses.push(...(await copiedUses(control, installed, name as LimitName)))
  }
  return found
}

async function* pagesOfPlan(control: Control, id: string): AsyncGenerator<TenantWithStats[]> {
  let rows: TenantRow[] = []
  do {
    const after = rows.at(-1)?.id ?? ''
    const opened = async () => {
      rows = await tenantsOfPlan(control.store.control, id, { after, limit: pageSize })
      return rows.map((row) => tenantOfRow(control, row))
    }
    // What a change does to a tenant whose `env` no key decrypts is not known, and it must not hide the others.
    const readable = () =>
      rows.map((row) => readableTenantOfRow(control, row)).filter(({ isUnreadable }) => !isUnreadable)
    yield (await readSealed(opened).catch(undefinedIfUnreadable)) ?? readable()
    // SQLite answers without a pause: other requests get their turn between two pages.
    await nextTurn()
  } while (rows.length === pageSize)
}

const monthlyCounts = { SERVICE_MAX_TRAFFIC: 'trafficBytes', SERVICE_MAX_TRANSFORMS: 'transforms' } as const

async function copiedUses({ store, clock }: Control, tenants: readonly TenantWithStats[], name: LimitName) {
  if (name !== 'SERVICE_MAX_TRAFFIC' && name !== 'SERVICE_MAX_TRANSFORMS')
    return tenants.map(({ id, stats }) => ({ tenant: id, used: useInTotals(name, stats) ?? 0 }))
  if (tenants.length === 0) return []
  const month = monthOf(clock.now())
  const sites = tenants.map(({ site }) => site)
  const used = new Map<number, number>()
  for (const { site, day, counts } of await siteDaysOfSites(store.control, sites, `${month}-`))
    if (day.startsWith(month)) {
      const count = (JSON.parse(counts) as DayCounts)[monthlyCounts[name]] ?? 0
      used.set(site, (used.get(site) ?? 0) + count)
    }
  return tenants.map(({ id, site }) => ({ tenant: id, used: used.get(site) ?? 0 }))
}

async function tenantsOver(
  control: Control,
  { installed, installedCount, uses: copies }: Affected,
  { name, limit }: { name: LimitName; limit: number | undefined },
): Promise<PlanValuePreview['over']> {
  if (limit === undefined) return { first: [], count: 0, checked: 0, isPartial: false, isFromCopies: false }
  const isFromCopies = installedCount > mostOpened && isCopied(name)
  const uses = isFromCopies ? copies : await usesOf(control, installed, { name, limit })
  const over = uses
    .filter(({ used }) => used > limit)
    .sort((one, other) => other.used - one.used)
    .map((use): TenantOver => ({ ...use, limit }))
  return {
    first: over.slice(0, mostNamed),
    count: over.length,
    checked: uses.length,
    isPartial: !isFromCopies && installedCount > mostOpened,
    isFromCopies,
  }
}

/** From the rows of the sites: with what is reserved, and what the user has who uses most. */
async function usesOf(
  control: Control,
  tenants: readonly TenantWithStats[],
  { name, limit }: { name: LimitName; limit: number },
): Promise<Affected['uses']> {
  const uses: Affected['uses'] = []
  for (const tenant of tenants) {
    const read = async () => {
      await using site = await openSite(control, tenant)
      return await orTenantNotFound(control, tenant, () =>
        readLimitUses(site, new Map([[name, String(limit)]]), [name]),
      )
    }
    const [use] = (await read().catch(undefinedIfDeleted)) ?? []
    if (use) uses.push({ tenant: tenant.id, used: use.used })
  }
  return uses
}
