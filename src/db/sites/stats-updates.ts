import { sql } from 'kysely'
import { prepareControl } from '../prepared.ts'
import type { Statement } from '../sqlite/group-commit.ts'
import type { ControlDb } from '../tables.ts'

/** What the control tables store of a site: its stats, and when its next job is due. */
export interface SiteReport {
  site: number
  /** The totals as JSON. */
  stats: string
  /** The addresses of its administrators, a line each. */
  admins: string
  /** The site's stats version at which the report was read; a stored report of a higher version wins. */
  version: number
  /** `null` if no job will be due unless the site changes. */
  dueAt: string | null
  /** What was counted on the days that may have changed. */
  days: readonly SiteDay[]
}

export interface SiteDay {
  day: string
  /** As JSON. */
  counts: string
}

type Name = 'site' | 'stats' | 'admins' | 'version' | 'dueAt' | 'days'
type Values = Readonly<Record<Name, never>>

const statsUpdate = (db: ControlDb, { site, stats, admins, version }: Values) =>
  db
    .updateTable('site')
    .set({ stats, admins, statsVersion: version })
    .where('number', '=', site)
    .where('statsVersion', '<=', version)

const jobColumns = ['site', 'dueAt', 'token', 'leasedUntil', 'failures', 'fault'] as const

/** A job that fails keeps the time of its next attempt. */
const isNotFailing = sql<boolean>`"job"."failures" = 0 and "job"."dueAt" is distinct from "excluded"."dueAt"`

const keep = prepareControl((db, values: Values) => statsUpdate(db, values))

const keepDueAt = prepareControl((db, { site, version, dueAt }: Values) =>
  db
    .insertInto('job')
    .columns(jobColumns)
    .expression((eb) =>
      eb
        .selectFrom('site')
        .select(jobOf(dueAt, 'site.number'))
        .where('number', '=', site)
        // True if the statement before this one has written the report.
        .where('statsVersion', '=', version),
    )
    .onConflict((conflict) =>
      conflict
        .column('site')
        .doUpdateSet((eb) => ({ dueAt: eb.ref('excluded.dueAt') }))
        .where(isNotFailing),
    ),
)

/** For SQLite, in one transaction: the first statement changes one row if the report is written. */
export function reportStatements(db: ControlDb, report: SiteReport): Statement[] {
  const values = valuesOf(report)
  const statements = [keep.statement(db, values), keepDueAt.statement(db, values)]
  return report.days.length === 0 ? statements : [...statements, keepDays.statement(db, values)]
}

const valuesOf = ({ site, stats, admins, version, dueAt, days }: SiteReport) => ({
  site,
  stats,
  admins,
  version,
  dueAt,
  days: JSON.stringify(days.map(({ day, counts }) => [day, counts])),
})

const dayColumns = ['site', 'day', 'counts'] as const

const keepDays = prepareControl((db, { site, version, days }: Values) =>
  db
    .insertInto('siteDay')
    .columns(dayColumns)
    .expression((eb) =>
      eb
        .selectFrom(['site', sql<{ value: string }>`json_each(${days})`.as('each')])
        .select([
          'site.number as site',
          sql<string>`"each"."value" ->> 0`.as('day'),
          sql<string>`"each"."value" ->> 1`.as('counts'),
        ])
        .where('site.number', '=', site)
        .where('site.statsVersion', '=', version),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['site', 'day'])
        .doUpdateSet((eb) => ({ counts: eb.ref('excluded.counts') }))
        .where(isChanged),
    ),
)

const isChanged = sql<boolean>`"siteDay"."counts" <> "excluded"."counts"`

const keepAll = prepareControl((db, values: Values) =>
  db
    .with('kept', (kept) => statsUpdate(kept as unknown as ControlDb, values).returning('site.number'))
    .with('due', (due) =>
      due
        .insertInto('job')
        .columns(jobColumns)
        .expression((eb) => eb.selectFrom('kept').select(jobOf(values.dueAt, 'kept.number')))
        .onConflict((conflict) =>
          conflict
            .column('site')
            .doUpdateSet((eb) => ({ dueAt: eb.ref('excluded.dueAt') }))
            .where(isNotFailing),
        )
        .returning('job.site'),
    )
    .with('days', (due) =>
      due
        .insertInto('siteDay')
        .columns(dayColumns)
        .expression((eb) =>
          eb
            .selectFrom([
              'kept',
              sql<{ value: string }>`json_array_elements(cast(${values.days} as json))`.as('each'),
            ])
            .select([
              'kept.number as site',
              sql<string>`"each"."value" ->> 0`.as('day'),
              sql<string>`"each"."value" ->> 1`.as('counts'),
            ]),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['site', 'day'])
            .doUpdateSet((eb) => ({ counts: eb.ref('excluded.counts') }))
            .where(isChanged),
        )
        .returning('siteDay.day'),
    )
    .selectFrom('kept')
    .select('kept.number'),
)

/** For PostgreSQL, in one statement that locks only this site's rows. True if the report is written. */
export async function writeSiteStats(db: ControlDb, report: SiteReport): Promise<boolean> {
  const rows = await keepAll.rows(db, valuesOf(report))
  return rows.length === 1
}

/** The job row of a site that has none yet. */
const jobOf = (dueAt: never, number: string) => [
  sql<number>`${sql.ref(number)}`.as('site'),
  sql<string>`cast(${dueAt} as text)`.as('dueAt'),
  sql<number>`0`.as('token'),
  sql<null>`null`.as('leasedUntil'),
  sql<number>`0`.as('failures'),
  sql<null>`null`.as('fault'),
]
