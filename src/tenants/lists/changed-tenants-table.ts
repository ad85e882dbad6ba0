import type { ChangeWindow, ControlDb } from '../../db/index.ts'

/** From the window of the read before, up to that of this read. */
export type Changes = Pick<ChangeWindow, 'from' | 'until'>

/** Sites whose tenant or whose stats have changed. */
export async function sitesWithChanges(db: ControlDb, changes: Changes): Promise<number[]> {
  const rows = await db
    .selectFrom('site')
    .select('number')
    .where('changedIn', '>=', changes.from)
    .where('changedIn', '<', changes.until)
    .execute()
  return [...new Set([...rows.map(({ number }) => number), ...(await sitesOfChangedTenants(db, changes))])]
}

/** Tenants that have changed, or whose stats have. */
export async function tenantsWithChanges(
  db: ControlDb,
  { from, until }: Changes,
): Promise<{ id: string; site: number }[]> {
  return db
    .selectFrom('tenant')
    .select(['id', 'site'])
    .where('changedIn', '>=', from)
    .where('changedIn', '<', until)
    .union((eb) =>
      eb
        .selectFrom('site')
        .innerJoin('tenant', 'tenant.site', 'site.number')
        .select(['tenant.id', 'tenant.site'])
        .where('site.changedIn', '>=', from)
        .where('site.changedIn', '<', until),
    )
    .execute()
}

/** Sites whose tenant has changed. */
export async function sitesOfChangedTenants(db: ControlDb, { from, until }: Changes): Promise<number[]> {
  const rows = await db
    .selectFrom('tenant')
    .select('site')
    .where('changedIn', '>=', from)
    .where('changedIn', '<', until)
    .execute()
  return rows.map(({ site }) => site)
}

/** Ids that were deleted, and are no tenant's again. */
export async function removedTenants(db: ControlDb, { from, until }: Changes): Promise<string[]> {
  const rows = await db
    .selectFrom('tenantRemoval')
    .leftJoin('tenant', 'tenant.id', 'tenantRemoval.id')
    .select('tenantRemoval.id')
    .where('tenantRemoval.changedIn', '>=', from)
    .where('tenantRemoval.changedIn', '<', until)
    .where('tenant.id', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}
