import { sql } from 'kysely'
import type { ControlDb } from '../db/index.ts'

export interface JobFilter {
  /** A part of the id or the hostname. */
  search: string
  isFailing: boolean
}

/** Of tenants alone: to join the other tables for a count would take ten times as long. */
function tenantsBy(db: ControlDb, { search, isFailing }: JobFilter) {
  const all = db
    .selectFrom('tenant')
    .$if(isFailing, (query) =>
      query.where('tenant.site', 'in', db.selectFrom('job').select('job.site').where('job.failures', '>', 0)),
    )
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
  const page = tenantsBy(db, filter)
    .select(['tenant.id', 'tenant.site', 'tenant.lastJobAt'])
    .orderBy('tenant.id')
    .offset(offset)
    .limit(limit)
  return db
    .selectFrom(page.as('page'))
    .innerJoin('site', 'site.number', 'page.site')
    .leftJoin('job', 'job.site', 'page.site')
    .select([
      'page.id',
      'page.lastJobAt',
      'site.installedAt',
      'job.dueAt',
      'job.leasedUntil',
      'job.failures',
      'job.fault',
    ])
    .orderBy('page.id')
    .execute()
}

export async function countJobsOfTenants(db: ControlDb, filter: JobFilter): Promise<number> {
  const row = await tenantsBy(db, filter)
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
