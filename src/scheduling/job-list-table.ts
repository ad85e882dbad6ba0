import { sql } from 'kysely'
import type { ControlDb } from '../db/index.ts'

export interface JobFilter {
  /** A part of the id or the hostname. */
  search: string
  isFailing: boolean
}

/** Tenants with the jobs of their sites; one that is not installed has none. */
function jobsOfTenants(db: ControlDb, { search, isFailing }: JobFilter) {
  // The left join becomes an inner one where the jobs decide.
  const all = db
    .selectFrom('tenant')
    .innerJoin('site', 'site.number', 'tenant.site')
    .leftJoin('job', 'job.site', 'tenant.site')
    .$if(isFailing, (query) => query.where('job.failures', '>', 0))
  if (search === '') return all
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  return all.where((eb) =>
    eb.or([
      sql<boolean>`${eb.ref('tenant.idKey')} like ${pattern} escape '\\'`,
      sql<boolean>`${eb.ref('tenant.hostname')} like ${pattern} escape '\\'`,
    ]),
  )
}

/** A page, in the order of ids. */
export function jobsPage(
  db: ControlDb,
  { offset, limit, ...filter }: JobFilter & { offset: number; limit: number },
) {
  return jobsOfTenants(db, filter)
    .select([
      'tenant.id',
      'tenant.lastJobAt',
      'site.installedAt',
      'job.dueAt',
      'job.leasedUntil',
      'job.failures',
      'job.fault',
    ])
    .orderBy('tenant.id')
    .offset(offset)
    .limit(limit)
    .execute()
}

export async function countJobsOfTenants(db: ControlDb, filter: JobFilter): Promise<number> {
  const row = await jobsOfTenants(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Of the installation's own jobs, or of a site; undefined before the first start of a server. */
export function findJob(db: ControlDb, site: number) {
  return db
    .selectFrom('job')
    .select(['dueAt', 'leasedUntil', 'failures', 'fault'])
    .where('site', '=', site)
    .executeTakeFirst()
}
