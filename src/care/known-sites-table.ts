import type { ControlDb } from '../db/index.ts'

/** A site as the installation knows it, with the tenant that it belongs to. */
export interface KnownSite {
  number: number
  idKey: string
  state: 'live' | 'kept' | 'dropping'
  installedAt: string | null
  stats: string
  /** Sealed anew by every move. */
  place: string | null
  tenantId: string | null
  tenantKey: string | null
}

/** How people call it. */
export const nameOfSite = (site: KnownSite): string => site.tenantId ?? site.idKey

export function knownSitesAfter(db: ControlDb, number: number, limit: number): Promise<KnownSite[]> {
  return knownSites(db).where('site.number', '>', number).orderBy('site.number').limit(limit).execute()
}

export function findKnownSite(db: ControlDb, number: number): Promise<KnownSite | undefined> {
  return knownSites(db).where('site.number', '=', number).executeTakeFirst()
}

export async function countKnownSites(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom('site')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

function knownSites(db: ControlDb) {
  return db
    .selectFrom('site')
    .leftJoin('tenant', 'tenant.site', 'site.number')
    .select([
      'site.number',
      'site.idKey',
      'site.state',
      'site.installedAt',
      'site.stats',
      'site.place',
      'tenant.id as tenantId',
      'tenant.idKey as tenantKey',
    ])
}

/** What is kept encrypted for tenants or plans, a page at a time. */
export function sealedAfter(
  db: ControlDb,
  table: 'tenant' | 'plan',
  id: string,
  limit: number,
): Promise<{ id: string; env: string }[]> {
  return db
    .selectFrom(table)
    .select(['id', 'env'])
    .where('env', 'is not', null)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ env: string }>()
    .execute()
}
