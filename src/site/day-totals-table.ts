import { prepare, type SiteDb } from '../db/index.ts'
import type { Site } from './site.ts'
import { addToUserTotals } from './user-totals-table.ts'
import type { SiteValues } from './values.ts'

/** What is counted for each day (UTC): what was done. */
export const doneNames = [
  'uploads',
  'uploadBytes',
  'downloads',
  'trafficBytes',
  'views',
  'transforms',
  'transformMs',
  'transformHits',
  'apiRequests',
  'serverErrors',
] as const

/** And by how much that changed which is there at the end of the day. */
export const standingNames = ['files', 'storageUsed', 'derivedBytes', 'users'] as const

export type DoneName = (typeof doneNames)[number]
export type StandingName = (typeof standingNames)[number]
export type DayTotalName = DoneName | StandingName
export type DayCounts = Partial<Record<DayTotalName, number>>

/** What is counted for each user too. */
export const userDoneNames = ['uploads', 'uploadBytes', 'downloads', 'trafficBytes', 'views'] as const
export const userStandingNames = ['files', 'storageUsed'] as const
const userNames: readonly DayTotalName[] = [...userDoneNames, ...userStandingNames]
const allNames: readonly DayTotalName[] = [...doneNames, ...standingNames]

export const dayMs = 86_400_000

let lastDay = { number: Number.NaN, text: '' }

/** `YYYY-MM-DD` in UTC. Every request asks for the day of now. */
export function dayOf(at: Date): string {
  const number = Math.floor(at.getTime() / dayMs)
  if (lastDay.number !== number) lastDay = { number, text: at.toISOString().slice(0, 10) }
  return lastDay.text
}

/** A day that is some days after another, or before it. */
export const dayAfter = (day: string, days = 1): string => dayOf(new Date(Date.parse(day) + days * dayMs))

interface CountedFor {
  /** Whose files it is about; the site alone if there is no such user. */
  userId?: string | undefined
  /** Today by default. */
  day?: string
}

/**
 * Adds to totals of a day, for the site and for a user. The caller's transaction has locked the totals of the site: this
 * locks nothing more. The user must exist.
 */
export async function addToDay(
  { db, clock }: Pick<Site, 'db' | 'clock'>,
  counts: DayCounts,
  { userId, day = dayOf(clock.now()) }: CountedFor = {},
): Promise<void> {
  const names = allNames.filter((name) => counts[name])
  if (names.length > 0) await siteAddition(names).later(db, { ...none, ...counts, day, userId: '' })
  if (userId !== undefined) await addToDayOfUser({ db, clock }, userId, counts, day)
}

/** For the user alone: the site has as much as before. What the user owns is counted here as well. */
export async function addToDayOfUser(
  { db, clock }: Pick<Site, 'db' | 'clock'>,
  userId: string,
  counts: DayCounts,
  day = dayOf(clock.now()),
): Promise<void> {
  const names = userNames.filter((name) => counts[name])
  if (names.length > 0) await userAddition(names).later(db, { ...none, ...counts, day, userId })
  if (counts.files || counts.storageUsed) await addToUserTotals(db, userId, counts)
}

/** The same for several files at once, which may have several owners. */
export async function addToDayOfOwners<Row extends { userId?: string | null | undefined }>(
  site: Pick<Site, 'db' | 'clock'>,
  rows: readonly Row[],
  countsOf: (row: Row) => Partial<Record<(typeof userStandingNames)[number], number>>,
): Promise<void> {
  for (const [userId, ofUser] of Map.groupBy(rows, (row) => row.userId ?? undefined)) {
    const sum = { files: 0, storageUsed: 0 }
    for (const row of ofUser) {
      const { files = 0, storageUsed = 0 } = countsOf(row)
      sum.files += files
      sum.storageUsed += storageUsed
    }
    await addToDay(site, sum, { userId })
  }
}

