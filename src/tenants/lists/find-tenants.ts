import type { Control } from '../../control/index.ts'
import type { Store } from '../../db/index.ts'
import { normaliseHostname } from '../../lib/net/hosts.ts'
import { type DayCounts, dayAfter, dayOf } from '../../site/index.ts'
import { siteDaysOfSites } from '../sites-table.ts'
import type { TenantWithStats } from '../tenants.ts'
import { type EffectiveValue, highestOwn, levelsAround } from '../values/effective.ts'
import { readablePlan } from '../values/plans.ts'
import { keptList } from './incremental-list.ts'
import { type TenantFilter, TenantIndex, type TenantOrder, type TenantSummary } from './tenant-index.ts'
import { readableTenants } from './tenant-list.ts'

const storageLimit = 'SERVICE_MAX_STORAGE'

type ReadIndex = () => Promise<TenantIndex>

/** Of the store and not of `Control`, of which each request has one with its own author. */
const indexes = new WeakMap<Store, ReadIndex>()

/** All tenants that the filter lets through, in order. */
export async function findTenants(
  control: Control,
  filter: TenantFilter,
  order: TenantOrder,
): Promise<TenantSummary[]> {
  return (await indexOf(control)).find(filter, order)
}

const longestText = 2_000

/**
 * What an operator means who pastes or types a text: an id, a hostname, the address of an administrator, or the address of a
 * page or file, of which only the host counts. What is exact wins over parts; nothing is fetched.
 */
export async function lookUpTenants(control: Control, text: string): Promise<TenantSummary[]> {
  const searched = text.trim().slice(0, longestText)
  if (searched === '') return []
  const index = await indexOf(control)
  const hostname = hostnameIn(searched)
  if (hostname === undefined) return index.lookUp(searched)
  return index.lookUp(hostname).filter((tenant) => tenant.hostname === hostname)
}

/** The host of an address, with or without scheme and port; undefined for any other text. */
function hostnameIn(text: string): string | undefined {
  if (!/[/:]/.test(text) || /\s/.test(text)) return undefined
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text.replace(/^\/+/, '')}`
  const [, host = ''] = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(address) ?? []
  return normaliseHostname(host.replace(/:\d*$/, ''))
}

async function indexOf(control: Control): Promise<TenantIndex> {
  const known = indexes.get(control.store)
  if (known) return await known()
  const source = readableTenants(control)
  const read: ReadIndex = keptList(
    control,
    {
      ...source,
      pageAfter: async (id) => (await source.pageAfter(id)).map(summaryOf),
      ofSites: async (sites) => (await source.ofSites(sites)).map(summaryOf),
    },
    () => new TenantIndex(),
  )
  indexes.set(control.store, read)
  return await read()
}

const summaryOf = (tenant: TenantWithStats): TenantSummary => ({
  id: tenant.id,
  hostname: tenant.hostname,
  site: tenant.site,
  isEnabled: tenant.isEnabled,
  isInstalled: tenant.isInstalled,
  planId: tenant.planId,
  files: tenant.stats.files,
  storedBytes: tenant.stats.storageUsed,
  users: tenant.stats.users,
  admins: tenant.admins,
  createdAt: tenant.createdAt,
  lastJobAt: tenant.lastJobAt,
  ownStorageLimit: highestOwn(tenant, storageLimit),
})

/** The storage limit in force for each tenant, with the level that it comes from; a limit of 0 is none. */
export async function storageLimitsOf(
  control: Control,
  tenants: readonly TenantSummary[],
): Promise<EffectiveValue[]> {
  const planIds = new Set(tenants.map(({ planId }) => planId))
  const plans = new Map(
    await Promise.all(
      [...planIds].map(
        async (id) => [id, id === undefined ? undefined : await readablePlan(control, id)] as const,
      ),
    ),
  )
  const around = new Map(
    [...plans].map(([id, plan]) => [id, levelsAround(control, plan, storageLimit)] as const),
  )
  return tenants.map(({ planId, ownStorageLimit }) => {
    const { above, below } = around.get(planId) ?? {}
    return above ?? ownStorageLimit ?? below ?? { value: '0', level: 'default' }
  })
}

interface Week {
  lastDay: string
  uploads: readonly number[]
}

/** Of the summary that was read: a tenant that has changed since has another. */
const weeks = new WeakMap<TenantSummary, Week>()
const daysOfWeek = 7

/** The uploads of the last seven days with today, the oldest first. */
export async function uploadsOfWeek(
  { store, clock }: Control,
  tenants: readonly TenantSummary[],
): Promise<(readonly number[])[]> {
  const lastDay = dayOf(clock.now())
  const days = Array.from({ length: daysOfWeek }, (_, index) => dayAfter(lastDay, index + 1 - daysOfWeek))
  const unread = tenants.filter((tenant) => weeks.get(tenant)?.lastDay !== lastDay)
  if (unread.length > 0) {
    const sites = unread.map(({ site }) => site)
    const rows = await siteDaysOfSites(store.control, sites, days[0] ?? lastDay)
    const uploads = new Map(
      rows.map(({ site, day, counts }) => [
        `${site} ${day}`,
        (JSON.parse(counts) as Partial<DayCounts>).uploads ?? 0,
      ]),
    )
    for (const tenant of unread)
      weeks.set(tenant, { lastDay, uploads: days.map((day) => uploads.get(`${tenant.site} ${day}`) ?? 0) })
  }
  return tenants.map((tenant) => weeks.get(tenant)?.uploads ?? [])
}
