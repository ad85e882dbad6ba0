import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Control } from '../control/index.ts'
import { inParallel, startRepeating } from '../lib/concurrency/repeat.ts'
import {
  type DayCounts,
  hasQuotas,
  isJudgedAnew,
  judgeAllQuotas,
  monthOf,
  quotaStatesOf,
  quotasOfText,
  type SiteValues,
  textOfQuotas,
} from '../site/index.ts'
import { sitesOfChangedTenants } from './lists/changed-tenants-table.ts'
import { tenantPage } from './lists/tenant-list.ts'
import { openSite } from './open-site.ts'
import { siteDaysOfSites } from './sites-table.ts'
import { changeSite, syncStats } from './stats/sync-stats.ts'
import { type TenantWithStats, tenantOfRow } from './tenants.ts'
import { findTenant, tenantsOfPlan, tenantsOfSites } from './tenants-table.ts'
import { mergedValues } from './values/effective.ts'
import { readSealed } from './values/field-rules.ts'
import { allPlans } from './values/plans-table.ts'

/** A changed limit or month is promised to count after 20 seconds. */
const checkEveryMs = 2_000
const pageSize = 500
const maxParallelSites = 4

type OnFault = (fault: unknown, tenant: string) => void

/**
 * Judges the quotas of sites after something has changed beside their rows: limits of a tenant, of a plan or of the process, and
 * the month. Every server does so; the transaction of the site decides which of them tells it.
 */
export function startQuotaChecks(control: Control, onFault: OnFault): AsyncDisposable {
  const check = quotaChecks(control, onFault)
  let isStopped = false
  const repeating = startRepeating(checkEveryMs, async () => {
    if (!isStopped) await check().catch((fault) => onFault(fault, ''))
  })
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      await repeating.stop()
    },
  }
}

interface Checked {
  version: number
  month: string
  /** Where the next changes of tenants begin. */
  from: number
  history: string
  /** When each plan was changed last. */
  plans: ReadonlyMap<string, string>
}

/** A check costs nothing while neither the control version nor the month has changed. */
function quotaChecks(control: Control, onFault: OnFault): () => Promise<void> {
  const { store, clock } = control
  let checked: Checked | undefined
  /** Tenants whose check has failed. */
  const failed = new Set<string>()

  const checkAll = (tenants: readonly TenantWithValues[]) =>
    inParallel(maxParallelSites, tenants, async ({ tenant }) => {
      failed.delete(tenant.id)
      await checkTenant(control, tenant).catch((fault) => {
        failed.add(tenant.id)
        onFault(fault, tenant.id)
      })
    })

  return async () => {
    await store.whenCurrent()
    const [version, month] = [store.controlVersion(), monthOf(clock.now())]
    if (checked?.version === version && checked.month === month && failed.size === 0) return
    const { from, until, history } = await store.changeWindow()
    const plans = new Map((await allPlans(store.control)).map(({ id, updatedAt }) => [id, updatedAt]))
    const next = { version, month, from, history, plans }
    if (checked?.month === month && checked.history === history) {
      const changed = await changedTenants(control, { before: checked, until, plans, failed: [...failed] })
      await checkAll(await withQuotas(control, changed))
    } else {
      for await (const page of allTenants(control)) await checkAll(await judgedAnew(control, page))
    }
    checked = next
  }
}

/** A tenant whose site may have quotas, and the values in force. */
interface TenantWithValues {
  tenant: TenantWithStats
  values: SiteValues
}

async function* allTenants(control: Control): AsyncGenerator<TenantWithStats[]> {
  let page: TenantWithStats[] = []
  do {
    page = await tenantPage(control, { after: page.at(-1)?.id ?? '', limit: pageSize })
    yield page
    // SQLite answers without a pause: requests get their turn between two pages.
    await nextTurn()
  } while (page.length === pageSize)
}

interface Changes {
  before: Checked
  until: number
  plans: Checked['plans']
  failed: readonly string[]
}

/** Tenants that were changed themselves, or whose plan was. */
async function changedTenants(
  control: Control,
  { before, until, plans, failed }: Changes,
): Promise<TenantWithStats[]> {
  const { control: db } = control.store
  const found = new Map<string, TenantWithStats>()
  const add = async (read: ReturnType<typeof tenantsOfSites>) => {
    const rows = await read
    for (const row of rows) found.set(row.id, await readSealed(async () => tenantOfRow(control, row)))
    return rows
  }
  const sites = await sitesOfChangedTenants(db, { from: before.from, until })
  for (let start = 0; start < sites.length; start += pageSize)
    await add(tenantsOfSites(db, sites.slice(start, start + pageSize)))
  for (const [id, updatedAt] of plans) {
    if (before.plans.get(id) === updatedAt) continue
    for (let after = ''; ; ) {
      const rows = await add(tenantsOfPlan(db, id, { after, limit: pageSize }))
      if (rows.length < pageSize) break
      after = rows.at(-1)?.id ?? ''
    }
  }
  for (const id of failed) await add(findTenant(db, id).then((row) => (row ? [row] : [])))
  return [...found.values()]
}

async function withQuotas(
  control: Control,
  tenants: readonly TenantWithStats[],
): Promise<TenantWithValues[]> {
  const withValues: TenantWithValues[] = []
  for (const tenant of tenants) {
    const values = await mergedValues(control, tenant)
    if (tenant.isInstalled && hasQuotas({ quotas: tenant.quotas, values }))
      withValues.push({ tenant, values })
  }
  return withValues
}

/** Of all tenants those whose copied stats say that a state has changed: not every site is opened at each start. */
async function judgedAnew(
  control: Control,
  tenants: readonly TenantWithStats[],
): Promise<TenantWithValues[]> {
  const withValues = await withQuotas(control, tenants)
  if (withValues.length === 0) return []
  const now = control.clock.now()
  const month = monthOf(now)
  const sites = withValues.map(({ tenant }) => tenant.site)
  const days = await siteDaysOfSites(control.store.control, sites, `${month}-`)
  const bySite = Map.groupBy(days, ({ site }) => site)
  return withValues.filter(({ tenant: { site, stats, quotas = [] }, values }) => {
    const used = { SERVICE_MAX_STORAGE: stats.storageUsed, SERVICE_MAX_TRAFFIC: 0, SERVICE_MAX_TRANSFORMS: 0 }
    for (const { day, counts } of bySite.get(site) ?? []) {
      if (!day.startsWith(month)) continue
      const { trafficBytes = 0, transforms = 0 } = JSON.parse(counts) as DayCounts
      used.SERVICE_MAX_TRAFFIC += trafficBytes
      used.SERVICE_MAX_TRANSFORMS += transforms
    }
    return isJudgedAnew(quotas, { values, used, now })
  })
}

async function checkTenant(control: Control, tenant: TenantWithStats): Promise<void> {
  await using site = await openSite(control, tenant)
  await changeSite(control, site, judgeAllQuotas)
  // A process may have been killed before it could publish what it had committed.
  const known = quotasOfText(textOfQuotas(await quotaStatesOf(site.db)))
  if (known !== site.quotas) await syncStats(control, site)
}