const none = Object.fromEntries(allNames.map((name) => [name, 0])) as Record<DayTotalName, number>

type Names = readonly DayTotalName[]
type Values = Readonly<Record<'day' | 'userId' | DayTotalName, never>>

/** Every upload adds to the same totals: to build the statement each time would cost more than to run it. */
function builtOnce<T>(build: (names: Names) => T): (names: Names) => T {
  const known = new Map<string, T>()
  return (names) => {
    const built = known.get(names.join()) ?? build(names)
    known.set(names.join(), built)
    return built
  }
}

const siteAddition = builtOnce((names) =>
  prepare((db, values: Values) =>
    db
      .insertInto('dayTotal')
      .values(names.map((name) => ({ day: values.day, name, value: values[name] })))
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'name'])
          .doUpdateSet((row) => ({ value: row('dayTotal.value', '+', row.ref('excluded.value')) })),
      ),
  ),
)

const userAddition = builtOnce((names) =>
  prepare((db, values: Values) =>
    db
      .insertInto('userDayTotal')
      .values(names.map((name) => ({ userId: values.userId, day: values.day, name, value: values[name] })))
      .onConflict((conflict) =>
        conflict
          .columns(['userId', 'day', 'name'])
          .doUpdateSet((row) => ({ value: row('userDayTotal.value', '+', row.ref('excluded.value')) })),
      ),
  ),
)

/** The counts of days by day. */
export type CountsByDay = ReadonlyMap<string, DayCounts>

const totalsSince = prepare((db, { day }: Record<'day', never>) =>
  db.selectFrom('dayTotal').select(['day', 'name', 'value']).where('day', '>=', day),
)

export async function dayTotalsSince(db: SiteDb, day: string): Promise<CountsByDay> {
  return byDay(await totalsSince.rows(db, { day }))
}

export async function dayTotalsOfUserSince(db: SiteDb, userId: string, day: string): Promise<CountsByDay> {
  return byDay(
    await db
      .selectFrom('userDayTotal')
      .select(['day', 'name', 'value'])
      .where('userId', '=', userId)
      .where('day', '>=', day)
      .execute(),
  )
}

export function byDay(rows: readonly { day: string; name: string; value: number }[]): CountsByDay {
  const days = new Map<string, Record<string, number>>()
  for (const { day, name, value } of rows) {
    const counts = days.get(day) ?? {}
    counts[name] = value
    days.set(day, counts)
  }
  return days
}

/** The first day whose usage is kept; the empty text if every day's is. */
export function usageKeptFrom(values: SiteValues, now: Date): string {
  const kept = usageKeptMs(values)
  return kept === undefined ? '' : dayOf(new Date(now.getTime() + dayMs - kept))
}

/** Rows of this and of the last month stay, however short the usage is shown: quotas are about a month. */
const leastKeptDays = 62

/** The first day whose rows are kept; the empty text if every day's are. */
export function usageRowsKeptFrom(values: SiteValues, now: Date): string {
  const [shown, least] = [usageKeptFrom(values, now), dayAfter(dayOf(now), -leastKeptDays)]
  return shown < least ? shown : least
}

/** How long rows of usage are kept; undefined if it is for ever. */
export function usageRowsKeptMs(values: SiteValues): number | undefined {
  const kept = usageKeptMs(values)
  return kept && Math.max(kept, (leastKeptDays + 1) * dayMs)
}

/** Undefined if it is kept for ever. */
export const usageKeptMs = (values: SiteValues): number | undefined =>
  Number(values.get('SERVICE_USAGE_DAYS') ?? 400) * dayMs || undefined

/** Returns how many days of the site were deleted. */
export async function deleteDaysBefore(db: SiteDb, day: string): Promise<number> {
  await db.deleteFrom('userDayTotal').where('day', '<', day).execute()
  const { numDeletedRows } = await db.deleteFrom('dayTotal').where('day', '<', day).executeTakeFirst()
  return Number(numDeletedRows)
}
