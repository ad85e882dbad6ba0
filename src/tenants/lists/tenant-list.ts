import type { Control } from '../../control/index.ts'
import { readableTenantOfRow, type TenantWithStats, tenantOfRow } from '../tenants.ts'
import { type TenantRow, tenantsAfter, tenantsOfSites } from '../tenants-table.ts'
import { readSealed, undefinedIfUnreadable } from '../values/field-rules.ts'
import { sitesWithChanges } from './changed-tenants-table.ts'
import { type ListSource, writtenList } from './incremental-list.ts'

const pageSize = 1_000

/** Reads what `write` makes of all tenants, in the order of their ids. */
export const tenantListOf = (
  control: Control,
  write: (tenant: TenantWithStats) => string,
): (() => Promise<Buffer[]>) => writtenList(control, tenantsWithStats(control), write)

/** All tenants with their stats, for a kept list. */
export function tenantsWithStats(control: Control): ListSource<TenantWithStats> {
  const { store } = control
  return {
    notifications: { version: store.allStatsVersion, whenCurrent: store.whenCurrent },
    pageAfter: (after) => tenantPage(control, { after, limit: pageSize }),
    changedSites: sitesWithChanges,
    ofSites: (sites) => tenantsAtSites(control, sites),
  }
}

/** The same for people: a tenant whose `env` no key decrypts is there without it, and hides no other. */
export function readableTenants(control: Control): ListSource<TenantWithStats> {
  const db = control.store.control
  const read = async (rows: () => Promise<TenantRow[]>) =>
    (await opened(control, rows).catch(undefinedIfUnreadable)) ??
    (await rows()).map((row) => readableTenantOfRow(control, row))
  return {
    ...tenantsWithStats(control),
    pageAfter: (after) => read(() => tenantsAfter(db, after, pageSize)),
    ofSites: (sites) => read(() => tenantsOfSites(db, sites)),
  }
}

/** The tenants behind an id, in the order of their ids. */
export const tenantPage = (
  control: Control,
  { after, limit }: { after: string; limit: number },
): Promise<TenantWithStats[]> => opened(control, () => tenantsAfter(control.store.control, after, limit))

/** The tenants of these sites. */
export const tenantsAtSites = (control: Control, sites: readonly number[]): Promise<TenantWithStats[]> =>
  opened(control, () => tenantsOfSites(control.store.control, sites))

/** All tenants in the order of their ids, a page at a time. */
export async function* listTenants(control: Control): AsyncGenerator<TenantWithStats[]> {
  let page: TenantWithStats[] = []
  do {
    page = await tenantPage(control, { after: page.at(-1)?.id ?? '', limit: pageSize })
    yield page
  } while (page.length === pageSize)
}

const opened = (control: Control, read: () => Promise<TenantRow[]>): Promise<TenantWithStats[]> =>
  readSealed(async () => (await read()).map((row) => tenantOfRow(control, row)))
