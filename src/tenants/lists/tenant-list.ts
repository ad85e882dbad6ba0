import type { Control } from '../../control/index.ts'
import { type TenantWithStats, tenantOfRow } from '../tenants.ts'
import { type TenantRow, tenantsAfter, tenantsOfSites } from '../tenants-table.ts'
import { readSealed } from '../values/field-rules.ts'
import { sitesWithChanges } from './changed-tenants-table.ts'
import { incrementalList } from './incremental-list.ts'

const pageSize = 1_000

/** Reads what `write` makes of all tenants, in the order of their ids. */
export function tenantListOf(
  control: Control,
  write: (tenant: TenantWithStats) => string,
): () => Promise<Buffer[]> {
  const { store } = control
  return incrementalList(control, {
    notifications: { version: store.allStatsVersion, whenCurrent: store.whenCurrent },
    pageAfter: (after) => tenantPage(control, { after, limit: pageSize }),
    changedSites: sitesWithChanges,
    ofSites: (sites) => opened(control, () => tenantsOfSites(store.control, sites)),
    write,
  })
}

/** The tenants behind an id, in the order of their ids. */
export const tenantPage = (
  control: Control,
  { after, limit }: { after: string; limit: number },
): Promise<TenantWithStats[]> => opened(control, () => tenantsAfter(control.store.control, after, limit))

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
