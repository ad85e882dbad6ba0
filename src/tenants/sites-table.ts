import { type ControlDb, prepareControl } from '../db/index.ts'

/** The place of a tenant's data. It outlives a tenant that is deleted without its tables. */
export interface SiteRow {
  number: number
  installedAt: string | null
}

/** The kept site of an earlier tenant of this id, else a new one. */
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
  (db, { number, installedAt, stats }: Record<'number' | 'installedAt' | 'stats', never>) =>
    db.updateTable('site').set({ installedAt, stats }).where('number', '=', number),
)

export async function markInstalled(
  db: ControlDb,
  number: number,
  installed: { installedAt: string; stats: string },
): Promise<void> {
  await installation.changes(db, { number, ...installed })
}

/** Nothing when there is no such site, `null` for one that is where the installation is. */
export async function findPlace(db: ControlDb, number: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('site').select('place').where('number', '=', number).executeTakeFirst()
  return row?.place
}

export async function updatePlace(db: ControlDb, number: number, place: string | null): Promise<void> {
  await db.updateTable('site').set({ place }).where('number', '=', number).execute()
}

/** A page of those that are, or were, elsewhere. */
export function placedSitesAfter(db: ControlDb, number: number, limit: number) {
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

/** A page of those whose place another key has sealed. */
export function placesNotSealedBy(
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

const telling = prepareControl((db, { number, stats }: Record<'number' | 'stats', never>) =>
  db.updateTable('site').set({ stats }).where('number', '=', number),
)

export async function updateStats(db: ControlDb, number: number, stats: string): Promise<void> {
  await telling.changes(db, { number, stats })
}

export async function droppingSites(db: ControlDb): Promise<number[]> {
  const rows = await db.selectFrom('site').select('number').where('state', '=', 'dropping').execute()
  return rows.map((row) => row.number)
}

/** Every site with tables: those of tenants, and those that wait for one. */
export async function installedSites(db: ControlDb): Promise<{ number: number; idKey: string }[]> {
  return db
    .selectFrom('site')
    .select(['number', 'idKey'])
    .where('installedAt', 'is not', null)
    .where('state', '<>', 'dropping')
    .orderBy('number')
    .execute()
}

/** A page of the sites that tenants have, with what is told of them. */
export function toldSitesAfter(db: ControlDb, number: number, limit: number) {
  return db
    .selectFrom('site')
    .innerJoin('tenant', 'tenant.site', 'site.number')
    .leftJoin('job', 'job.site', 'site.number')
    .select(['site.number', 'tenant.id', 'site.stats', 'job.dueAt', 'job.failures'])
    .where('site.number', '>', number)
    .where('site.installedAt', 'is not', null)
    .orderBy('site.number')
    .limit(limit)
    .execute()
}

export async function deleteSiteRow(db: ControlDb, number: number): Promise<void> {
  await db.deleteFrom('site').where('number', '=', number).execute()
}
