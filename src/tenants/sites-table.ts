import { sql } from 'kysely'
import { type ControlDb, prepareControl, type SiteDay } from '../db/index.ts'

/** A site outlives a tenant that is deleted without its tables. */
export interface SiteRow {
  number: number
  installedAt: string | null
}

/** Takes the kept site of an earlier tenant with this id, or makes a new one. */
export async function takeSite(db: ControlDb, idKey: string, noStats: string): Promise<SiteRow> {
  const kept = await db
    .updateTable('site')
    .set({ state: 'live' })
    .where('idKey', '=', idKey)
    .where('state', '=', 'kept')
    .returning(['number', 'installedAt'])
    .executeTakeFirst()
  if (kept) return kept
  return db
    .insertInto('site')
    .values({ idKey, state: 'live', installedAt: null, stats: noStats })
    .returning(['number', 'installedAt'])
    .executeTakeFirstOrThrow()
}

export async function updateSiteState(
  db: ControlDb,
  number: number,
  state: 'kept' | 'dropping',
): Promise<void> {
  await db.updateTable('site').set({ state }).where('number', '=', number).execute()
}

const installation = prepareControl(
  (
    db,
    { number, installedAt, stats, admins }: Record<'number' | 'installedAt' | 'stats' | 'admins', never>,
  ) => db.updateTable('site').set({ installedAt, stats, admins }).where('number', '=', number),
)

export async function markInstalled(
  db: ControlDb,
  number: number,
  installed: { installedAt: string; stats: string; admins: string },
): Promise<void> {
  await installation.changes(db, { number, ...installed })
}

/** Whether the site has its tables. */
export const isSiteInstalled = async (db: ControlDb, number: number): Promise<boolean> =>
  (await siteInstalledAt(db, number)) !== undefined

export async function siteInstalledAt(db: ControlDb, number: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('site')
    .select('installedAt')
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.installedAt ?? undefined
}

/** Undefined if there is no such site, `null` for one at the installation's own location. */
export async function findLocation(db: ControlDb, number: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('site').select('place').where('number', '=', number).executeTakeFirst()
  return row?.place
}

export async function updateLocation(db: ControlDb, number: number, place: string | null): Promise<void> {
  await db.updateTable('site').set({ place }).where('number', '=', number).execute()
}

/** A page of the sites that are, or were, at another location than the installation's own. */
export function relocatedSitesAfter(db: ControlDb, number: number, limit: number) {
  return db
    .selectFrom('site')
    .select(['number', 'place'])
    .where('place', 'is not', null)
    .where('state', '<>', 'dropping')
    .where('number', '>', number)
    .orderBy('number')
    .limit(limit)
    .$narrowType<{ place: string }>()
    .execute()
}

/** A page of the sites whose location is encrypted with another key. */
export function locationsNotSealedBy(
  db: ControlDb,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ number: number; place: string }[]> {
  return db
    .selectFrom('site')
    .select(['number', 'place'])
    .where('place', 'is not', null)
    .where('place', 'not like', `${keyId}.%`)
    .where('number', '>', Number(after))
    .orderBy('number')
    .limit(limit)
    .$narrowType<{ place: string }>()
    .execute()
}

