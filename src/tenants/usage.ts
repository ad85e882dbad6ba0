import type { Control } from '../control/index.ts'
import {
  allTotals,
  type CountsByDay,
  type DayCounts,
  dayOf,
  dayTotalsOfUserSince,
  dayTotalsSince,
  laterOf,
  noTotals,
  type Site,
  type SiteValues,
  type Totals,
  totalNames,
  totalsOfUser,
  type UsageRange,
  type UsageRow,
  usageKeptFrom,
  usageRows,
} from '../site/index.ts'
import { tenantPage } from './lists/tenant-list.ts'
import { siteDaysOf, siteDaysOfSites, statsOfTenants } from './sites-table.ts'
import { readTenant, readTenantWithStats, type TenantWithStats } from './tenants.ts'
import { findTenantIdOfSite } from './tenants-table.ts'
import { valueInForce } from './values/effective.ts'

/** The usage of a site, from its own rows. */
export async function readSiteUsage(control: Control, site: Site, range: UsageRange): Promise<UsageRow[]> {
  const window = await windowOfSite(control, site)
  const standing = await allTotals(site.db)
  const days = await dayTotalsSince(site.db, neededFrom(range, window))
  return usageRows(range, { ...window, days, standing })
}

/** What a user has done, and what was done with the files of the user. */
export async function readUserUsage(
  control: Control,
  site: Site,
  userId: string,
  range: UsageRange,
): Promise<UsageRow[]> {
  const window = await windowOfSite(control, site)
  const days = await dayTotalsOfUserSince(site.db, userId, neededFrom(range, window))
  return usageRows(range, { ...window, days, standing: { ...(await totalsOfUser(site.db, userId)) } })
}

/** The usage of a tenant, for operators. */
export async function readTenantUsage(control: Control, id: string, range: UsageRange): Promise<UsageRow[]> {
  const tenant = await readTenantWithStats(control, id)
  const window = await windowOfTenant(control, tenant, control.clock.now())
  const days = await siteDaysOf(control.store.control, tenant.site, neededFrom(range, window))
  return usageRows(range, { ...window, days: parsed(days), standing: tenant.stats })
}

export interface TenantUsage {
  tenant: string
  rows: readonly UsageRow[]
}

const tenantsAtOnce = 100

/** The usage of all tenants behind an id, in the order of their ids, some tenants at a time. */
export async function* listUsage(
  control: Control,
  range: UsageRange,
  { after }: { after: string },
): AsyncGenerator<TenantUsage[]> {
  const now = control.clock.now()
  let page: TenantWithStats[] = []
  do {
    page = await tenantPage(control, { after: page.at(-1)?.id ?? after, limit: tenantsAtOnce })
    if (page.length > 0) yield await usageOfTenants(control, page, range, now)
  } while (page.length === tenantsAtOnce)
}

/** The usage of these tenants, in the same order. */
export async function usageOfTenants(
  control: Control,
  tenants: readonly TenantWithStats[],
  range: UsageRange,
  now: Date,
): Promise<TenantUsage[]> {
  if (tenants.length === 0) return []
  const windows = await Promise.all(tenants.map((tenant) => windowOfTenant(control, tenant, now)))
  const from = windows.map((window) => neededFrom(range, window)).sort()[0] ?? ''
  const sites = tenants.map(({ site }) => site)
  const rows = await siteDaysOfSites(control.store.control, sites, from)
  const bySite = Map.groupBy(rows, ({ site }) => site)
  return tenants.map(({ id, site, stats }, index) => {
    const window = windows[index]
    if (!window) throw new Error('Every tenant has a window.')
    const days = parsed(bySite.get(site) ?? [])
    return { tenant: id, rows: usageRows(range, { ...window, days, standing: stats }) }
  })
}

interface Window {
  createdOn: string
  keptFrom: string
  today: string
}

async function windowOfSite(control: Control, { number, values, clock }: Site): Promise<Window> {
  const id = await findTenantIdOfSite(control.store.control, number)
  return windowOf(await readTenant(control, id ?? ''), values, clock.now())
}

const keptFor = 'SERVICE_USAGE_DAYS'

async function windowOfTenant(control: Control, tenant: TenantWithStats, now: Date): Promise<Window> {
  const kept = await valueInForce(control, tenant, keptFor)
  return windowOf(tenant, new Map(kept && [[keptFor, kept.value]]), now)
}

/** What was there before the first day that is asked for is found from what is there now. */
const neededFrom = ({ from }: UsageRange, { keptFrom }: Window) => laterOf(from, keptFrom)

const windowOf = ({ createdAt }: { createdAt: Date }, values: SiteValues, now: Date): Window => ({
  createdOn: dayOf(createdAt),
  keptFrom: usageKeptFrom(values, now),
  today: dayOf(now),
})

const parsed = (days: readonly { day: string; counts: string }[]): CountsByDay =>
  new Map(days.map(({ day, counts }) => [day, JSON.parse(counts) as DayCounts]))

/** What all tenants have together. */
export async function sumOfTenants(control: Control): Promise<Totals> {
  const sums = { ...noTotals }
  for (const stats of await statsOfTenants(control.store.control)) {
    const totals = JSON.parse(stats) as Partial<Totals>
    for (const name of totalNames) sums[name] += totals[name] ?? 0
  }
  return sums
}
