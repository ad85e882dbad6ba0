import type { Control } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'

/** The control row of a site, with its tenant. */
export interface SiteRecord {
  number: number
  idKey: string
  state: 'live' | 'kept' | 'dropping'
  installedAt: string | null
  stats: string
  /** Its encrypted location; every move changes it. */
  place: string | null
  tenantId: string | null
  tenantKey: string | null
}

/** The name of a site in messages: its tenant's id, or the id of the tenant that it was kept from. */
export const nameOfSite = (site: SiteRecord): string => site.tenantId ?? site.idKey

function siteRecordsAfter(db: ControlDb, number: number, limit: number): Promise<SiteRecord[]> {
  return siteRecords(db).where('site.number', '>', number).orderBy('site.number').limit(limit).execute()
}

export function findSiteRecord(db: ControlDb, number: number): Promise<SiteRecord | undefined> {
  return siteRecords(db).where('site.number', '=', number).executeTakeFirst()
}

export async function countSites(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom('site')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

function siteRecords(db: ControlDb) {
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

/** A page of the encrypted values of tenants or plans. */
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

const pageSize = 500

/** All sites in the order of their numbers, read page by page. */
export async function* eachSite({ store }: Control): AsyncGenerator<SiteRecord> {
  for (let last = 0; ; ) {
    const page = await siteRecordsAfter(store.control, last, pageSize)
    yield* page
    const lastOne = page.at(-1)
    if (!lastOne || page.length < pageSize) return
    last = lastOne.number
  }
}