/** False if stats of a higher version are stored, or the site is gone. */
export async function updateSiteStats(
  db: ControlDb,
  number: number,
  { stats, admins, version }: { stats: string; admins: string; version: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('site')
    .set({ stats, admins, statsVersion: version })
    .where('number', '=', number)
    .where('statsVersion', '<=', version)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Copies what was counted on days of a site, and drops the copies of days that are no longer kept. */
export async function updateSiteDays(
  db: ControlDb,
  site: number,
  days: readonly SiteDay[],
  keptFrom: string,
): Promise<void> {
  if (days.length > 0)
    await db
      .insertInto('siteDay')
      .values(days.map(({ day, counts }) => ({ site, day, counts })))
      .onConflict((conflict) =>
        conflict.columns(['site', 'day']).doUpdateSet((row) => ({ counts: row.ref('excluded.counts') })),
      )
      .execute()
  await db.deleteFrom('siteDay').where('site', '=', site).where('day', '<', keptFrom).execute()
}

export const siteDaysOf = (db: ControlDb, site: number, from = ''): Promise<SiteDay[]> =>
  db
    .selectFrom('siteDay')
    .select(['day', 'counts'])
    .where('site', '=', site)
    .where('day', '>=', from)
    .execute()

/** The same of several sites. */
export const siteDaysOfSites = (db: ControlDb, sites: readonly number[], from: string) =>
  db
    .selectFrom('siteDay')
    .select(['site', 'day', 'counts'])
    .where('site', 'in', sites)
    .where('day', '>=', from)
    .execute()

/** The same, a row a site: the days of ten thousand sites are a million, and a row costs more than its text. */
export const joinedDaysOfSites = (db: ControlDb, sites: readonly number[], from: string) =>
  db
    .selectFrom('siteDay')
    .select(['site', sql<string>`string_agg('["' || "day" || '",' || "counts" || ']', ',')`.as('days')])
    .where('site', 'in', sites)
    .where('day', '>=', from)
    .groupBy('site')
    .execute()

/** The states of a site's quotas as the control row has them. */
export async function findSiteQuotas(db: ControlDb, number: number): Promise<string | null | undefined> {
  const [row] = await siteQuotas.rows(db, { number })
  return row?.quotas
}

const siteQuotas = prepareControl((db, { number }: Record<'number', never>) =>
  db.selectFrom('site').select('quotas').where('number', '=', number),
)

/** Does nothing if stats of a higher version are stored: their writer has read newer states. */
export async function updateSiteQuotas(
  db: ControlDb,
  number: number,
  { quotas, version }: { quotas: string | null; version: number },
): Promise<void> {
  await db
    .updateTable('site')
    .set({ quotas })
    .where('number', '=', number)
    .where('statsVersion', '<=', version)
    .execute()
}

/** The sites of tenants with a quota that has reached a threshold. */
export async function sitesWithQuotas(db: ControlDb): Promise<{ id: string; quotas: string }[]> {
  return db
    .selectFrom('site')
    .innerJoin('tenant', 'tenant.site', 'site.number')
    .select(['tenant.id', 'site.quotas'])
    .where('site.quotas', 'is not', null)
    .$narrowType<{ quotas: string }>()
    .execute()
}

/** The stored stats of all tenants. */
export async function statsOfTenants(db: ControlDb): Promise<string[]> {
  const rows = await db
    .selectFrom('site')
    .innerJoin('tenant', 'tenant.site', 'site.number')
    .select('site.stats')
    .execute()
  return rows.map(({ stats }) => stats)
}

/** The version of the stored stats; undefined if the site is gone. */
export async function findWrittenStatsVersion(db: ControlDb, number: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('site')
    .select('statsVersion')
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.statsVersion
}

export async function droppingSites(db: ControlDb): Promise<number[]> {
  const rows = await db.selectFrom('site').select('number').where('state', '=', 'dropping').execute()
  return rows.map((row) => row.number)
}

/** Every site that has its tables, with or without a tenant. */
export async function installedSites(db: ControlDb): Promise<{ number: number; idKey: string }[]> {
  return db
    .selectFrom('site')
    .select(['number', 'idKey'])
    .where('installedAt', 'is not', null)
    .where('state', '<>', 'dropping')
    .orderBy('number')
    .execute()
}

/** A page of the tenants' installed sites, with their stored stats and due times. */
export function sitesWithStatsAfter(db: ControlDb, number: number, limit: number) {
  return storedStats(db).where('site.number', '>', number).orderBy('site.number').limit(limit).execute()
}

/** Of these sites; a site that was dropped since is left out. */
export function sitesWithStats(db: ControlDb, numbers: readonly number[]) {
  return storedStats(db).where('site.number', 'in', numbers).execute()
}

const storedStats = (db: ControlDb) =>
  db
    .selectFrom('site')
    .innerJoin('tenant', 'tenant.site', 'site.number')
    .leftJoin('job', 'job.site', 'site.number')
    .select(['site.number', 'tenant.id', 'site.stats', 'site.admins', 'job.dueAt', 'job.failures'])
    .where('site.installedAt', 'is not', null)

export async function deleteSiteRow(db: ControlDb, number: number): Promise<void> {
  await db.deleteFrom('site').where('number', '=', number).execute()
}
