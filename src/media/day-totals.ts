import { allTotals, dayOf, dayTotalsSince, firstDayOf, type Site } from '../site/index.ts'

/** What happened on a day of the site, in UTC. */
export interface Day {
  day: string
  uploads: number
  /** At the end of the day. */
  storageUsed: number
  /** Undefined before views were counted by day. */
  views: number | undefined
}

export const dayRanges = [30, 90] as const
export type DayRange = (typeof dayRanges)[number]

const dayMs = 86_400_000

/** The last days, the oldest first, with today; days without a row are zero. */
export async function readDays(site: Site, count: DayRange): Promise<Day[]> {
  const now = site.clock.now()
  const days = Array.from({ length: count }, (_, index) =>
    dayOf(new Date(now.getTime() - (count - 1 - index) * dayMs)),
  )
  const rows = await dayTotalsSince(site.db, days[0] ?? '')
  const values = new Map(rows.map(({ day, name, value }) => [`${day} ${name}`, value]))
  const viewsSince = await firstDayOf(site.db, 'views')
  const of = (day: string, name: string) => values.get(`${day} ${name}`) ?? 0
  // Backwards from what is stored now: the sum of all changes may have begun before the first row.
  let { storageUsed } = await allTotals(site.db)
  return days
    .toReversed()
    .map((day): Day => {
      const isCounted = viewsSince !== undefined && day >= viewsSince
      const shown = { day, uploads: of(day, 'uploads'), storageUsed: Math.max(storageUsed, 0) }
      storageUsed -= of(day, 'storageUsed')
      return { ...shown, views: isCounted ? of(day, 'views') : undefined }
    })
    .toReversed()
}
