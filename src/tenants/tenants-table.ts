import { type ControlDb, prepareControl } from '../db/index.ts'
import { isId } from './values/field-rules.ts'

/** A row of `tenant`, joined with its row of `site`. */
export interface TenantRow {
  id: string
  hostname: string
  isEnabled: number
  planId: string | null
  limits: string
  env: string | null
  site: number
  createdAt: string
  updatedAt: string
  lastJobAt: string | null
  installedAt: string | null
  stats: string
  place: string | null
  quotas: string | null
  admins: string | null
}

type TenantChange = Partial<
  Pick<TenantRow, 'hostname' | 'isEnabled' | 'planId' | 'limits' | 'env' | 'updatedAt'>
>
type NewTenantRow = Omit<TenantRow, 'installedAt' | 'stats' | 'place' | 'quotas' | 'admins' | 'lastJobAt'> & {
  idKey: string
}

function tenantRows(db: ControlDb) {
  return db
    .selectFrom('tenant')
    .innerJoin('site', 'site.number', 'tenant.site')
    .select([
      'tenant.id',
      'tenant.hostname',
      'tenant.isEnabled',
      'tenant.planId',
      'tenant.limits',
      'tenant.env',
      'tenant.site',
      'tenant.createdAt',
      'tenant.updatedAt',
      'tenant.lastJobAt',
      'site.installedAt',
      'site.stats',
      'site.place',
      'site.quotas',
      'site.admins',
    ])
}

/** False when the id or the hostname is taken. */
export async function insertTenant(db: ControlDb, row: NewTenantRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('tenant')
    .values({ ...row, lastJobAt: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findTenant(db: ControlDb, id: string): Promise<TenantRow | undefined> {
  // PostgreSQL refuses a NUL in a text, and the id comes from a URL.
  if (!isId(id)) return undefined
  const [row] = await tenantById.rows(db, { id })
  return row
}

const tenantById = prepareControl((db, { id }: Record<'id', never>) =>
  tenantRows(db).where('tenant.id', '=', id),
)

export function findTenantByHostname(db: ControlDb, hostname: string): Promise<TenantRow | undefined> {
  return tenantRows(db).where('tenant.hostname', '=', hostname).executeTakeFirst()
}

/** Undefined for a site that was kept when its tenant was deleted. */
export async function findTenantIdOfSite(db: ControlDb, site: number): Promise<string | undefined> {
  const row = await db.selectFrom('tenant').select('id').where('site', '=', site).executeTakeFirst()
  return row?.id
}

/** When the jobs of a site ran last; undefined if they never did. */
export async function findLastJobAt(db: ControlDb, site: number): Promise<Date | undefined> {
  const row = await db.selectFrom('tenant').select('lastJobAt').where('site', '=', site).executeTakeFirst()
  return row?.lastJobAt ? new Date(row.lastJobAt) : undefined
}

/** Changes nothing if another worker has taken the lease. */
export async function updateLastJobAt(
  db: ControlDb,
  { site, token }: { site: number; token: number },
  at: Date,
): Promise<void> {
  await db
    .updateTable('tenant')
    .set({ lastJobAt: at.toISOString() })
    .where('site', '=', site)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('job')
          .select('job.site')
          .whereRef('job.site', '=', 'tenant.site')
          .where('job.token', '=', token),
      ),
    )
    .execute()
}

export async function hasIdKey(db: ControlDb, idKey: string): Promise<boolean> {
  const row = await db.selectFrom('tenant').select('id').where('idKey', '=', idKey).executeTakeFirst()
  return row !== undefined
}

/** A page of the list, in the order of ids. */
export function tenantsAfter(db: ControlDb, id: string, limit: number): Promise<TenantRow[]> {
  return tenantRows(db).where('tenant.id', '>', id).orderBy('tenant.id').limit(limit).execute()
}

/** A page of the tenants of a plan, in the order of ids. */
export function tenantsOfPlan(
  db: ControlDb,
  planId: string,
  { after, limit }: { after: string; limit: number },
): Promise<TenantRow[]> {
  return tenantRows(db)
    .where('tenant.planId', '=', planId)
    .where('tenant.id', '>', after)
    .orderBy('tenant.id')
    .limit(limit)
    .execute()
}

/** In the order of ids. */
export async function idsOfPlan(db: ControlDb, planId: string): Promise<string[]> {
  const rows = await db.selectFrom('tenant').select('id').where('planId', '=', planId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** A page of ids and hostnames, in the order of ids. */
export function hostnamesAfter(
  db: ControlDb,
  id: string,
  limit: number,
): Promise<{ id: string; hostname: string }[]> {
  return db
    .selectFrom('tenant')
    .select(['id', 'hostname'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export function tenantsOfSites(db: ControlDb, sites: readonly number[]): Promise<TenantRow[]> {
  return tenantRows(db).where('tenant.site', 'in', sites).execute()
}

export function hostnamesOfSites(
  db: ControlDb,
  sites: readonly number[],
): Promise<{ id: string; hostname: string }[]> {
  return db.selectFrom('tenant').select(['id', 'hostname']).where('site', 'in', sites).execute()
}

export async function countTenants(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom('tenant')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

const atOnce = 500

/** Those that are there of these ids. */
export async function tenantsOfIds(db: ControlDb, ids: readonly string[]): Promise<TenantRow[]> {
  const known = ids.filter(isId)
  const rows: TenantRow[] = []
  for (let from = 0; from < known.length; from += atOnce)
    rows.push(
      ...(await tenantRows(db)
        .where('tenant.id', 'in', known.slice(from, from + atOnce))
        .execute()),
    )
  return rows
}

/** Which of these ids tenants have. */
export async function knownTenantIds(db: ControlDb, ids: readonly string[]): Promise<Set<string>> {
  const asked = ids.filter(isId)
  if (asked.length === 0) return new Set()
  const rows = await db.selectFrom('tenant').select('id').where('id', 'in', asked).execute()
  return new Set(rows.map(({ id }) => id))
}

export async function updateTenants(
  db: ControlDb,
  ids: readonly string[],
  change: TenantChange,
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce)
    await db
      .updateTable('tenant')
      .set(change)
      .where('id', 'in', ids.slice(from, from + atOnce))
      .execute()
}

export async function updateTenant(db: ControlDb, id: string, change: TenantChange): Promise<void> {
  await db.updateTable('tenant').set(change).where('id', '=', id).execute()
}

export async function deleteTenantRow(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('tenant').where('id', '=', id).execute()
}

/** A page of the tenants whose `env` is encrypted with another key, in the order of ids. */
export function tenantsNotSealedBy(
  db: ControlDb,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; env: string }[]> {
  return db
    .selectFrom('tenant')
    .select(['id', 'env'])
    .where('env', 'is not', null)
    .where('env', 'not like', `${keyId}.%`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ env: string }>()
    .execute()
}
