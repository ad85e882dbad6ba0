import type { Control } from '../../control/index.ts'
import type { Store } from '../../db/index.ts'
import { isCopied } from '../../media/index.ts'
import {
  dayAfter,
  dayOf,
  type LimitName,
  limitNames,
  limitOf,
  quotasOfText,
  type Totals,
  type UsageRow,
  usageRows,
} from '../../site/index.ts'
import { sitesWithChanges } from '../lists/changed-tenants-table.ts'
import { keptList, type ListSource } from '../lists/incremental-list.ts'
import { joinedDaysOfSites } from '../sites-table.ts'
import { type TenantWithStats, tenantOfRow } from '../tenants.ts'
import { type TenantRow, tenantsAfter, tenantsOfSites } from '../tenants-table.ts'
import { undefinedIfUnreadable } from '../values/field-rules.ts'
import { limitsNearlyUsed, type NearLimit, unreadablePlans } from './limits-nearly-used.ts'
import { changingFrom, OverviewIndex, type OverviewTenant, packDays } from './overview-index.ts'
import { suspendedTenants } from './suspended-tenants.ts'

/** What an operator sees of all tenants at once. */
export interface InstallationOverview {
  tenants: number
  enabled: number
  notInstalled: number
  totals: Totals
  /** The last days with today, the first one first. */
  days: readonly UsageRow[]
  /** Tenants that use more than nine tenths of a limit, the fullest first. */
  nearLimits: readonly NearLimit[]
  /** Ids of tenants that a quota has suspended. */
  suspended: readonly string[]
  /** Ids of tenants whose `env` no key decrypts. */
  unreadable: readonly string[]
  /** Ids of plans whose `env` no key decrypts. */
  unreadablePlans: readonly string[]
}

/** Kept for the usual views: a month of charts, and what is counted since the first of the month. The other is for charts of a quarter. */
const spans = [31, 90] as const
/** A page takes some milliseconds, in which SQLite answers no other request. */
const pageSize = 100

type Span = (typeof spans)[number]
type ReadIndex = () => Promise<OverviewIndex>

/** Of the store and not of `Control`, of which each request has one with its own author. */
const indexes = new WeakMap<Store, Map<Span, ReadIndex>>()

/**
 * The first call reads all tenants and their days. They are kept while operators look: then a call costs the tenants that have
 * changed since the one before.
 */
export async function readInstallation(
  control: Control,
  { dayCount }: { dayCount: number },
): Promise<InstallationOverview> {
  const index = await indexOf(control, spans.find((span) => span >= dayCount) ?? 90)
  const now = control.clock.now()
  const to = dayOf(now)
  const from = dayAfter(to, 1 - dayCount)
  let [tenants, enabled, notInstalled] = [0, 0, 0]
  const unreadable: string[] = []
  for (const tenant of index.tenants()) {
    tenants += 1
    if (tenant.isEnabled) enabled += 1
    if (!tenant.isInstalled) notInstalled += 1
    if (tenant.isUnreadable) unreadable.push(tenant.id)
  }
  return {
    tenants,
    enabled,
    notInstalled,
    totals: index.totals,
    days: usageRows(
      { from, to, step: 'day' },
      { days: index.sumsFrom(from), standing: index.totals, createdOn: from, keptFrom: from, today: to },
    ),
    nearLimits: await limitsNearlyUsed(control, index),
    suspended: await suspendedTenants(control, index),
    unreadable,
    unreadablePlans: await unreadablePlans(control),
  }
}

async function indexOf(control: Control, span: Span): Promise<OverviewIndex> {
  const ofStore = indexes.get(control.store) ?? new Map<Span, ReadIndex>()
  indexes.set(control.store, ofStore)
  const known = ofStore.get(span)
  if (known) return await known()
  let index = new OverviewIndex()
  const { store, clock } = control
  const read = (rows: readonly TenantRow[], from: string) => withDays(control, rows, from)
  const source: ListSource<OverviewTenant> = {
    notifications: { version: store.allStatsVersion, whenCurrent: store.whenCurrent },
    async pageAfter(id) {
      return await read(
        await tenantsAfter(store.control, id, pageSize),
        dayAfter(dayOf(clock.now()), 1 - span),
      )
    },
    changedSites: sitesWithChanges,
    async ofSites(sites) {
      const rows = await tenantsOfSites(store.control, sites)
      const isKnown = ({ site }: TenantRow) => index.hasSite(site)
      return [
        ...(await read(rows.filter(isKnown), changingFrom(clock.now()))),
        ...(await read(
          rows.filter((row) => !isKnown(row)),
          dayAfter(dayOf(clock.now()), 1 - span),
        )),
      ]
    },
  }
  const readIndex = keptList(control, source, () => {
    index = new OverviewIndex()
    return index
  })
  ofStore.set(span, readIndex)
  return await readIndex()
}

async function withDays(
  control: Control,
  rows: readonly TenantRow[],
  from: string,
): Promise<OverviewTenant[]> {
  if (rows.length === 0) return []
  const sites = rows.map(({ site }) => site)
  const joined = await joinedDaysOfSites(control.store.control, sites, from)
  const days = new Map(joined.map((row) => [row.site, row.days]))
  return rows.map((row) => ({
    ...summaryOf(control, row),
    days: packDays(days.get(row.site) ?? ''),
    daysFrom: from,
  }))
}

function summaryOf(control: Control, row: TenantRow): Omit<OverviewTenant, 'days' | 'daysFrom'> {
  const tenant = readable(control, row)
  const quotas = quotasOfText(row.quotas)
  const isOver = tenant && quotas?.some(({ overAt }) => overAt !== null)
  return {
    id: row.id,
    site: row.site,
    isEnabled: row.isEnabled === 1,
    isInstalled: row.installedAt !== null,
    planId: row.planId ?? undefined,
    stats: JSON.parse(row.stats),
    limits: tenant ? ownLimits(tenant) : new Map(),
    overQuota: tenant && quotas && isOver ? { tenant, quotas } : undefined,
    isUnreadable: tenant === undefined,
  }
}

function readable(control: Control, row: TenantRow): TenantWithStats | undefined {
  try {
    return tenantOfRow(control, row)
  } catch (error) {
    return undefinedIfUnreadable(error)
  }
}

const noLimits: OverviewTenant['limits'] = new Map()

/** Of env and limits the former wins. */
function ownLimits({ limits, env }: TenantWithStats): OverviewTenant['limits'] {
  const own = { ...limits, ...env }
  const names = Object.keys(own).filter((name) => limitNames.has(name) && isCopied(name as LimitName))
  if (names.length === 0) return noLimits
  return new Map(
    names.map((name) => [name as LimitName, limitOf(new Map(Object.entries(own)), name as LimitName) ?? 0]),
  )
}
