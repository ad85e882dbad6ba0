import { prepare, type SiteDb } from '../db/index.ts'
import type { Site } from './site.ts'

/** What is counted for each day (UTC). `storageUsed` and `users` are changes, and may be negative. */
export type DayTotalName = 'uploads' | 'storageUsed' | 'views' | 'users'

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/**
 * Adds to totals of today, in one statement. The caller's transaction has locked the totals of the site: this locks nothing
 * more.
 */
export async function addToDay(
  { db, clock }: Pick<Site, 'db' | 'clock'>,
  changes: Partial<Record<DayTotalName, number>>,
): Promise<void> {
  await additionTo(Object.keys(changes) as DayTotalName[]).later(db, {
    uploads: 0,
    storageUsed: 0,
    views: 0,
    users: 0,
    ...changes,
    day: dayOf(clock.now()),
  })
}

type Addition = ReturnType<typeof prepareAddition>
const additions = new Map<string, Addition>()

/** Every upload adds to the same ones: to build the statement each time would cost more than to run it. */
function additionTo(names: readonly DayTotalName[]): Addition {
  const known = additions.get(names.join()) ?? prepareAddition(names)
  additions.set(names.join(), known)
  return known
}

const prepareAddition = (names: readonly DayTotalName[]) =>
  prepare<'day' | DayTotalName, unknown>((db, values) =>
    db
      .insertInto('dayTotal')
      .values(names.map((name) => ({ day: values.day, name, value: values[name] })))
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'name'])
          .doUpdateSet((row) => ({ value: row('dayTotal.value', '+', row.ref('excluded.value')) })),
      ),
  )

export interface DayTotal {
  day: string
  name: DayTotalName
  value: number
}

const totalsSince = prepare((db, { day }: Record<'day', never>) =>
  db.selectFrom('dayTotal').select(['day', 'name', 'value']).where('day', '>=', day),
)

export const dayTotalsSince = (db: SiteDb, day: string): Promise<readonly DayTotal[]> =>
  totalsSince.rows(db, { day })

const firstDays = prepare((db, { name }: Record<'name', never>) =>
  db.selectFrom('dayTotal').select('day').where('name', '=', name).orderBy('day').limit(1),
)

/** From which day on a total is counted; undefined if it never was. */
export async function firstDayOf(db: SiteDb, name: DayTotalName): Promise<string | undefined> {
  const [row] = await firstDays.rows(db, { name })
  return row?.day
}
